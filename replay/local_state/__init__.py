"""Keys of local states: what a suspended thread's future depends on, as one hashable value."""
