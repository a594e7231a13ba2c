"""RVF-SMC [agarwal-2021]: at most one maximal execution of each reads-value-from class, by giving reads values."""
