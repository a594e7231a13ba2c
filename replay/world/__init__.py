"""What threads ask of memory, the values in it, and the memory models: the vocabulary of everything else."""
