"""Instructions on the operand stack, on local variables, cells, free variables and global names."""

from __future__ import annotations

from typing import Any, cast

from replay.interpreter.calls import refuse_here
from replay.interpreter.decode import Decoded
from replay.interpreter.execution import SWITCH, Instruction, simple, with_argument
from replay.interpreter.frame import NULL, Frame, empty_variable, held_in, new_cell, unassigned
from replay.interpreter.ownership import Objects, is_shared


@with_argument
def LOAD_CONST(value: Any, _: Decoded) -> Instruction:
    def load_const(frame: Frame) -> None:
        frame.stack.append(value)

    return load_const


@simple
def NOP(_: Frame) -> None:
    """Code of a line that does nothing, which debuggers stop at: `pass`, `try:`."""


@simple
def POP_TOP(frame: Frame) -> None:
    frame.stack.pop()


@simple
def PUSH_NULL(frame: Frame) -> None:
    frame.stack.append(NULL)


@with_argument
def COPY(depth: int, _: Decoded) -> Instruction:
    def copy(frame: Frame) -> None:
        frame.stack.append(frame.stack[-depth])

    return copy


@with_argument
def SWAP(depth: int, _: Decoded) -> Instruction:
    def swap(frame: Frame) -> None:
        stack = frame.stack
        stack[-1], stack[-depth] = stack[-depth], stack[-1]

    return swap


# -- local variables ------------------------------------------------------------------


@with_argument
def LOAD_FAST(slot: int, decoded: Decoded) -> Instruction:
    name = decoded.names[slot]

    def load_fast(frame: Frame) -> None:
        value = frame.slots[slot]
        if value is NULL:
            raise unassigned(name)
        frame.stack.append(value)

    return load_fast


@with_argument
def LOAD_FAST_AND_CLEAR(slot: int, _: Decoded) -> Instruction:
    def load_fast_and_clear(frame: Frame) -> None:
        frame.stack.append(frame.slots[slot])
        frame.slots[slot] = NULL

    return load_fast_and_clear


@with_argument
def STORE_FAST(slot: int, _: Decoded) -> Instruction:
    def store_fast(frame: Frame) -> None:
        frame.slots[slot] = frame.stack.pop()

    return store_fast


@with_argument
def DELETE_FAST(slot: int, decoded: Decoded) -> Instruction:
    name = decoded.names[slot]

    def delete_fast(frame: Frame) -> None:
        if frame.slots[slot] is NULL:
            raise unassigned(name)
        frame.slots[slot] = NULL

    return delete_fast


# -- cells ----------------------------------------------------------------------------


@with_argument
def MAKE_CELL(slot: int, _: Decoded) -> Instruction:
    def make_cell(frame: Frame) -> None:
        frame.slots[slot] = new_cell(frame.slots[slot])

    return make_cell


@with_argument
def COPY_FREE_VARS(count: int, _: Decoded) -> Instruction:
    def copy_free_vars(frame: Frame) -> None:
        closure = frame.function.__closure__
        assert closure is not None
        frame.slots[len(frame.slots) - count :] = closure

    return copy_free_vars


@with_argument
def LOAD_DEREF(slot: int, decoded: Decoded) -> Instruction:
    name = decoded.names[slot]

    def load_deref(frame: Frame) -> int | None:
        objects: Objects | None = frame.execution.objects
        if objects is not None and not decoded.is_ours and (known := objects.variable(frame, slot)) is not None:
            return objects.load_variable(frame, known, slot)
        value = held_in(frame.slots[slot])
        if value is NULL:
            raise empty_variable(name, name in decoded.code.co_freevars)
        frame.stack.append(value)
        return None

    return load_deref


@with_argument
def STORE_DEREF(slot: int, decoded: Decoded) -> Instruction:
    def store_deref(frame: Frame) -> int | None:
        value = frame.stack.pop()
        objects: Objects | None = frame.execution.objects
        if objects is not None and not decoded.is_ours and (known := objects.variable(frame, slot)) is not None:
            return objects.store_variable(frame, known, value)
        frame.slots[slot].cell_contents = value
        frame.position += 1
        return None

    return store_deref


@with_argument
def DELETE_DEREF(slot: int, decoded: Decoded) -> Instruction:
    name = decoded.names[slot]

    def delete_deref(frame: Frame) -> int | None:
        cell, objects = frame.slots[slot], frame.execution.objects
        if objects is not None and not decoded.is_ours and (known := objects.variable(frame, slot)) is not None:
            return cast("int", objects.delete_variable(frame, known, slot))
        if held_in(cell) is NULL:
            raise empty_variable(name, name in decoded.code.co_freevars)
        del cell.cell_contents
        frame.position += 1
        return None

    return delete_deref


# -- global names, and names of class bodies ------------------------------------------------


def global_value(frame: Frame, name: str) -> Any:
    """The value of a global or built-in name. Raises NameError."""
    names = frame.globals
    if name in names:
        return names[name]
    if name in frame.builtins:
        return frame.builtins[name]
    raise NameError(f"name '{name}' is not defined", name=name)


@with_argument
def LOAD_GLOBAL(name: str, decoded: Decoded) -> Instruction:
    is_ours = decoded.is_ours

    def load_global(frame: Frame) -> int | None:
        objects = frame.execution.objects
        if objects is not None and not is_ours and objects.load_global(frame, name):
            return SWITCH
        frame.stack.append(global_value(frame, name))
        return None

    return load_global


@with_argument
def STORE_GLOBAL(name: str, _: Decoded) -> Instruction:
    def store_global(frame: Frame) -> int | None:
        value, objects = frame.stack.pop(), frame.execution.objects
        if objects is not None and objects.store_global(frame, name, value):
            return SWITCH
        if objects is None and frame.globals.get(name, NULL) is not value:
            frame.execution.on_global(frame, name)
        frame.globals[name] = value
        frame.position += 1
        return None

    return store_global


@with_argument
def DELETE_GLOBAL(name: str, _: Decoded) -> Instruction:
    def delete_global(frame: Frame) -> int | None:
        objects = frame.execution.objects
        if objects is not None and objects.delete_global(frame, name):
            return SWITCH
        if name not in frame.globals:
            raise NameError(f"name '{name}' is not defined", name=name)
        if objects is None:
            frame.execution.on_global(frame, name)
        del frame.globals[name]
        frame.position += 1
        return None

    return delete_global


def _named(names: Any, name: str) -> Any:
    """Returns what a namespace has by a name; NULL if nothing. A namespace may be any mapping."""
    if type(names) is dict:
        return names.get(name, NULL)
    try:
        return names[name]
    except KeyError:
        return NULL


@with_argument
def LOAD_NAME(name: str, _: Decoded) -> Instruction:
    def load_name(frame: Frame) -> int | None:
        if is_shared(frame, frame.names):
            frame.execution.push(_found_in, [name, frame.names, frame.globals, frame.builtins], {})
            return SWITCH
        value = NULL if frame.names is None else _named(frame.names, name)
        frame.stack.append(global_value(frame, name) if value is NULL else value)
        return None

    return load_name


def _found_in(name: str, *namespaces: Any) -> Any:
    """Interpreted: what the first namespace has that has the name."""
    for names in namespaces:
        try:
            return names[name]
        except KeyError:
            continue
    raise NameError(f"name '{name}' is not defined", name=name)


def _check_own(frame: Frame, names: Any) -> None:
    if is_shared(frame, names):
        refuse_here("code that exec or eval runs sets a variable in a dict that is shared: give it a copy")


@with_argument
def STORE_NAME(name: str, _: Decoded) -> Instruction:
    def store_name(frame: Frame) -> None:
        names = frame.globals if frame.names is None else frame.names
        _check_own(frame, names)
        names[name] = frame.stack.pop()

    return store_name


@with_argument
def DELETE_NAME(name: str, _: Decoded) -> Instruction:
    def delete_name(frame: Frame) -> None:
        names = frame.globals if frame.names is None else frame.names
        _check_own(frame, names)
        if _named(names, name) is NULL:
            raise NameError(f"name '{name}' is not defined", name=name)
        del names[name]

    return delete_name


@with_argument
def LOAD_FROM_DICT_OR_DEREF(slot: int, decoded: Decoded) -> Instruction:
    name, load_deref = decoded.names[slot], LOAD_DEREF(slot, decoded)

    def load_from_dict_or_deref(frame: Frame) -> int | None:
        value = _named(frame.stack.pop(), name)
        if value is NULL:
            return load_deref(frame)
        frame.stack.append(value)
        return None

    return load_from_dict_or_deref


@with_argument
def LOAD_FROM_DICT_OR_GLOBALS(name: str, _: Decoded) -> Instruction:
    def load_from_dict_or_globals(frame: Frame) -> None:
        value = _named(frame.stack.pop(), name)
        frame.stack.append(global_value(frame, name) if value is NULL else value)

    return load_from_dict_or_globals


@simple
def LOAD_LOCALS(frame: Frame) -> None:
    frame.stack.append(frame.names)


@simple
def SETUP_ANNOTATIONS(frame: Frame) -> None:
    names = frame.globals if frame.names is None else frame.names
    if _named(names, "__annotations__") is NULL:
        names["__annotations__"] = {}
