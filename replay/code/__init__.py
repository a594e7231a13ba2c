"""Running user code: one thread at a time, stopped at each operation, watched, and looked through for hidden state."""
