"""Python versions of native callables. They are interpreted like the user's code, so they may stop at any call.

A model has the parameters of the callable it stands for: a call that does not fit them is made natively, which raises
CPython's TypeError. Within these files plain functions are interpreted; those marked `natively` are not, and call
nothing of the user's. No exception of a user is raised, and no code of a user called, inside of an `except` block:
it would get a context that CPython does not give it.
"""
