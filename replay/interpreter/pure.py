"""Native callables which run natively: they compute a result from their arguments, and change nothing else but those.

A row names what a module holds, and stands for that object by its identity. A class is a row for its constructor and
for all of its methods. Callables which may call Python code back for some arguments have a model as well, which comes
first. Nothing here depends on time, files, processes, threads, the environment, or randomness.
"""

from __future__ import annotations

import builtins
import itertools
import re
import sys
import types
from collections import deque
from collections.abc import Iterator
from contextvars import Context
from typing import Any

from replay.interpreter.lookup import HEAP, identity

_OF_BUILTINS = """
    int float complex bool str bytes bytearray tuple frozenset list dict set range slice memoryview
    property classmethod staticmethod
    abs ascii bin callable chr divmod format hash hex isinstance issubclass len oct ord pow repr round
"""

_OF_OBJECT = """
    __dir__ __eq__ __format__ __ge__ __getstate__ __gt__ __hash__ __init__ __init_subclass__ __le__ __lt__ __ne__
    __reduce__ __repr__ __sizeof__ __str__ __subclasshook__
"""

_OF_TYPE = """
    __dir__ __init__ __instancecheck__ __or__ __prepare__ __ror__ __repr__ __sizeof__ __subclasscheck__ __subclasses__
    mro
"""

_OF_TYPES = """
    BuiltinFunctionType CellType ClassMethodDescriptorType CodeType EllipsisType FunctionType GenericAlias
    GetSetDescriptorType MappingProxyType MemberDescriptorType MethodDescriptorType MethodType MethodWrapperType
    NoneType NotImplementedType SimpleNamespace TracebackType UnionType WrapperDescriptorType
"""
"""Except `__call__` of functions, methods and descriptors, which the interpreter knows."""

_OF_MODULES: dict[str, str] = {
    "_ast": "*",
    "_abc": "_abc_init _abc_instancecheck _abc_register _abc_subclasscheck get_cache_token",
    "_bisect": "bisect_left bisect_right insort_left insort_right",
    "collections": "namedtuple",
    "dataclasses": "_process_class",
    "_codecs": "decode encode lookup lookup_error utf_8_decode utf_8_encode ascii_decode ascii_encode latin_1_decode "
    "latin_1_encode escape_decode escape_encode",
    "_collections": "_count_elements _tuplegetter OrderedDict defaultdict deque",
    "_csv": "",
    "numpy": "*",
    "numpy._core._multiarray_umath": "*",
    "numpy.core._multiarray_umath": "*",
    "posix": "fspath _path_normpath _path_splitroot _path_splitroot_ex",
    "_datetime": "date datetime time timedelta timezone tzinfo",
    "_contextvars": "ContextVar copy_context",
    "_decimal": "Context Decimal getcontext localcontext setcontext",
    "_functools": "_lru_cache_wrapper partial",
    "_io": "BytesIO StringIO",
    "_heapq": "heapify heappop heappush heappushpop heapreplace _heapify_max _heappop_max _heapreplace_max",
    "_json": "encode_basestring encode_basestring_ascii make_encoder make_scanner scanstring",
    "_operator": "*",
    "_random": "Random",
    "_sre": "ascii_iscased ascii_tolower compile unicode_iscased unicode_tolower",
    "_string": "formatter_field_name_split formatter_parser",
    "_struct": "Struct calcsize iter_unpack pack pack_into unpack unpack_from",
    "array": "array",
    "_typing": "Generic ParamSpec ParamSpecArgs ParamSpecKwargs TypeVar TypeVarTuple",
    "_weakref": "ReferenceType _remove_dead_weakref getweakrefcount getweakrefs",
    "binascii": "*",
    "errno": "",
    "math": "*",
    "cmath": "*",
    "re": "Match Pattern compile escape findall finditer fullmatch match search split sub subn template",
    "linecache": "_getline_from_code _getlines_from_code _register_code checkcache getline getlines lazycache "
    "updatecache",
    "json": "dumps loads",
    "sys": "exit getdefaultencoding getrecursionlimit getsizeof intern is_finalizing",
    "unicodedata": "*",
    "zlib": "adler32 compress crc32 decompress",
    "_hashlib": "HASH openssl_md5 openssl_sha1 openssl_sha224 openssl_sha256 openssl_sha384 openssl_sha512",
    "_blake2": "blake2b blake2s",
    "_sha512": "*",
    "_sha2": "*",
    "pathlib": "",
}
"""By module the names of its rows; "*" for all native callables that it holds."""

_MAKERS = {"_decimal": "localcontext"}
"""By module the functions that make objects of a class which is nowhere named; they run in a context of their own."""

_ITERATORS: tuple[Any, ...] = (
    [],
    (),
    deque(),
    "",
    "\N{GREEK SMALL LETTER ALPHA}",
    b"",
    bytearray(),
    range(1),
    range(1 << 80),
    list[int],
)
"""Containers whose native iterators have methods of their own."""

_OF_HOST: tuple[Any, ...] = (
    *(enumerate, zip, map, filter, reversed, types.GeneratorType, type(iter(int, 1))),
    *map(type, (iter({}), iter({}.values()), iter({}.items()), iter(set()))),
    *(each for each in vars(itertools).values() if isinstance(each, type)),
)
"""Iterators that code makes before threads begin; in threads, models stand for them."""

_NATIVE = (
    types.BuiltinFunctionType,
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
    types.ClassMethodDescriptorType,
)

_pending = dict(_OF_MODULES)
_begun: list[bool] = []


def load_rows(rows: dict[int, object]) -> bool:
    """Add the rows which are not there yet, of modules that are imported by now; returns whether there were any."""
    size = len(rows)
    if not _begun:
        _begun.append(True)
        _add(rows, _always())
    for name in [name for name in _pending if name in sys.modules]:
        _add(rows, _of_module(name, _pending.pop(name)))
    return len(rows) > size


def _add(rows: dict[int, object], callables: Iterator[object]) -> None:
    rows.update((identity(each), each) for each in callables)


def _always() -> Iterator[object]:
    yield from _held(builtins, _OF_BUILTINS)
    yield from _held(object, _OF_OBJECT)
    yield from _held(type, _OF_TYPE)
    yield from _held(types, _OF_TYPES)
    yield from _held(reversed, "__iter__ __length_hint__ __next__")
    views: tuple[Any, ...] = ({}.keys(), {}.values(), {}.items(), reversed([]), re.compile("").scanner(""))  # type: ignore[attr-defined]
    yield from map(type, views)
    for kind in _OF_HOST:
        yield from _held(kind, "__iter__ __next__ send throw close")
    yield from (type(iter(each)) for each in _ITERATORS)
    for each in vars(builtins).values():
        if isinstance(each, type) and issubclass(each, BaseException):
            yield each


def _of_module(name: str, names: str) -> Iterator[object]:
    module = sys.modules[name]
    if names == "*":
        return (each for each in vars(module).values() if type(each) in _NATIVE or _is_of_c(each))
    return itertools.chain(_held(module, names), (type(Context().run(make)) for make in _makers(module, name)))


def _is_of_c(thing: object) -> bool:
    """Returns True for a class that no statement `class` has made."""
    return isinstance(thing, type) and not (thing.__flags__ & HEAP and isinstance(vars(thing).get("__dict__"), _SLOT))


_SLOT = types.GetSetDescriptorType


def _makers(module: types.ModuleType, name: str) -> Iterator[Any]:
    return _held(module, _MAKERS.get(name, ""))


def _held(home: object, names: str) -> Iterator[object]:
    """The objects which a module or class has for these names; a name that this version of Python lacks is left out."""
    return (vars(home)[name] for name in names.split() if name in vars(home))
