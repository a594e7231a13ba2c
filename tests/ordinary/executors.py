"""Tests of executors as users write them: those that hold, those that fail now and then, and what can come of some."""

from __future__ import annotations

from collections import Counter, OrderedDict, deque
from concurrent.futures import FIRST_COMPLETED, FIRST_EXCEPTION, Future, ThreadPoolExecutor, as_completed, wait
from functools import reduce
from itertools import chain

import pytest


def _square(number: int) -> int:
    return number * number


def _fail(number: int) -> int:
    raise ValueError(number)


def _submitted(executor: ThreadPoolExecutor, count: int = 2) -> list[Future[int]]:
    return [executor.submit(_square, number) for number in range(count)]


def _completed(count: int) -> list[Future[int]]:
    with ThreadPoolExecutor(1) as executor:
        return _submitted(executor, count)


def _itself(thing: Future[int]) -> Future[int]:
    return thing


def _left(one: Future[int], _: Future[int]) -> Future[int]:
    return one


def _given(*things: Future[int]) -> list[Future[int]]:
    return [*things]


def _discard_all(things: set[Future[int]]) -> None:
    for each in things:
        things.discard(each)


def right_each_completes_once() -> None:
    with ThreadPoolExecutor(1) as executor:
        assert sorted(each.result() for each in as_completed(_submitted(executor))) == [0, 1]


def right_results_by_argument() -> None:
    with ThreadPoolExecutor(1) as executor:
        futures = {executor.submit(call, number): number for number, call in ((0, _square), (1, _fail))}
        failed = [futures[each] for each in as_completed(futures) if each.exception()]
    assert failed == [1]


def right_all_are_done() -> None:
    with ThreadPoolExecutor(1) as executor:
        futures = _submitted(executor)
        done, left = wait(futures)
        assert done == {*futures}
        assert not left


def right_pending_ones_are_waited_for() -> None:
    found = []
    with ThreadPoolExecutor(1) as executor:
        pending = {*_submitted(executor)}
        while pending:
            done, pending = wait(pending, return_when=FIRST_COMPLETED)
            found += [each.result() for each in done]
    assert sorted(found) == [0, 1]


def right_the_first_exception() -> None:
    with ThreadPoolExecutor(1) as executor:
        futures = [executor.submit(_fail, 1), executor.submit(_square, 2)]
        done, left = wait(futures, return_when=FIRST_EXCEPTION)
        assert futures[0] in done
        assert done | left == {*futures}


def right_an_order_stays() -> None:
    done, _ = wait(_completed(3))
    before = [*done]
    assert [each.result() for each in done] == [each.result() for each in before]
    assert done.pop() is before[0]
    first, last = done
    assert [first, last] == before[1:]
    assert next(iter(frozenset(done))) in done


def right_all_ways_tell_one_order() -> None:
    done, _ = wait(_completed(2))
    order = list(done)
    first, *rest = done
    assert (
        [first, *rest] == [*done] == [each for each in done if each] == [*tuple(done)] == [*map(_itself, done)] == order
    )
    assert _given(*done) == [*dict.fromkeys(done)] == [*OrderedDict.fromkeys(done)] == [*Counter(done)] == order
    assert [*deque(done)] == [*chain(done)] == [each for _, each in enumerate(done)] == sorted(done, key=bool) == order
    assert max(done, key=bool) is reduce(_left, done) is order[0]


def right_changed_in_a_loop() -> None:
    done, _ = wait(_completed(2))
    with pytest.raises(RuntimeError, match="Set changed size during iteration"):
        _discard_all(done)


def right_more_than_three() -> None:
    done, _ = wait(_completed(4))
    assert sorted(each.result() for each in done) == [0, 1, 4, 9]


def right_calls_in_order() -> None:
    with ThreadPoolExecutor(1) as executor:
        assert [*executor.map(_square, (1, 2))] == [1, 4]


def right_cancelled_or_not() -> None:
    with ThreadPoolExecutor(1) as executor:
        _, last = _submitted(executor)
        is_cancelled = last.cancel()
    assert last.cancelled() is is_cancelled


def refused_by_its_name() -> None:
    done, _ = wait(_completed(2))
    deque(iterable=done)


def bug_the_order_of_completion() -> None:
    with ThreadPoolExecutor(2) as executor:
        assert [each.result() for each in as_completed(_submitted(executor))] == [0, 1]


def bug_the_order_of_what_is_completed() -> None:
    assert [each.result() for each in as_completed(_completed(2))] == [1, 0]


def bug_the_order_of_what_is_done() -> None:
    done, _ = wait(_completed(2))
    assert [each.result() for each in done] == [0, 1]


def bug_the_first_of_three() -> None:
    done, _ = wait(_completed(3))
    assert next(iter(done)).result() != 4


def bug_it_cannot_always_be_cancelled() -> None:
    with ThreadPoolExecutor(1) as executor:
        assert _submitted(executor)[-1].cancel()


def bug_the_last_is_not_cancelled() -> None:
    executor = ThreadPoolExecutor(1)
    first, last = _submitted(executor)
    executor.shutdown(cancel_futures=True)
    assert last.cancelled() or not first.cancelled()


def bug_callbacks_come_in_any_order() -> None:
    seen: list[int] = []
    with ThreadPoolExecutor(2) as executor:
        for each in _submitted(executor):
            each.add_done_callback(lambda future: seen.append(future.result()))
    assert seen == [0, 1]


def returns_what_is_done() -> object:
    done, _ = wait(_completed(2))
    return tuple(each.result() for each in done)


def returns_what_is_completed() -> object:
    return tuple(each.result() for each in as_completed(_completed(2)))


def returns_the_first() -> object:
    with ThreadPoolExecutor(1) as executor:
        done, left = wait(_submitted(executor), return_when=FIRST_COMPLETED)
        return done.pop().result(), len(done), len(left)
