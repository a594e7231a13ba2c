"""Finds the caller of a method that Python calls by itself, such as `__iter__`: an instruction, or a function in C.

Functions written in C have no frames. But the frame below says at which
instruction it stands, and what that calls lies on its stack: the function
itself, whatever name the code has for it.
"""

from __future__ import annotations

import dis
import functools
import gc
import itertools
import sys
import types
from collections.abc import Iterator
from typing import Any, NamedTuple

from replay.code.bytecode import CALLS, Unkeyable, bytecode, taken_by_call
from replay.code.raw_memory import NOTHING_THERE, RawFrame, why_unreadable

DIRECT = "a call of a method by its name"


_GOING_THROUGH = ("FOR_ITER", "LIST_EXTEND", "SET_UPDATE", "UNPACK_SEQUENCE", "UNPACK_EX")
"""Instructions that keep what they go through as long as they do."""


class Caller(NamedTuple):
    """The caller of a method.

    instruction  the instruction at which the frame stands; `DIRECT` if no C code stands in between; "" if nobody knows
    operator     what it computes, of an operator: "+="
    function     what it calls, None if that is nothing
    is_sure      whether the function is that; a `partial` may have put an argument in its place
    operands     what it calls that with, where that can be seen; of a loop, its iterator
    addresses    of all that it works on
    """

    instruction: str
    operator: str = ""
    function: Any = None
    operands: tuple[object, ...] = ()
    addresses: tuple[int, ...] = ()
    is_sure: bool = True


def caller_of(method: types.FrameType) -> Caller:
    """The caller of the method whose frame this is, while that runs."""
    frame = method.f_back
    assert frame is not None
    code = frame.f_code
    try:
        if why_unreadable():
            return Caller("")
        name, operator, count, waiting, size = _stop(code, frame.f_lasti)
    except Unkeyable:
        return Caller("")
    raw = RawFrame(frame, size)
    if raw.runs_directly(method):
        return Caller(DIRECT)
    addresses = tuple(raw.address_of(waiting + each) for each in range(count))
    if name == "CALL_FUNCTION_EX":  # what it unpacks may be gone while it calls
        function = next(held for each in range(2) if (held := raw.entry(waiting + each)) is not NOTHING_THERE)
        return Caller(name, "", function, (), addresses)
    if name not in (*CALLS, *_GOING_THROUGH):
        return Caller(name, operator, None, (), addresses)
    held = tuple(each for at in range(count) if (each := raw.entry(waiting + at)) is not NOTHING_THERE)
    if name not in CALLS:
        return Caller(name, "", None, held, addresses)
    if type(held[0]) is types.FunctionType and held[0].__code__.co_name == "<genexpr>":
        return Caller("GET_ITER", "", None, (), addresses[1:])  # from 3.15 on it begins so, before its frame is shown
    return Caller(name, "", held[0], held[1:], addresses, _is_sure(frame, raw, held[0], addresses[0]))


_GLOBALS, _LOCALS = ("LOAD_GLOBAL", "LOAD_NAME"), ("LOAD_FAST", "LOAD_FAST_CHECK", "LOAD_DEREF")


def _is_sure(frame: types.FrameType, raw: RawFrame, function: object, lowest: int) -> bool:
    """Whether that is what a call calls.

    From Python 3.13 on it lies lowest, where no `partial` puts an argument. Before, it does if its object is above it;
    3.12 has it so of `super()` only once the line has run a few times, so in code with that it is never sure.
    """
    if not lowest:
        return _is_loaded(frame, raw, function)
    return sys.version_info >= (3, 13) or "super" not in frame.f_code.co_names


def _is_loaded(frame: types.FrameType, raw: RawFrame, function: object) -> bool:
    """Whether the code of a frame has put a function on the stack, where a call has it for what is called."""
    loader, before = _loader(frame.f_code, frame.f_lasti)
    if loader.opname in _GLOBALS:
        return _global(frame, loader.argval) is function
    if loader.opname in ("LOAD_ATTR", "LOAD_METHOD") and before.opname in _GLOBALS:
        owner = _global(frame, before.argval)
        found = getattr(owner, loader.argval, None) if isinstance(owner, types.ModuleType | type) else None
        is_made_anew = type(found) is types.BuiltinFunctionType  # as `dict.fromkeys`, each time that it is asked for
        return found is function or (is_made_anew and found == function)
    if loader.opname in _LOCALS:
        held = raw.entry(bytecode(frame.f_code, is_ours=False).slots.index(loader.argval))
        return held is function or (type(held) is types.CellType and held.cell_contents is function)
    return False


def _global(frame: types.FrameType, name: str) -> object:
    return frame.f_globals.get(name, frame.f_builtins.get(name))


@functools.lru_cache(1 << 12)
def _loader(code: types.CodeType, offset: int) -> tuple[dis.Instruction, dis.Instruction]:
    return bytecode(code, is_ours=False).loader(offset)


@functools.lru_cache(1 << 12)
def _stop(code: types.CodeType, offset: int) -> tuple[str, str, int, int, int]:
    """An instruction, its operator, how much it works on, where that begins, and the size of the frame."""
    known = bytecode(code, is_ours=False)
    instruction, waiting = known.instruction_at(offset)
    name, slots = instruction.opname, len(known.slots)
    count = taken_by_call(instruction) if name in CALLS else 1
    return name, instruction.argrepr, count, slots + waiting, slots + code.co_stacksize


def called(caller: Caller, things: tuple[object, ...]) -> list[Any]:
    """The functions of which one calls a method of one of these things; none if nobody knows.

    That is the function of a call that is given one. Else it is one that an iterator calls which the
    instruction goes through, as of `map(list, rows)`, or a kind of iterator.
    """
    if caller.function is None and not caller.operands:
        return []
    function, given = unwrapped(caller.function, caller.operands)
    known = {id(each) for each in things}
    if function is not None and not known.isdisjoint((*caller.addresses, *map(id, given))):
        return [function]
    if caller.instruction == "CALL_FUNCTION_EX":
        return [function]
    return [each for held in given for each in _inside(held, 0)]


def unwrapped(function: Any, given: tuple[object, ...]) -> tuple[Any, tuple[object, ...]]:
    """The function that runs in the end, as its class has it, and what it is given."""
    while True:
        match function:
            case None:
                return None, given
            case functools.partial():
                function, given = function.func, (*function.args, *function.keywords.values(), *given)
            case types.MethodType():
                function, given = function.__func__, (function.__self__, *given)
            case types.BuiltinFunctionType() | types.MethodWrapperType():
                owner = function.__self__
                if owner is None or isinstance(owner, types.ModuleType):
                    return function, given
                kinds = owner.__mro__ if isinstance(owner, type) else type(owner).__mro__
                found = (vars(each).get(function.__name__) for each in kinds)
                return next((each for each in found if isinstance(each, _OF_C)), function), (owner, *given)
            case type() | types.FunctionType() | types.MethodDescriptorType() | types.WrapperDescriptorType():
                return function, given
            case _:  # an object that is called
                return type(function), (function, *given)


_OF_C = (
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
    types.ClassMethodDescriptorType,
    types.BuiltinFunctionType,
)
_DEEPEST = 8


def _inside(thing: object, depth: int) -> Iterator[Any]:
    """The functions that an iterator of Python's calls for each item; `chain` itself asks each for an iterator."""
    kind = type(thing)
    if depth < _DEEPEST and kind.__module__ in ("builtins", "itertools") and hasattr(kind, "__next__"):
        if kind is itertools.chain:
            yield kind
        for each in gc.get_referents(thing):  # a tuple of its own may have holes, which to go through is a crash
            for part in gc.get_referents(each) if type(each) is tuple else (each,):
                if callable(part) and part is not kind:
                    yield unwrapped(part, ())[0]
                yield from _inside(part, depth + 1)
