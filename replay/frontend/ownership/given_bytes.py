"""Native code that is given shared bytearrays. It would find an empty one, so all that is not known here is refused."""

from __future__ import annotations

import sys
from array import array
from collections import OrderedDict, defaultdict, deque
from functools import partial
from types import (
    BuiltinFunctionType,
    ClassMethodDescriptorType,
    FunctionType,
    MethodDescriptorType,
    SimpleNamespace,
    WrapperDescriptorType,
)
from typing import Any, NoReturn

from replay.code.belonging import is_of_checker
from replay.code.running_thread import refuse
from replay.frontend.ordinary import changes
from replay.frontend.ordinary.asking import WAYS, Way
from replay.frontend.ordinary.byte_arrays import borrowed, is_shared_bytes, locked_bytes
from replay.frontend.ordinary.changes import identity_of_container, looked_at
from replay.frontend.ordinary.contents import base_of
from replay.frontend.ownership.containers import method_of_native
from replay.frontend.ownership.converted import Converted
from replay.interpreter.lookup import METHODS_OF_C, identity, lookup, namespace_of
from replay.interpreter.natives import model_of

_KEEPING = frozenset(
    identity(namespace_of(kind)[name])
    for kinds, names in (
        ([list, deque], "append appendleft insert"),
        ([dict, OrderedDict, defaultdict], "__setitem__ setdefault get pop"),
        ([object], "__init__ __new__ __setattr__ __reduce_ex__ __format__"),
        ([FunctionType, MethodDescriptorType, WrapperDescriptorType, ClassMethodDescriptorType], "__get__"),
    )
    for kind in kinds
    for name in names.split()
    if name in namespace_of(kind)
) | frozenset(
    map(identity, (isinstance, issubclass, type, id, callable, hash, super, getattr, setattr, hasattr, partial))
)
"""Native code that passes on or keeps what it is given, and looks at its class at most."""

_BY_METHOD = {identity(len): "__len__", identity(repr): "__repr__"}

_OF_TEXTS: tuple[type, ...] = (bytes, bytearray)

_TAKING = frozenset(map(identity, (array, bytes, bytearray, int, float, ord, namespace_of(int)["from_bytes"])))
"""Functions and classes that ask what they are given for a buffer, and have let go of it when they return."""

_OF_MODULES = {
    "_struct": "unpack unpack_from pack",
    "binascii": "a2b_base64 b2a_base64 a2b_hex b2a_hex hexlify unhexlify crc32",
    "zlib": "adler32 compress crc32 decompress",
    "_codecs": "decode utf_8_decode ascii_decode latin_1_decode escape_decode",
    "re": "findall fullmatch match search split",
    "_hashlib": "openssl_md5 openssl_sha1 openssl_sha224 openssl_sha256 openssl_sha384 openssl_sha512",
}
_OF_CLASSES = (("_struct", "Struct"), ("re", "Pattern"), ("_hashlib", "HASH"), ("_io", "BytesIO"))


def _takes(native: Any) -> bool:
    """Returns whether native code asks for buffers, and has let go of them when it returns."""
    if identity(native) in _TAKING:
        return True
    if type(native) in METHODS_OF_C:
        kinds = (getattr(sys.modules.get(home), name, None) for home, name in _OF_CLASSES)
        return native.__objclass__ in _OF_TEXTS or (
            any(native.__objclass__ is kind for kind in kinds) and native.__name__ not in _CHANGING_THEM
        )
    if type(native) in (BuiltinFunctionType, FunctionType):
        home = sys.modules.get(str(native.__module__))
        names = _OF_MODULES.get(str(native.__module__), "").split()
        return native.__name__ in names and getattr(home, native.__name__, None) is native
    return False


_CHANGING_THEM = frozenset({"readinto", "readinto1", "pack_into", "iter_unpack", "scanner", "finditer", "sub", "subn"})
"""Methods that write into a buffer, go on to look at it, or call code."""


def instead_of_buffer(native: Any, arguments: list[Any]) -> Any:
    """Returns what is called in the place of native code that is given a shared bytearray; None for that code."""
    first = arguments[0]
    if type(native) in METHODS_OF_C and is_shared_bytes(first):
        base: Any = base_of(type(first))
        if (found := method_of_native(base, native)) is not None:
            return found
        if native.__objclass__ is bytearray:
            _refuse(native, arguments)
    if identity(native) in _KEEPING or is_of_checker(native) or _makes_error(native):
        return None
    if native is memoryview:
        refuse(
            f"{_shared_one(arguments)} is shared, and a memoryview would read and change it past what mcr sees: use "
            "its methods, or make the memoryview of a copy"
        )
    if native is bytearray.__setitem__:
        return Converted(native, locked_bytes)
    if native is list.__setitem__ and type(arguments[1]) is not slice:
        return None
    if native is str:
        return _Borrowing(native) if len(arguments) > 1 else model_of(native)
    if type(native) in METHODS_OF_C and native.__objclass__ is str:
        return model_of(native)  # no method of a text asks for a buffer
    if _takes(native):
        return _Borrowing(native)
    if (name := _BY_METHOD.get(identity(native))) is not None:
        return lookup(type(first), name)
    if WAYS.get(id(native)) in (Way.ALL, Way.PLAIN):
        return Converted(native, _byte_by_byte)
    model = model_of(native)
    if model is None and not _knows_no_buffers(native):
        _refuse(native, arguments)
    return model


def _knows_no_buffers(native: Any) -> bool:
    """Returns whether it is an operator of numbers, lists and the like, which says that it does not know bytes."""
    return type(native) is WrapperDescriptorType and native.__objclass__ in _OTHERS and native.__name__ in _OPERATORS


_OTHERS: tuple[type, ...] = (int, float, complex, type(None), list, tuple, dict, set, frozenset, range, deque, object)
_OPERATORS = frozenset(
    f"__{reflected}{name}__"
    for reflected in ("", "r")
    for name in ("add", "sub", "mul", "mod", "and", "or", "xor", "eq", "ne", "lt", "le", "gt", "ge")
)


def check_keywords(native: Any, keywords: dict[str, Any]) -> None:
    """Refuse native code that is given a shared bytearray by a keyword, but for what keeps it as it is."""
    shared = [each for each in keywords.values() if is_shared_bytes(each)]
    keeps = native in (dict, OrderedDict, SimpleNamespace, partial) or identity(native) in _KEEPING
    if shared and not (keeps or is_of_checker(native)):
        _refuse(native, shared)


def _refuse(native: Any, arguments: Any) -> NoReturn:
    shared = _shared_one(arguments)
    refuse(f"{native.__name__} is written in C, and looks into {shared}, which is shared: give it a copy")


def _shared_one(arguments: Any) -> object:
    return next(identity_of_container(each) for each in arguments if is_shared_bytes(each))


def _makes_error(native: Any) -> bool:
    return isinstance(native, type) and issubclass(native, BaseException) and not issubclass(native, UnicodeError)


class _Borrowing:
    """Native code that asks for buffers: it is given the bytes of shared bytearrays."""

    def __init__(self, native: Any) -> None:
        self.native = native

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        return self.native(*borrowed(arguments), **keywords)


def _byte_by_byte(value: Any) -> Any:
    """Interpreted: a shared bytearray as its iterator gives it: step by step, but under a global lock at once."""
    if not is_shared_bytes(value):
        return value
    if changes.others_look_between():
        return [byte for byte in value]  # noqa: C416  `[*value]` would come here again
    return looked_at(value)
