"""Which fences a program needs: the least ones that repair it, and those of its own that it can do without."""
