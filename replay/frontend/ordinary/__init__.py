"""Ordinary classes as shared memory: objects of the user's own classes, and the locks of Python's `threading`."""
