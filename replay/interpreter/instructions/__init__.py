"""The instructions, each a short function of the frame that it runs in.

An instruction with an argument is made by a function of that argument and the code. It returns None if its frame goes
on, else SWITCH or STOP (`replay.interpreter.execution`).
"""

from replay.interpreter import attribute_functions as attribute_functions
from replay.interpreter import evaluated as evaluated
from replay.interpreter import views as views
from replay.interpreter.instructions import (
    building as building,
)
from replay.interpreter.instructions import (
    exceptions as exceptions,
)
from replay.interpreter.instructions import (
    functions as functions,
)
from replay.interpreter.instructions import (
    iteration as iteration,
)
from replay.interpreter.instructions import (
    names as names,
)
from replay.interpreter.instructions import (
    objects as objects,
)
from replay.interpreter.instructions import (
    patterns as patterns,
)
from replay.interpreter.instructions import (
    types as types,
)
