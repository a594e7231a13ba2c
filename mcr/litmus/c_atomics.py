"""C's functions on atomics, on a machine with SC, TSO or PSO.

The mapping is the one that compilers use for such machines: loads of any order
are loads, as no model here lets a load be passed; a release store is a store
behind a store fence; a seq_cst store is an exchange; every read-modify-write is
an rmw; of the fences, release and acq_rel are store fences, seq_cst is a full
fence, and acquire does nothing.
"""

from __future__ import annotations

import functools
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
class AtomicCall:
    """A call under translation.

    function  as written; "*" for an access through a plain pointer
    values    the arguments beside the address and the memory orders
    kind      the type of the location
    code      where its statements go
    fresh     gives registers that nobody uses yet
    """

    function: str
    address: Expression
    values: list[Expression]
    orders: list[str]
    line: int
    kind: IntegerType
    code: list[Statement]
    fresh: Callable[[], str]

    def order(self, values: int, allowed: tuple[str, ...], orders: int = 1) -> str:
        """The first memory order, if the call has the right shape."""
        if len(self.values) != values or not 1 <= len(self.orders) <= orders:
            raise LineError(f"{self.function} is called with the wrong arguments", self.line)
        order = self.orders[0].removeprefix("memory_order_")
        if order not in allowed:
            raise LineError(f"{self.function} does not take {self.orders[0]}", self.line)
        return order

    def update(self, name: str, new: Expression) -> Register:
        """An rmw that writes `new`, in which the register OLD holds the old value; returns a register that keeps it."""
        old, new = self.fresh(), Wrapped(new, self.kind.bits, self.kind.signed)
        self.code.append(Update(old, self.address, new, None, name, tuple(self.values), self.line))
        return Register(old)


def _load(call: AtomicCall) -> Expression:
    call.order(0, _LOADS)
    register = call.fresh()
    call.code.append(Load(register, call.address, call.line))
    return Register(register)


def _store(call: AtomicCall) -> Expression:
    order = call.order(1, _STORES)
    if order == "seq_cst":
        call.update("exchange", call.values[0])
        return Constant(0)
    if order == "release":
        call.code.append(StoreFence(call.line))
    call.code.append(Store(call.address, Wrapped(call.values[0], call.kind.bits, call.kind.signed), call.line))
    return Constant(0)


def _exchange(call: AtomicCall) -> Expression:
    call.order(1, _ALL)
    return call.update("exchange", call.values[0])


def _fetch(name: str, operation: str, call: AtomicCall) -> Expression:
    call.order(1, _ALL)
    return call.update(name, Binary(operation, Register(OLD), call.values[0]))


def _compare_exchange(call: AtomicCall) -> Expression:
    """Takes the address of a local variable; like all failing rmws here, it is one even when it fails."""
    call.order(2, _ALL, orders=2)
    expected, new = call.values
    if not isinstance(expected, Register):
        raise LineError(f"{call.function} needs the address of a local variable", call.line)
    old, success = call.fresh(), call.fresh()
    equal = Binary("==", Register(OLD), expected)
    call.code.append(Update(old, call.address, new, equal, "compare_exchange", (expected, new), call.line))
    call.code.append(Assign(success, Binary("==", Register(old), expected), call.line))
    call.code.append(Assign(expected.name, Register(old), call.line))
    return Register(success)


def _fence(call: AtomicCall) -> Expression:
    order = call.order(0, _ALL)
    if order == "seq_cst":
        call.code.append(Fence(call.line))
    elif order in ("release", "acq_rel"):
        call.code.append(StoreFence(call.line))
    return Constant(0)


_FETCHES = {"fetch_add": "+", "fetch_sub": "-", "fetch_or": "|", "fetch_and": "&", "fetch_xor": "^"}

ATOMICS: dict[str, Callable[[AtomicCall], Expression]] = {
    "load": _load,
    "store": _store,
    "exchange": _exchange,
    "compare_exchange_strong": _compare_exchange,
    "thread_fence": _fence,
    **{name: functools.partial(_fetch, name, operation) for name, operation in _FETCHES.items()},
}
"""By the function's name, without "atomic_" and "_explicit"."""
