"""Instructions that build containers and take them apart."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from replay.interpreter import protocols
from replay.interpreter.calls import call
from replay.interpreter.decode import Decoded
from replay.interpreter.execution import MAKERS, SWITCH, Instruction, simple, with_argument
from replay.interpreter.frame import NULL, Frame
from replay.interpreter.lookup import is_hashed_by_code
from replay.interpreter.ownership import is_shared
from replay.interpreter.sizes import is_short


def _taken(frame: Frame, count: int) -> list[Any]:
    """The topmost operands, which are popped."""
    stack = frame.stack
    cut = len(stack) - count
    values = stack[cut:]
    del stack[cut:]
    return values


def _builder(make: Callable[[list[Any]], Any], operands: int = 1) -> Callable[[int, Decoded], Instruction]:
    def maker(count: int, _: Decoded) -> Instruction:
        def build(frame: Frame) -> None:
            values = _taken(frame, count * operands)
            frame.stack.append(make(values))

        return build

    return maker


MAKERS["BUILD_TUPLE"] = _builder(tuple)
MAKERS["BUILD_LIST"] = _builder(list)
MAKERS["BUILD_STRING"] = _builder("".join)
MAKERS["BUILD_SLICE"] = _builder(lambda values: slice(*values))


def _has_python_hash(keys: Iterable[Any]) -> bool:
    return any(map(is_hashed_by_code, keys))


@with_argument
def BUILD_SET(count: int, _: Decoded) -> Instruction:
    def build_set(frame: Frame) -> int | None:
        items = _taken(frame, count)
        if _has_python_hash(items):
            return call(frame, set, [items], {})
        frame.stack.append(set(items))
        return None

    return build_set


@with_argument
def BUILD_MAP(count: int, _: Decoded) -> Instruction:
    def build_map(frame: Frame) -> int | None:
        values = _taken(frame, count * 2)
        pairs = zip(values[::2], values[1::2], strict=True)
        if _has_python_hash(values[::2]):
            return call(frame, dict, [list(pairs)], {})
        frame.stack.append(dict(pairs))
        return None

    return build_map


@with_argument
def BUILD_CONST_KEY_MAP(count: int, _: Decoded) -> Instruction:
    def build_const_key_map(frame: Frame) -> None:
        keys = frame.stack.pop()
        values = _taken(frame, count)
        frame.stack.append(dict(zip(keys, values, strict=True)))

    return build_const_key_map


@simple
def LIST_TO_TUPLE(frame: Frame) -> None:
    frame.stack[-1] = tuple(frame.stack[-1])


@with_argument
def LIST_APPEND(depth: int, _: Decoded) -> Instruction:
    def list_append(frame: Frame) -> None:
        value = frame.stack.pop()
        frame.stack[-depth].append(value)

    return list_append


@with_argument
def SET_ADD(depth: int, _: Decoded) -> Instruction:
    def set_add(frame: Frame) -> int | None:
        item = frame.stack.pop()
        target = frame.stack[-depth]
        if is_hashed_by_code(item):
            return call(frame, set.add, [target, item], {})
        target.add(item)
        frame.position += 1
        return None

    return set_add


@with_argument
def MAP_ADD(depth: int, _: Decoded) -> Instruction:
    def map_add(frame: Frame) -> int | None:
        value, key = frame.stack.pop(), frame.stack.pop()
        target = frame.stack[-depth]
        if is_hashed_by_code(key):
            return call(frame, dict.__setitem__, [target, key, value], {})
        target[key] = value
        frame.position += 1
        return None

    return map_add


def _merger(protocol: Any, natively: Callable[[Any, Any], Any], kinds: frozenset[type]) -> Any:
    """An instruction that puts an iterable or a mapping into a container on the stack."""

    def maker(depth: int, _: Decoded) -> Instruction:
        def merge(frame: Frame) -> int | None:
            more = frame.stack.pop()
            target = frame.stack[-depth]
            if type(more) in kinds and is_short(more) and not is_shared(frame, more):
                natively(target, more)
                frame.position += 1
                return None
            frame.execution.push(protocol, [target, more], {})
            return SWITCH

        return merge

    return maker


_SEQUENCES = frozenset({list, tuple, str, range, set, frozenset, dict, bytes})
MAKERS["LIST_EXTEND"] = _merger(protocols.extend_list, list.extend, _SEQUENCES - {set, frozenset})
MAKERS["SET_UPDATE"] = _merger(protocols.update_set, set.update, _SEQUENCES)
MAKERS["DICT_UPDATE"] = _merger(protocols.update_dictionary, dict.update, frozenset({dict}))


@with_argument
def DICT_MERGE(depth: int, _: Decoded) -> Instruction:
    """Put `**more` into the keywords of a call, whose function is further down."""

    def dict_merge(frame: Frame) -> int | None:
        stack = frame.stack
        more = stack.pop()
        target = stack[-depth]
        is_plain = type(more) is dict and not is_shared(frame, more) and all(type(key) is str for key in more)
        if is_plain and target.keys().isdisjoint(more):
            target.update(more)
            frame.position += 1
            return None
        upper, lower = stack[-depth - 2], stack[-depth - 3]
        frame.execution.push(protocols.merge_keywords, [target, more, upper if lower is NULL else lower], {})
        return SWITCH

    return dict_merge


@with_argument
def UNPACK_SEQUENCE(count: int, _: Decoded) -> Instruction:
    def unpack_sequence(frame: Frame) -> int | None:
        stack = frame.stack
        kind = type(stack[-1])
        if (kind is tuple or kind is list) and len(stack[-1]) == count and not is_shared(frame, stack[-1]):
            return None
        frame.execution.push(protocols.unpack, [stack.pop(), count], {})
        return SWITCH

    return unpack_sequence


@with_argument
def UNPACK_EX(counts: int, _: Decoded) -> Instruction:
    def unpack_ex(frame: Frame) -> int:
        frame.execution.push(protocols.unpack_with_rest, [frame.stack.pop(), counts & 255, counts >> 8], {})
        return SWITCH

    return unpack_ex


@simple
def SPREAD(frame: Frame) -> None:
    """The items of the sequence on top, the first one on top."""
    frame.stack.extend(reversed(frame.stack.pop()))
