"""Native callables on the interpreter that may be given symbols; all others are given numbers.

A thread decides what the symbols are that a native callable would see, and goes on with numbers in their place. By
identity this module knows which callables only keep, or hand on, what they are given.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from replay.code.interpreted import is_ours, made_operation
from replay.code.running_thread import beyond_terms, current_run, is_symbol
from replay.code.user_code import never_run
from replay.interpreter import intrinsics
from replay.interpreter.frame import Frame
from replay.interpreter.library import (
    checks,
    dictionaries,
    function_tools,
    iterators,
    keyed,
    looking,
    numeric,
    ordering,
    reductions,
    sequences,
    sets,
)
from replay.interpreter.library import shown as shown_by_python
from replay.interpreter.lookup import ATOMS, HEAP, is_a, is_derived, mro_of
from replay.interpreter.natives import natively
from replay.on_terms.numbers_in import TooManyObjects, runs_code, symbol_in, with_numbers
from replay.on_terms.symbols import (
    HANDING_ON,
    SYMBOLS,
    Number,
    Truth,
    as_number,
    as_truth,
    better,
    decide,
    is_settled,
    is_truth,
    knows_all,
    term_of,
    unsettled,
)
from replay.world.operation import Location, Operation
from replay.world.shown import shown
from replay.world.terms import apply
from replay.world.values import canonical_key, same


class Rule(NamedTuple):
    """Which arguments have to be numbers.

    places  of the arguments; None for all
    deep    so has to be what they hold
    """

    places: tuple[int, ...] | None = None
    deep: bool = True


_KEEPS = Rule(())
_ANY = Rule()
_FIRST = Rule((0,), deep=False)
_SECOND = Rule((1,))
_DIRECT = Rule(deep=False)

_RULES: dict[int, tuple[object, Rule]] = {}
"""By identity."""


def _add(rule: Rule, natives: Iterable[object]) -> None:
    _RULES.update((id(each), (each, rule)) for each in natives)


def _of(home: object, names: str) -> list[object]:
    """Returns what a class or a module has for these names."""
    return [vars(home)[name] for name in names.split()]


_add(_KEEPS, (list, tuple, dict, deque, len, iter, reversed, type, callable, property, staticmethod, classmethod, next))
_add(_KEEPS, (object, *_of(object, "__init__ __new__"), *_of(BaseException, "__init__ __new__")))
_add(_KEEPS, _of(list, "append extend reverse copy clear __init__ __iter__ __len__ __reversed__ __add__ __iadd__"))
_add(_KEEPS, _of(tuple, "__new__ __iter__ __len__ __add__"))
_add(_KEEPS, _of(dict, "keys values items copy clear popitem update __init__ __iter__ __len__ __reversed__"))
_add(_KEEPS, _of(dict, "fromkeys"))
_add(_KEEPS, _of(deque, "append appendleft pop popleft clear copy reverse extend extendleft __init__ __iter__ __len__"))
_add(
    _KEEPS,
    (
        *(BaseException, Exception, ValueError, TypeError, AssertionError, RuntimeError, KeyError, IndexError),
        *(LookupError, ArithmeticError, ZeroDivisionError, OverflowError, NotImplementedError, StopIteration),
    ),
)
_add(_SECOND, _of(list, "pop insert __getitem__ __setitem__ __delitem__ __mul__ __imul__ __rmul__"))
_add(_SECOND, _of(tuple, "__getitem__ __mul__ __rmul__"))
_add(_SECOND, _of(deque, "__getitem__ __setitem__ __delitem__ rotate"))
_add(_SECOND, _of(dict, "get pop setdefault __contains__ __getitem__ __setitem__ __delitem__"))
_add(_ANY, (set, frozenset, *_of(set, "add discard remove __contains__"), *_of(frozenset, "__contains__")))
_add(_FIRST, (getattr, hasattr, setattr, delattr, vars, dir))
_add(_FIRST, _of(object, "__getattribute__ __setattr__ __delattr__"))
_add(_DIRECT, (super, id, eval, exec))

_add(
    _KEEPS,
    (
        *(looking.shown_kind, looking.raw_method, looking.has, looking.is_python),
        *(looking.takes_self, looking.is_plain, looking.all_plain),
        *(intrinsics.class_of, intrinsics.special, intrinsics.called_type, intrinsics.unsupported_operand),
        *(intrinsics.too_many, intrinsics.has_iteration, intrinsics.check_iterable, intrinsics.not_a_container),
        *(intrinsics.merges_natively, intrinsics.native_update, intrinsics.is_sequence_method),
        *(sequences.native_extend, sequences.native_tuple, sequences.items_now, sequences.size_of, sequences.item_at),
        *(ordering.taken, ordering.put_back, ordering.sort_natively, numeric.items_of, numeric.stand_in),
        *(dictionaries.size_of, dictionaries.items_now, dictionaries.native_factory, checks.says_its_class),
        *(is_derived, iterators.native_iter, iterators.is_sequence, reductions.refuse_text, sets.has_items),
        *(sets.is_set, function_tools.parts_of, keyed.can_be_derived, shown_by_python.is_being_shown),
        *(shown_by_python.set_items, shown_by_python.exception_arguments, shown_by_python.is_exact_set),
        *(shown_by_python.short_name, shown_by_python.is_a_namespace, looking.of_built_in),
    ),
)
_add(_FIRST, (is_a,))
_add(_SECOND, (dictionaries.native_get,))
_add(_KEEPS, (Operation, Location, shown, canonical_key, same, never_run, made_operation))
_add(_KEEPS, (apply, is_symbol, term_of, as_number, as_truth, is_truth, unsettled, is_settled))
_add(_KEEPS, (natively(Number), natively(Truth)))


def _rule_of(known_by: Any) -> Rule | None:
    found = _RULES.get(id(known_by))
    return None if found is None else found[1]


def asks(
    frame: Frame, native: Any, is_pure: bool, arguments: list[Any], keywords: dict[str, Any], base: Any = None
) -> bool:
    """Returns True if a thread has to decide first what symbols are that a native callable would get.

    The call is made then when that is decided. `is_pure` is False for what is interpreted, and so may get symbols
    unless a rule says otherwise. `base` is the class by whose rule an object is made.
    """
    if not keywords and ATOMS.issuperset(map(type, arguments)):
        return False
    if id(native) in HANDING_ON or knows_all():
        return False
    rule = _rule_of(native if base is None else base)
    if rule is None:
        by_terms = _ON_TERMS.get(id(native))
        if by_terms is not None and not keywords:
            frame.execution.push(by_terms, arguments, {})
            return True
        if not is_pure:
            return False
        if is_a(native, type):
            rule = _rule_of(next(each for each in mro_of(native) if not each.__flags__ & HEAP))
    if rule is None:
        rule = _ANY
        if not is_ours(native) and runs_code([*arguments, *keywords.values()]):
            beyond_terms("an iterator in Python that native code asks")
    if _found(_looked_at(arguments, keywords, rule), rule) is None:
        return False
    frame.execution.push(called_on_numbers, [native, arguments, keywords, rule], {})
    return True


def _looked_at(arguments: list[Any], keywords: dict[str, Any], rule: Rule) -> list[Any]:
    """The arguments that have to be numbers."""
    if rule.places is None:
        return [*arguments, *keywords.values()]
    return [arguments[place] for place in rule.places if place < len(arguments)]


def _found(values: list[Any], rule: Rule) -> Any:
    """A symbol among these values, or in them; None if there is none."""
    if not rule.deep:
        return next((each for each in values if type(each) in SYMBOLS), None)
    try:
        return symbol_in(values)
    except TooManyObjects:
        beyond_terms("objects that are too many to be looked at")


def called_on_numbers(native: Any, arguments: Any, keywords: Any, rule: Any) -> Any:
    """Interpreted: the call, when the thread has decided what the symbols are."""
    while True:
        arguments, keywords, found = _with_known(arguments, keywords, rule)
        if found is None:
            break
        decide(found)
    return native(*arguments, **keywords)


@natively
def _with_known(arguments: list[Any], keywords: dict[str, Any], rule: Rule) -> tuple[list[Any], dict[str, Any], Any]:
    """The arguments with numbers for symbols that the thread has decided, and a symbol that is left; None if none is.

    Raises BeyondTerms for a symbol in whose place no number can be put.
    """
    taken = [*arguments, *keywords.values()]
    places = range(len(taken)) if rule.places is None else [each for each in rule.places if each < len(taken)]
    decisions = current_run().decisions
    of = with_numbers if rule.deep else _each_with_number
    values = of([taken[place] for place in places], lambda value: decisions.get(value.term, value))
    for place, value in zip(places, values, strict=True):
        taken[place] = value
    found = _found(values, rule)
    if found is not None and found.term in decisions:
        beyond_terms("something that holds it", found.term)
    count = len(arguments)
    return taken[:count], dict(zip(keywords, taken[count:], strict=True)), found


def _each_with_number(values: list[Any], number_of: Callable[[Any], Any]) -> list[Any]:
    return [number_of(each) if type(each) in SYMBOLS else each for each in values]


def told(error: BaseException) -> Callable[[BaseException], Any] | None:
    """Returns what raises an exception again after the thread has decided its symbols; None if it has."""
    if ATOMS.issuperset(map(type, error.args)) and not vars(error):
        return None
    return None if _found([error], _ANY) is None else _raised_on_numbers


def _raised_on_numbers(error: Any) -> Any:
    """Interpreted: raises an exception that holds no symbols any more."""
    called_on_numbers(_nothing, [error], {}, _ANY)
    raise error


@natively
def _nothing(_: object) -> None:
    """Is called on numbers."""


# -- functions that make a term of terms ----------------------------------------------------


def _greatest(*values: Any) -> Any:
    """Interpreted: `max` without options."""
    return _extreme(values, "gt", reductions.greatest)


def _least(*values: Any) -> Any:
    """Interpreted: `min` without options."""
    return _extreme(values, "lt", reductions.least)


def _extreme(values: Any, chooses_other: Any, plain: Any) -> Any:
    if len(values) == 1:
        values = tuple(values[0])
    if not _has_symbol(values):
        return plain(values)
    best = values[0]
    for value in values[1:]:
        best = better(best, value, chooses_other)
    return best


@natively
def _has_symbol(values: tuple[Any, ...]) -> bool:
    return not SYMBOLS.isdisjoint(map(type, values))


_ON_TERMS: dict[int, Any] = {id(max): _greatest, id(min): _least}
"""By identity of a native callable what is interpreted instead if its arguments are no plain values."""

_add(_KEEPS, (_with_known, _has_symbol, _nothing))
