"""Whether the calls of a class, made by several threads, can be explained by an order of them."""
