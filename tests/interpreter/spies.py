"""Objects which log the special methods that are called of them, and raise where they are told to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

LOG: list[str] = []


class Number:
    """Compares, hashes and adds up as its value does."""

    def __init__(self, value: Any, name: str = "") -> None:
        self.value = value
        self.name = name or str(value)

    def __eq__(self, other: object) -> Any:
        LOG.append(f"{self} == {other}")
        return self.value == other.value if isinstance(other, Number) else NotImplemented

    def __lt__(self, other: object) -> Any:
        LOG.append(f"{self} < {other}")
        return self.value < other.value if isinstance(other, Number) else NotImplemented

    def __gt__(self, other: object) -> Any:
        LOG.append(f"{self} > {other}")
        return self.value > other.value if isinstance(other, Number) else NotImplemented

    def __hash__(self) -> int:
        LOG.append(f"hash {self}")
        return hash(self.value)

    def __add__(self, other: Any) -> Number:
        LOG.append(f"{self} + {other}")
        return Number(self.value + getattr(other, "value", other))

    def __radd__(self, other: Any) -> Number:
        LOG.append(f"{other} + {self}")
        return Number(other + self.value)

    def __bool__(self) -> bool:
        LOG.append(f"bool {self}")
        return bool(self.value)

    def __index__(self) -> int:
        LOG.append(f"index {self}")
        return int(self.value)

    def __repr__(self) -> str:
        LOG.append(f"repr {self.name}")
        return f"Number({self.name})"

    def __str__(self) -> str:
        return self.name


class Fails:
    """Every operation raises."""

    def __init__(self, error: type[BaseException] = KeyError) -> None:
        self.error = error

    def _fail(self, *_: Any) -> Any:
        LOG.append("fail")
        raise self.error("on purpose")

    __eq__ = __lt__ = __gt__ = __add__ = __radd__ = __bool__ = __index__ = _fail
    __iter__ = __next__ = __len__ = __getitem__ = __call__ = __contains__ = _fail
    __hash__ = __str__ = __repr__ = __format__ = __int__ = __float__ = _fail  # type: ignore[assignment]


class Items:
    """An iterable with an iterator of its own; `length` is what `__length_hint__` says, an exception is raised."""

    def __init__(self, *items: Any, length: Any = NotImplemented, error: Any = None) -> None:
        self.items = items
        self.length = length
        self.error = error

    def __iter__(self) -> ItemIterator:
        LOG.append("iter")
        return ItemIterator(self)

    def __length_hint__(self) -> Any:
        LOG.append("length hint")
        if isinstance(self.length, BaseException):
            raise self.length
        return self.length


class ItemIterator:
    def __init__(self, items: Items) -> None:
        self.items = items
        self.rest = iter(items.items)

    def __iter__(self) -> ItemIterator:
        LOG.append("iter of iterator")
        return self

    def __next__(self) -> Any:
        for item in self.rest:
            LOG.append(f"next {item!s}")
            return item
        LOG.append("end")
        raise self.items.error or StopIteration("the end")


class Indexed:
    """A sequence of the old kind."""

    def __init__(self, *items: Any) -> None:
        self.items = items

    def __getitem__(self, index: Any) -> Any:
        LOG.append(f"item {index}")
        return self.items[index]

    def __len__(self) -> int:
        LOG.append("len")
        return len(self.items)


class Returns:
    """Its special methods return what they are told."""

    def __init__(self, **results: Any) -> None:
        self.results = results

    def _give(self, name: str, *_: Any) -> Any:
        LOG.append(name)
        result = self.results[name]
        if isinstance(result, BaseException):
            raise result
        return result


def returns(**results: Any) -> Any:
    """An object of a new class whose special methods, named without underscores, return these results."""

    def method(name: str) -> Any:
        return lambda self, *arguments: Returns._give(self, name, *arguments)

    kind = type("Special", (Returns,), {f"__{name}__": method(name) for name in results})
    return kind(**results)


def generator(*items: Any, result: Any = None) -> Iterator[Any]:
    for item in items:
        LOG.append(f"yield {item!s}")
        yield item
    LOG.append("return")
    return result


def logged(function: Any) -> Any:
    """A function which logs its calls."""

    def call(*arguments: Any) -> Any:
        LOG.append(f"call {[each for each in arguments if type(each) in (int, str)]}")
        return function(*arguments)

    return call
