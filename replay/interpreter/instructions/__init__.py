"""The instructions, each a short function of the frame that it runs in.

An instruction with an argument is made by a function of that argument and the code. It returns None if its frame goes
on, else SWITCH or STOP (`replay.interpreter.execution`).
"""

from replay.interpreter import attribute_functions, evaluated, frame_intrinsics, views
from replay.interpreter.instructions import building, exceptions, functions, iteration, names, objects, patterns, types

__all__ = [
    "attribute_functions", "building", "evaluated", "exceptions", "frame_intrinsics", "functions", "iteration", "names",
    "objects", "patterns", "types", "views",
]  # fmt: skip
