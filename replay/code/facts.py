"""Facts about code that its bytecode tells before it runs: lookups, uses as values, and ends.

One walk along the instructions of each code object, kept for good. It follows what they put on the stack, as far as
that is spelled by names, attributes and indices, and finds who takes it from there. What the names stand for is another
question, which needs the function (`replay.code.names.stands_for`, `replay.code.slips`), so the answer is the same
for every run.
"""

from __future__ import annotations

import enum
import functools
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import CodeType
from typing import Any, NamedTuple

from replay.interpreter.decode import Decoded, decode, following
from replay.interpreter.liveness import READS, WRITES
from replay.interpreter.rewritten import as_written

Path = tuple[str | None, ...]
"""A name, and what is looked up from there on: attributes, None for an index."""

NOT_CONSTANT: Any = object()


class Use(NamedTuple):
    """Names that code looks up one after the other, with dots between: `time.sleep` in line 7.

    root  "global", "free" for a variable of a function around it, "import" for a module that code imports itself
    """

    names: tuple[str, ...]
    root: str
    line: int

    def __str__(self) -> str:
        return ".".join(filter(None, self.names))

    @property
    def owner(self) -> Use:
        """The thing in which the last of the names is looked up."""
        return self._replace(names=self.names[:-1])

    def beginnings(self) -> Iterator[Use]:
        """Yields the lookups on the way: `time`, `time.sleep`."""
        return (self._replace(names=self.names[:count]) for count in range(1, len(self.names) + 1))


class Item(NamedTuple):
    """Something on the stack.

    path       how it is spelled, () if nobody knows
    is_called  it is the result of that function or method
    constant   what it is if the code says so
    variable   the local variable that it comes from, if that is assigned to more than once
    use        the same as `path` if that begins outside of the function
    """

    path: Path
    is_called: bool = False
    constant: Any = NOT_CONSTANT
    variable: str = ""
    use: Use | None = None

    @property
    def text(self) -> str:
        """The path as its author wrote it, nearly."""
        first, *rest = self.path
        return str(first) + "".join("[...]" if part is None else f".{part}" for part in rest)

    @property
    def is_loaded(self) -> bool:
        """True if it is spelled as what an operation on memory returns."""
        return self.is_called and len(self.path) > 1 and self.path[-1] in _LOADING

    @property
    def is_telling(self) -> bool:
        """True if it may be a slip to take this for a value: an attribute, or what a method of `x.op` returned."""
        path = self.path
        return len(path) > 1 and path[-1] is not None and (not self.is_called or path[-2] == "op")

    def element(self) -> Item:
        """The item that an index, or a loop, gets of it."""
        return Item((*self.path, None)) if self.path and not self.is_called else _UNKNOWN


_UNKNOWN = Item(())
_LOADING = ("load", "exchange", "update", "join", "get", "result")
"""Methods that return what memory holds, or what a thread returned."""


class How(enum.Enum):
    """The uses of a thing that code takes."""

    VALUE = "takes it for a value"
    IDENTITY = "compares two by `is`"
    TYPE = "asks for its type"


class UseSite(NamedTuple):
    """A use of something in code: two items if it compares them by `is`, one otherwise."""

    how: How
    items: tuple[Item, ...]
    line: int

    @property
    def tells_apart(self) -> bool:
        """True if it compares by identity what may be there more than once."""
        return self.how is How.IDENTITY and not any(isinstance(item.constant, _SINGLE) for item in self.items)


_SINGLE = (type(None), bool, type(Ellipsis))
"""Types of constants that are there once."""


@dataclass(frozen=True)
class Facts:
    """Of code and all functions inside it; `places` are those in the code itself.

    places       where it takes something, in a way that may be a slip
    comparisons  what they compare by identity
    uses         what they look up, as far as names follow each other
    sets         attributes that they set or delete, of what they look up so
    globals      the global variables that they use, and what bodies of classes bind
    set_globals  the global variables to which they assign, or which they delete
    looked_up    all names that they use for anything but local variables
    names        names of attributes and variables, and texts, which may be such
    spelled      names that they load, and texts, which may be names for `getattr`
    assigned     variables to which they assign
    ends         whether a generator among them has something to do when it is given up
    """

    places: tuple[UseSite, ...]
    comparisons: tuple[UseSite, ...]
    uses: tuple[Use, ...]
    sets: tuple[Use, ...]
    globals: tuple[str, ...]
    set_globals: frozenset[str]
    looked_up: tuple[str, ...]
    names: frozenset[str]
    spelled: frozenset[str]
    assigned: frozenset[str]
    ends: bool


@functools.cache
def facts(code: CodeType) -> Facts:
    """Returns the facts about some code."""
    walks = list(_walks(code, {}))
    all_codes = [walk.code for walk in walks]
    looked_up = tuple(dict.fromkeys(name for each in all_codes for name in each.co_names))
    ending = (each.co_name for each in all_codes if each.co_name == "__del__")
    return Facts(
        places=walks[0].places,
        comparisons=tuple(place for walk in walks for place in walk.places if place.tells_apart),
        uses=tuple(use for walk in walks for use in walk.uses),
        sets=tuple(use for walk in walks for use in walk.sets),
        globals=tuple(dict.fromkeys(name for walk in walks for name in walk.globals)),
        set_globals=frozenset(name for walk in walks for name in walk.set_globals),
        looked_up=looked_up,
        names=frozenset((*looked_up, *ending, *(text for each in all_codes for text in _texts(each.co_consts)))),
        spelled=frozenset(name for walk in walks for name in walk.spelled),
        assigned=frozenset(name for walk in walks for name in walk.stored),
        ends=any(_has_end(walk.decoded) for walk in walks),
    )


def _walks(code: CodeType, imported: dict[str, Use]) -> Iterator[_CodeWalk]:
    """Along the code, and that of functions inside it, which know by local names what was imported outside."""
    walk = _CodeWalk(code, dict(imported))
    yield walk
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _walks(each, walk.imported)


def _texts(constants: Iterable[object]) -> Iterator[str]:
    for constant in constants:
        if isinstance(constant, str):
            yield constant
        elif isinstance(constant, tuple | frozenset):
            yield from _texts(constant)


def codes(code: CodeType) -> Iterator[CodeType]:
    """The code, and that of the functions inside it."""
    yield code
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from codes(each)


def has_with(code: CodeType) -> bool:
    """Returns whether there is a `with` in code, or in functions inside it."""
    decoded = (decode(as_written(each)) for each in codes(code))
    return any(name in ("BEFORE_WITH", "LOAD_SPECIAL") for each in decoded for name, _ in each.steps)


@functools.cache
def rebound(code: CodeType) -> frozenset[str]:
    """The variables of functions around it that code assigns, or functions inside it do."""
    found = decode(as_written(code))
    own = frozenset(found.names[part] for name, part in found.steps if name in ("STORE_DEREF", "DELETE_DEREF"))
    inner = (rebound(each) for each in code.co_consts if isinstance(each, CodeType))
    return own.union(*inner) & frozenset(code.co_freevars)


def _has_end(found: Decoded) -> bool:
    """Returns whether a generator has a handler around a `yield` that Python did not put there itself."""
    yields = (handler for (name, _), handler in zip(found.steps, found.handlers, strict=True) if name == "YIELD_VALUE")
    return any(handler is not None and found.steps[handler.target][0] not in _OF_PYTHON for handler in yields)


_OF_PYTHON = ("CLEANUP_THROW", "STOPITERATION_ERROR")
"""Instructions that begin handlers which all generators have since Python 3.12, or all that use `yield from`."""

# -- the walk --------------------------------------------------------------------

_ROOTS = {
    **dict.fromkeys(("LOAD_GLOBAL", "LOAD_NAME"), "global"),
    **dict.fromkeys(("LOAD_DEREF", "LOAD_FROM_DICT_OR_DEREF"), "free"),
}
_ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD")
_NO_NAMES = ("LOAD_CONST", "LOAD_SUPER", *_ATTRIBUTES)
_LOADS_OF_ITS_OWN = ("LOAD_FAST", "LOAD_FAST_AND_CLEAR")
"""Of local variables, which are no names of what an object has."""

_READ = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_FAST")
_NOTHING = ("NOP", "FOR_END", "MAKE_CELL", "COPY_FREE_VARS")
_TESTS = ("TRUTH", "JUMP_IF", "JUMP_IF_NONE")
_TAKING = {
    **dict.fromkeys(("COMPARE_OP", "BINARY_OP", "BINARY_SUBSCR", "CONTAINS_OP"), (2, 1)),
    **dict.fromkeys(("UNARY_OP", "TRUTH", "NEGATE", "GET_ITER", "BEFORE_WITH"), (1, 1)),
    "LOAD_SPECIAL": (1, 2),  # what `with` looks up, from 3.14 on
    **dict.fromkeys(("POP_TOP", "JUMP_IF", "JUMP_IF_NONE"), (1, 0)),
}
"""Instructions that take what is on the stack for a value: how much of it, and how much they put there."""

_OF_SLOTS = READS | WRITES
"""Instructions whose argument is a slot of the frame."""

_ASKING = (("isinstance",), ("type",))
"""Functions that ask for the type of their first argument."""


class _CodeWalk:
    """One walk along the instructions of one code object, which is over when this is made."""

    def __init__(self, code: CodeType, imported: dict[str, Use]) -> None:
        """`imported` says what local names stand for that functions around it import; what this one does is added."""
        self.decoded = found = decode(as_written(code))
        self.code = code = found.code
        self.imported = imported
        self.uses: list[Use] = []
        self.sets: list[Use] = []
        self.globals: list[str] = []
        self.set_globals: set[str] = set()
        self.spelled: list[str] = []
        named = [(name, found.names[part] if name in _OF_SLOTS else part) for name, part in found.steps]
        jumps = (to for place, step in enumerate(found.steps) for to in following(step, place) if to != place + 1)
        targets = {*jumps, *(handler.target for handler in found.handlers if handler is not None)}
        self.stored = Counter(str(argument) for name, argument in named if _stores(name))
        self._line = code.co_firstlineno
        self._module = Use((), "import", self._line)
        self._cells = (*code.co_cellvars, *code.co_freevars)
        self._parameters = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        self._chain: Use | None = None
        """What the instruction before has looked up."""
        self._stack: list[Item] = []
        self._locals: dict[str, Item] = {}
        self._loaded: dict[str, Item] = {}
        self._asked: list[UseSite] = []
        before = ""
        constants: tuple[object, object] = (None, None)
        """What the two instructions before load; before an import, how far up it begins and what it takes."""
        for place, (name, argument) in enumerate(named):
            if name in _NOTHING:
                continue
            self._line = found.lines[place]
            self._level = constants[0] if isinstance(constants[0], int) else 0
            constants = constants[1], argument
            self._note_names(name, argument)
            self._follow_chain(name, argument, is_copied=before == "COPY")
            if place in targets and name != "FOR":
                self._stack.clear()  # from elsewhere there may come something else
            self._do(name, argument, is_copied=before == "COPY")
            before = name
        self.places = tuple(
            place._replace(items=tuple(self._loaded.get(item.variable, item) for item in place.items))
            for place in self._asked
        )

    def _note_names(self, operation: str, name: Any) -> None:
        if operation.endswith(("_GLOBAL", "_GLOBALS", "_NAME")) and operation != "IMPORT_NAME":
            self.globals.append(name)
        if operation in ("STORE_GLOBAL", "DELETE_GLOBAL"):
            self.set_globals.add(name)
        is_loaded = operation.startswith(("LOAD_", "IMPORT_")) and operation not in _LOADS_OF_ITS_OWN
        if is_loaded and isinstance(name, str):
            self.spelled.append(name)

    # -- names that follow each other --

    def _follow_chain(self, operation: str, name: Any, *, is_copied: bool) -> None:
        chain = self._chain
        if chain is not None and operation in (*_ATTRIBUTES, "STORE_ATTR", "DELETE_ATTR"):
            longer = chain._replace(names=(*chain.names, name), line=self._line)
            is_read = operation in _ATTRIBUTES
            if not is_read or is_copied:  # as `module.x += 1` copies the module first
                self.sets.append(longer)
            self._chain = longer if is_read else None
            return
        if chain is not None and operation == "COPY":
            return
        if chain is not None:
            self._end_chain(chain, operation, name, is_copied=is_copied)
        self._chain = self._begin_chain(operation, name)

    def _begin_chain(self, operation: str, name: Any) -> Use | None:
        """Returns what an instruction looks up first, if anything."""
        if operation == "IMPORT_NAME":
            self._module = Use(("." * self._level + name,), "import", self._line)
            return self._module
        if operation == "IMPORT_FROM":
            return Use((*self._module.names, name), "import", self._line)
        if operation.startswith("LOAD_") and operation not in _NO_NAMES:
            if name in self.imported and (operation != "LOAD_FAST" or name not in self._cells):
                return self.imported[name]._replace(line=self._line)
            return Use((name,), _ROOTS[operation], self._line) if operation in _ROOTS else None
        return None

    def _end_chain(self, chain: Use, operation: str, name: Any, *, is_copied: bool) -> None:
        """A chain is complete; where an import binds a local name to it, it goes on wherever that name is used."""
        if chain.root == "import" and operation in ("STORE_FAST", "STORE_DEREF", "STORE_NAME"):
            is_package = chain.names[0].startswith(f"{name}.")
            self.imported[name] = chain._replace(names=(name,)) if is_package else chain
        elif operation in _TESTS and not (is_copied and operation == "TRUTH"):
            self.uses.append(chain._replace(names=(*chain.names, "")))  # a module is only asked whether it is there
        elif operation != "IMPORT_FROM":
            self.uses.append(chain)

    # -- the stack --

    def _do(self, name: str, argument: Any, *, is_copied: bool) -> None:
        """Let an instruction do its work; `is_copied`: the one before has copied what it takes."""
        if name in _READ:
            self._push(self._read(argument))
        elif name in _ATTRIBUTES:
            self._push(self._attribute(self._pop(), argument), *([_UNKNOWN] if name == "LOAD_METHOD" else []))
        elif name in ("LOAD_CONST", "PUSH_NULL"):
            self._push(_UNKNOWN if name == "PUSH_NULL" else Item((), constant=argument))
        elif name in ("COPY", "SWAP") and argument <= len(self._stack):
            if name == "COPY":
                self._push(self._stack[-argument])
            else:
                self._stack[-1], self._stack[-argument] = self._stack[-argument], self._stack[-1]
        elif name in ("CALL", "CALL_KW"):
            if name == "CALL_KW":
                self._pop()  # the names
            self._call(argument)
        elif name in ("STORE_FAST", "STORE_DEREF"):
            self._store(argument)
            if name == "STORE_DEREF":
                self._push(_UNKNOWN)
        elif name == "FOR":
            self._push(self._stack[-1].element() if self._stack else _UNKNOWN)
        elif name == "IS_OP":
            right, left = self._pop(), self._pop()
            self._ask(How.IDENTITY, left, right)
            self._push(_UNKNOWN)
        elif name in _TAKING:
            self._take(name, is_copied=is_copied)
        else:
            if name.startswith("MATCH_"):
                self._ask(How.TYPE, (self._stack[-3:] or [_UNKNOWN])[0] if name == "MATCH_CLASS" else self._pop())
            self._stack.clear()

    def _take(self, name: str, *, is_copied: bool) -> None:
        """Let an instruction take what is there for a value."""
        count, puts = _TAKING[name]
        taken = [self._pop() for _ in range(count)]
        if name.endswith("_NONE"):
            if is_copied:  # the subject of a `match`
                self._ask(How.TYPE, *taken)
            else:
                self._ask(How.IDENTITY, *taken, Item((), constant=None))
        for item in taken:
            if item.is_telling:
                self._ask(How.VALUE, item)
        made = {"BINARY_SUBSCR": taken[-1].element(), "GET_ITER": taken[-1]}.get(name, _UNKNOWN)
        self._push(*[made] * puts)

    def _ask(self, how: How, *items: Item) -> None:
        self._asked.append(UseSite(how, items, self._line))

    def _push(self, *items: Item) -> None:
        self._stack.extend(items)

    def _pop(self) -> Item:
        return self._stack.pop() if self._stack else _UNKNOWN

    def _read(self, name: str) -> Item:
        item = self._locals.get(name) or (Item((), variable=name) if self.stored[name] else Item((name,)))
        return item._replace(use=self._chain)

    def _attribute(self, owner: Item, name: str) -> Item:
        path = (*owner.path, name) if owner.path and not owner.is_called else ()
        return Item(path, use=self._chain if owner.use is not None else None)

    def _call(self, arguments: int) -> None:
        taken = [self._pop() for _ in range(arguments + 2)]
        path = taken[-1].path or taken[-2].path  # where nothing belongs beside it, that is below or above it
        if path[-1:] in _ASKING and arguments:
            self._ask(How.TYPE, taken[arguments - 1])
        self._push(Item(path, is_called=True) if path else _UNKNOWN)

    def _store(self, name: str) -> None:
        item = self._pop()
        if item.is_loaded:
            self._loaded[name] = item
        if item.path and self.stored[name] == 1 and name not in self._parameters:
            self._locals[name] = item


def _stores(operation: str) -> bool:
    """Returns whether an instruction assigns to a variable."""
    return operation.startswith(("STORE_", "DELETE_")) and not operation.endswith("_ATTR")
