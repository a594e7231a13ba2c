"""Objects of ordinary classes as shared memory: a class made of the user's own, whose attributes are cells.

The class has the user's one as its first base, so methods, properties and what
these overrule are what they were. Below it, in the place of `object`, stands
one that loads and stores where attributes are read and set.
"""

from __future__ import annotations

import functools
from types import FunctionType, MemberDescriptorType
from typing import Any, NoReturn

from replay.code.facts import facts
from replay.code.ordinary import MARK, class_of_shared
from replay.code.running_thread import refuse
from replay.frontend.ordinary.class_cells import ClassCell, class_is_made
from replay.frontend.ordinary.identity import KEY, Identity, first_slot
from replay.frontend.ordinary.values import UNSET
from replay.world.anatomy import EMPTY, filled_slots, held_by_class, is_written_in_python, slots_of
from replay.world.values import same


class Attributes:
    """What `vars(thing)` is of a shared object. Which attributes there are nobody can ask: that is no location."""

    __slots__ = ("_identity", "_thing")

    __class__: type = property(lambda self: dict)  # type: ignore[assignment]

    def __init__(self, thing: object, identity: Identity) -> None:
        self._thing = thing
        self._identity = identity

    def _load(self, name: str) -> Any:
        identity = self._identity
        varies = identity.heap.varies(type(self._thing), name)
        held = identity.load(name) if varies else identity.content.get(name, UNSET)
        return held if held is UNSET else identity.heap.thaw(held)

    def get(self, name: str, default: Any = None) -> Any:
        held = self._load(name)
        return default if held is UNSET else held

    def __getitem__(self, name: str) -> Any:
        held = self._load(name)
        if held is UNSET:
            raise KeyError(name)
        return held

    def __contains__(self, name: str) -> bool:
        return self._load(name) is not UNSET

    def __setitem__(self, name: str, value: object) -> None:
        self._identity.store(name, self._frozen(name, value))

    def __delitem__(self, name: str) -> None:
        self.pop(name)

    def setdefault(self, name: str, value: object = None) -> Any:
        identity = self._identity
        frozen = self._frozen(name, value)
        return identity.heap.thaw(identity.set_default(name, frozen))

    def pop(self, name: str, *default: Any) -> Any:
        identity = self._identity
        held = identity.remove(name) if identity.heap.varies(type(self._thing), name) else self._load(name)
        if held is not UNSET:
            return identity.heap.thaw(held)
        if not default:
            raise KeyError(name)
        return default[0]

    def _frozen(self, name: str, value: object) -> Any:
        """What memory holds for a value that is to be set."""
        heap = self._identity.heap
        if not heap.varies(type(self._thing), name):
            self._refuse(f"sets {name!r}, which no code was seen to set")
        return heap.freeze(value, name)

    def __getattr__(self, name: str) -> Any:
        self._refuse(f"asks for its {name}")

    def __iter__(self) -> Any:
        self._refuse("goes through all attributes")

    def __len__(self) -> int:
        return int(self._refuse("counts all attributes"))

    def _as_a_whole(self, *_: object) -> Any:
        self._refuse("compares, copies, shows or joins it as a whole")

    __eq__ = __ne__ = __or__ = __ror__ = __ior__ = __copy__ = __deepcopy__ = __reduce_ex__ = __repr__ = _as_a_whole
    __hash__ = None  # type: ignore[assignment]

    def _refuse(self, what: str) -> Any:
        refuse(f"code that uses {self._identity}.__dict__ {what}: name the attributes, as in {self._identity}.x")


_PYTHONS, _CONSTANT, _CELL = range(3)
"""How an attribute is read: as Python reads it, as what it was at first, or by a load."""

_OF_EVERY_OBJECT = frozenset({*vars(object), "__dict__", "__weakref__", "__slots__", "__module__", "__annotations__"})
"""Names under which Python itself has something for every object."""

_PLAIN_METHODS = (FunctionType, staticmethod, classmethod)


class SharedObject:
    """What stands for `object` below a class whose objects are shared."""

    __slots__ = ()

    def __getattribute__(self, name: str) -> Any:
        if name == "__class__":  # whoever asks an object what it is need not be a thread
            return class_of_shared(type(self))
        identity = identity_of_object(self)
        plan = identity.plans.get(name)
        if plan is None:
            plan = identity.plans[name] = _plan(identity, type(self), name)
        if plan == _PYTHONS:
            return _pythons(self, identity, name)
        held = identity.content[name] if plan == _CONSTANT else identity.load(name)
        if held is UNSET:
            return _pythons(self, identity, name)
        return identity.heap.thaw(held)

    def __setattr__(self, name: str, value: object) -> None:
        if name in ("__dict__", "__class__"):
            refuse(f"{identity_of_object(self)} is shared: it cannot be given another {name}")
        if _is_pythons(type(self), name):
            object.__setattr__(self, name, value)
            return
        identity = identity_of_object(self)
        if name in _OF_EVERY_OBJECT:
            refuse(f"{identity} is shared: an attribute of an object cannot be called {name} then, choose another name")
        frozen = identity.heap.freeze(value, name)
        if varies(self, identity, name, frozen):
            identity.store(name, frozen)

    def __delattr__(self, name: str) -> None:
        if _is_pythons(type(self), name):
            object.__delattr__(self, name)
            return
        identity = identity_of_object(self)
        varies(self, identity, name, UNSET)
        if identity.remove(name) is UNSET:
            raise AttributeError(f"{class_of_shared(type(self)).__name__!r} object has no attribute {name!r}")

    def __dir__(self) -> Any:
        refuse(f"{identity_of_object(self)} is shared, and dir() asks for all its attributes: name the attributes")

    def __reduce_ex__(self, protocol: Any) -> Any:
        refuse(f"{identity_of_object(self)} is shared, and cannot be copied or pickled as a whole: copy what it holds")


def identity_of_object(thing: object) -> Identity:
    """The identity of an object whose class is one made here."""
    slot = _slots.get(type(thing))
    identity: Identity
    if slot is not None:
        identity = slot.__get__(thing)
        return identity
    held = object.__getattribute__(thing, "__dict__")
    identity = held[KEY]
    if len(held) > 1:
        _refuse_set(identity, next(each for each in held if each != KEY))
    return identity


def check_untouched(thing: object) -> None:
    """Refuse an object that was changed where nobody sees it."""
    own = _slots.get(type(thing))
    identity = None if own is None else own.__get__(thing)
    if own is not None and not isinstance(identity, Identity):
        _refuse_set(f"an object of class {type(thing).__name__}", own.__name__)
    identity = identity_of_object(thing)
    for slot in _own_slots(type(thing)):
        if slot is not own and filled_slots(thing, [slot])[0] is not EMPTY:
            _refuse_set(identity, slot.__name__)


def _refuse_set(identity: object, name: str) -> NoReturn:
    refuse(f"{identity}.{name} is set behind the back of its class (object.__setattr__?), where nobody sees it")


_slots: dict[type, MemberDescriptorType] = {}
"""Where objects of a shared class that have no dictionary keep their identity."""


def become_shared(thing: Any, identity: Identity) -> None:
    """Let an object be the one of that identity; it holds nothing else from now on."""
    before: Any = type(thing)
    kind = shared_class(before)
    keep_identity(thing, kind, identity)
    object.__setattr__(thing, "__class__", kind)


def keep_identity(thing: Any, kind: Any, identity: Identity) -> None:
    """Let an object have its identity where its attributes were, of which `kind` is to be the class."""
    slot = first_slot(kind) if _has_no_dictionary(kind) else None
    for each in _own_slots(kind):
        try:
            each.__delete__(thing)
        except AttributeError:
            continue
    if slot is None:
        held = object.__getattribute__(thing, "__dict__")
        held.clear()
        held[KEY] = identity
    else:
        slot.__set__(thing, identity)


@functools.cache
def shared_class(kind: Any) -> Any:
    """The class of shared objects made of a class. Refuses one that overrules how all its attributes are read."""
    if not has_attributes(kind):
        refuse(f"an object of class {kind.__name__} cannot be shared: it has no attributes")
    return class_made_of(kind, (SharedObject,), type(kind))


def has_attributes(kind: type) -> bool:
    """Whether objects of a class can have attributes of their own."""
    return not _has_no_dictionary(kind) or first_slot(kind) is not None


def class_made_of(kind: Any, below: tuple[type, ...], class_of_classes: Any) -> Any:
    """The class of shared objects that is made of a class, and of those in which Python looks after it."""
    if any(_reads_past(vars(each).get("__getattribute__")) for each in kind.__mro__ if is_written_in_python(each)):
        refuse(
            f"an object of class {kind.__name__} cannot be shared: the class has a __getattribute__ of its own that "
            "goes past that of its bases: write super().__getattribute__(...)"
        )
    members: dict[str, Any] = {
        "__slots__": (),
        MARK: kind,
        "__module__": kind.__module__,
        "__qualname__": kind.__qualname__,
    }
    members["__new__"] = lambda _, *args, **kwargs: kind(*args, **kwargs)
    """`type(self)(...)` makes an object like `self`, and of one thread."""
    if hasattr(kind, "__del__"):
        members["__del__"] = _not_at_the_end
    with class_is_made(kind.__name__):
        made = class_of_classes(kind.__name__, (kind, *below), members)
    for name in [each for each in vars(made) if isinstance(_in_class(kind, each), ClassCell)]:
        type.__delattr__(made, name)  # what a base has set in its new subclass
    made.__doc__ = kind.__doc__
    slot = first_slot(made)
    if _has_no_dictionary(made) and slot is not None:
        _slots[made] = slot
    return made


def _reads_past(method: Any) -> bool:
    """Whether a class reads attributes of its objects in a way of its own, and not, in the end, as its bases do."""
    if method is None:
        return False
    used = facts(method.__code__).names if isinstance(method, FunctionType) else {"object"}
    return "object" in used or "super" not in used


def _not_at_the_end(_: object) -> None:
    """A shared object is in memory: it does not end where one that stands for it does."""


def held_by(thing: object) -> dict[str, Any]:
    """The attributes that an object that is not shared has by itself, those of its slots included."""
    slots = _own_slots(type(thing))
    filled = zip(slots, filled_slots(thing, slots), strict=True)
    held: dict[str, Any] = {slot.__name__: value for slot, value in filled if value is not EMPTY}
    if not _has_no_dictionary(type(thing)):
        held |= object.__getattribute__(thing, "__dict__")
    return held


def _own_slots(kind: type) -> list[MemberDescriptorType]:
    """Those that classes written in Python give an object: what C code keeps there is no attribute."""
    return [each for each in slots_of(kind) if is_written_in_python(each.__objclass__)]


def _has_no_dictionary(kind: type) -> bool:
    return not kind.__dictoffset__


def _in_class(kind: type, name: str) -> Any:
    return held_by_class(kind.__mro__, name, UNSET)


def _is_pythons(kind: type, name: str) -> bool:
    """Whether to set an attribute is not to set a part of the object: it is a property, or the like."""
    found = _in_class(kind, name)
    if found is UNSET or type(found) is MemberDescriptorType:
        return found is UNSET and _has_no_dictionary(kind)
    return hasattr(type(found), "__set__") or hasattr(type(found), "__delete__")


def _plan(identity: Identity, kind: type, name: str) -> int:
    found, has = _in_class(kind, name), name in identity.content
    if name in _OF_EVERY_OBJECT:
        return _PYTHONS
    if _is_pythons(kind, name) or (isinstance(found, _PLAIN_METHODS) and not has):
        return _PYTHONS
    if identity.heap.varies(kind, name):
        return _CELL
    return _CONSTANT if has else _PYTHONS


def _pythons(thing: object, identity: Identity, name: str) -> Any:
    """What Python finds, if not in the object itself."""
    kind = type(thing)
    if name == "__dict__" and not _has_no_dictionary(kind):
        return Attributes(thing, identity)
    if type(_in_class(kind, name)) is MemberDescriptorType:
        raise AttributeError(f"{class_of_shared(kind).__name__!r} object has no attribute {name!r}")
    return object.__getattribute__(thing, name)


def varies(thing: object, identity: Identity, name: str, value: object) -> bool:
    """Whether to set an attribute to a value changes memory: not if it is that for ever.

    Refuses another value where no code was seen that sets the attribute, which has no cell then.
    """
    kind = type(thing)
    if isinstance(_in_class(kind, name), _PLAIN_METHODS) and name not in identity.content:
        refuse(f"{identity}.{name} is a method of class {kind.__name__}: an object cannot have another one")
    if identity.heap.varies(kind, name):
        return True
    if name in identity.content and same(identity.content[name], value):
        return False
    refuse(
        f"{identity}.{name} is set by code that was not seen to set it: assign it as `self.{name} = ...` "
        f"in a method of class {kind.__name__} other than __init__, or in the file of the program"
    )
