"""What C's functions on atomics do on a machine with SC, TSO or PSO.

The mapping is the one that compilers use for such machines: loads of any order
are loads, as no model here lets a load be passed; a release store is a store
behind a store fence; a seq_cst store is an exchange; every read-modify-write is
an rmw; of the fences, release and acq_rel are store fences, seq_cst is a full
fence, and acquire does nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mcr.litmus.code import (
    OLD,
    Assign,
    Binary,
    Constant,
    Expression,
    Fence,
    Load,
    Register,
    Statement,
    Store,
    StoreFence,
    Update,
    Wrapped,
)
from mcr.litmus.errors import LineError
from mcr.litmus.types import IntegerType

_LOADS = ("relaxed", "consume", "acquire", "seq_cst")
_STORES = ("relaxed", "release", "seq_cst")
_ALL = (*_LOADS, "release", "acq_rel")


@dataclass(frozen=True)
class Arguments:
    """A call: the function as written, where it goes, the other arguments, the memory orders."""

    function: str
    address: Expression
    values: list[Expression]
    orders: list[str]
    line: int

    def expect(self, values: int, allowed: tuple[str, ...], orders: int = 1) -> str:
        """The first memory order, if the call has the right shape."""
        if len(self.values) != values or not 1 <= len(self.orders) <= orders:
            raise LineError(f"{self.function} is called with the wrong arguments", self.line)
        order = self.orders[0].removeprefix("memory_order_")
        if order not in allowed:
            raise LineError(f"{self.function} does not take {self.orders[0]}", self.line)
        return order


@dataclass(frozen=True)
class Lowering:
    """Where the code goes: the statements so far, a source of fresh registers, the type of the location."""

    code: list[Statement]
    fresh: Callable[[], str]
    kind: IntegerType

    def update(self, call: Arguments, name: str, new: Callable[[Expression], Expression]) -> Register:
        """An rmw that writes new(old value); returns the register with the old value."""
        old = self.fresh()
        self.code.append(Update(old, call.address, new(Register(OLD)), None, name, tuple(call.values), call.line))
        return Register(old)


def _load(to: Lowering, call: Arguments) -> Expression:
    call.expect(0, _LOADS)
    register = to.fresh()
    to.code.append(Load(register, call.address, call.line))
    return Register(register)


def _store(to: Lowering, call: Arguments) -> Expression:
    order = call.expect(1, _STORES)
    value = Wrapped(call.values[0], to.kind.bits, to.kind.signed)
    if order == "seq_cst":
        to.update(call, "exchange", lambda _: value)
        return Constant(0)
    if order == "release":
        to.code.append(StoreFence(call.line))
    to.code.append(Store(call.address, value, call.line))
    return Constant(0)


def _exchange(to: Lowering, call: Arguments) -> Expression:
    call.expect(1, _ALL)
    return to.update(call, "exchange", lambda _: Wrapped(call.values[0], to.kind.bits, to.kind.signed))


def _fetch(name: str, operation: str) -> Callable[[Lowering, Arguments], Expression]:
    def lower(to: Lowering, call: Arguments) -> Expression:
        call.expect(1, _ALL)
        return to.update(
            call, name, lambda old: Wrapped(Binary(operation, old, call.values[0]), to.kind.bits, to.kind.signed)
        )

    return lower


def _compare_exchange(to: Lowering, call: Arguments) -> Expression:
    """Takes the address of a local variable; like all failing rmws here, it is one even when it fails."""
    call.expect(2, _ALL, orders=2)
    expected, new = call.values
    if not isinstance(expected, Register):
        raise LineError(f"{call.function} needs the address of a local variable", call.line)
    old, success = to.fresh(), to.fresh()
    equal = Binary("==", Register(OLD), expected)
    to.code.extend(
        (
            Update(old, call.address, new, equal, "compare_exchange", (expected, new), call.line),
            Assign(success, Binary("==", Register(old), expected), call.line),
            Assign(expected.name, Register(old), call.line),
        )
    )
    return Register(success)


def _fence(to: Lowering, call: Arguments) -> Expression:
    order = call.expect(0, _ALL)
    if order == "seq_cst":
        to.code.append(Fence(call.line))
    elif order in ("release", "acq_rel"):
        to.code.append(StoreFence(call.line))
    return Constant(0)


ATOMICS: dict[str, Callable[[Lowering, Arguments], Expression]] = {
    "load": _load,
    "store": _store,
    "exchange": _exchange,
    "fetch_add": _fetch("fetch_add", "+"),
    "fetch_sub": _fetch("fetch_sub", "-"),
    "fetch_or": _fetch("fetch_or", "|"),
    "fetch_and": _fetch("fetch_and", "&"),
    "fetch_xor": _fetch("fetch_xor", "^"),
    "compare_exchange_strong": _compare_exchange,
    "thread_fence": _fence,
}
"""By the function's name, without "atomic_" and "_explicit"."""
