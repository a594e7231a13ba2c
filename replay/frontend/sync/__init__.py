"""Things that threads wait at, with the names and signatures of Python's `threading` and `queue`: library code on
the model.

Each is one location and the atomic updates of it, some of which wait until they may run; so it costs an operation for
each call, and a barrier as every update does. There are no clocks: a `timeout` is over at any time, or in time.
"""
