"""Operations of threads, the values in memory, and the memory models: the vocabulary of everything else."""
