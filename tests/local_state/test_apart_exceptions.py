"""Exceptions and contexts in flight are told apart."""

from __future__ import annotations

import pytest

from tests.local_state.pairs import Trap, trap_of

TRAPS: dict[str, Trap] = {}
trap = trap_of(TRAPS)


@trap([1], [2], [0])
def raised_again(p):
    x = p.var("x", 0)

    def thread():
        try:
            raise ValueError(x.load())
        except ValueError:
            x.load()
            raise

    return thread


@trap([1], [2], [0])
def waiting_in_finally(p):
    x = p.var("x", 0)

    def thread():
        try:
            raise ValueError(x.load())
        finally:
            x.load()

    return thread


@trap([0], [1], [0])
def finally_with_or_without_an_exception(p):
    x = p.var("x", 0)

    def thread():
        try:
            if x.load():
                raise ValueError
        finally:
            x.load()

    return thread


@trap([1], [2], [0])
def returning_through_finally(p):
    x = p.var("x", 0)

    def thread():
        try:
            return x.load()
        finally:
            x.load()

    return thread


@trap([1], [2], [0])
def raised_again_by_a_helper(p):
    x = p.var("x", 0)

    def again():
        x.load()
        raise

    def thread():
        try:
            raise ValueError(x.load())
        except ValueError:
            again()

    return thread


@trap([1], [2], [0])
def outer_exception(p):
    x = p.var("x", 0)

    def thread():
        try:
            raise ValueError(x.load())
        except ValueError:
            try:
                raise KeyError(3)
            except KeyError:
                x.load()
            raise

    return thread


@trap([1], [2], [0, 0])
def exception_of_the_caller_of_a_generator(p):
    x = p.var("x", 0)

    def values():
        try:
            raise KeyError(3)
        except KeyError:
            yield x.load()

    def thread():
        try:
            raise ValueError(x.load())
        except ValueError:
            for _ in values():
                break
            raise

    return thread


@trap([1], [2], [0])
def exception_kept(p):
    x = p.var("x", 0)

    def thread():
        try:
            raise ValueError(x.load())
        except ValueError as error:
            kept = error
        x.load()
        return kept.args[0]

    return thread


@trap([0], [1], [0])
def where_it_was_raised(p):
    x = p.var("x", 0)

    def thread():
        try:
            if x.load():
                raise ValueError(0)
            raise ValueError(0)
        except ValueError:
            x.load()
            raise

    return thread


@trap([0], [1], [0, 0])
def which_context(p):
    x, m, n = p.var("x", 0), p.mutex("m"), p.mutex("n")

    def thread():
        with m if x.load() else n:
            x.load()

    return thread


@trap([1], [2], [0])
def context_made_of_a_generator(p):
    x = p.var("x", 0)
    import contextlib

    @contextlib.contextmanager
    def keeping(value):
        yield
        x.store(value)

    def thread():
        with keeping(x.load()):
            x.load()

    return thread


@trap([1], [2], [0])
def entering(p):
    x = p.var("x", 0)

    class Context:
        def __init__(self, number):
            self.number = number

        def __enter__(self):
            number = self.number
            self = None
            x.load()
            return number

        def __exit__(self, *error):
            x.store(self.number)

    def thread():
        with Context(x.load()):
            pass

    return thread


@trap([0], [1], [0])
def attribute_of_what_is_declared_on(p):
    x = p.var("x", 0)
    p.kept = 0

    def thread():
        if x.load():
            p.kept = 1
        x.load()
        return p.kept

    return thread


@pytest.mark.parametrize("name", TRAPS)
def test_other_futures_have_other_keys(name: str) -> None:
    TRAPS[name].check()
