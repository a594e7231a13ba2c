"""The page of `mcr explore`."""
