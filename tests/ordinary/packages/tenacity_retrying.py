"""tenacity: what frontrun found in what calls share, and held for safe (case study 12).

Package: tenacity==9.1.2
"""

from tenacity import RetryCallState, Retrying, retry, stop_after_attempt, wait_none

import mcr


def _work():
    return 1


@mcr.program
def idle_time_of_a_call(p):
    """Two threads add to what one call has waited (its B5).

    Fails: AssertionError
    """
    state = p.share(RetryCallState(Retrying(), _work, (), {}))

    def wait():
        state.idle_for += 1.0

    p.thread(wait)
    p.thread(wait)

    @p.final
    def both_count():
        assert state.idle_for == 2.0


@mcr.program
def attempts_of_a_call(p):
    """Two threads prepare the next attempt of one call (its B6).

    Fails: AssertionError
    """
    state = p.share(RetryCallState(Retrying(), _work, (), {}))
    p.thread(state.prepare_for_next_attempt)
    p.thread(state.prepare_for_next_attempt)

    @p.final
    def both_count():
        assert state.attempt_number == 3


@mcr.program
def statistics_of_a_function(p):
    """Two threads call a function that is retried: the statistics of one call are gone (its B3).

    Fails: AssertionError
    """
    calls = p.share([])

    @retry(stop=stop_after_attempt(2), wait=wait_none(), reraise=True)
    def tried():
        calls.append(1)
        return tried.statistics

    p.share(tried)
    one, two = p.thread(tried), p.thread(tried)

    @p.final
    def each_has_its_own():
        assert one.join() is not two.join()


@mcr.program
def attempts_of_each_call(p):
    """Each call counts its own attempts (its S2).

    Verified
    """
    calls = p.share([])

    def fails_once():
        calls.append(1)
        if len(calls) < 2:
            raise ValueError
        return "done"

    def call():
        return Retrying(stop=stop_after_attempt(5), wait=wait_none(), reraise=True)(fails_once)

    one, two = p.thread(call), p.thread(call)

    @p.final
    def both_are_done():
        assert one.join() == two.join() == "done"


@mcr.program
def statistics_of_each_thread(p):
    """One object retries in two threads, each with statistics of its own (its S1).

    Verified
    """
    retrying = p.share(Retrying(stop=stop_after_attempt(2), wait=wait_none(), reraise=True))

    def call():
        retrying(_work)
        return retrying.statistics["attempt_number"]

    one, two = p.thread(call), p.thread(call)

    @p.final
    def one_attempt_each():
        assert one.join() == two.join() == 1


@mcr.program
def strategies(p):
    """Two threads ask one strategy (its S3).

    Verified
    """
    stop = p.share(stop_after_attempt(2))

    def ask():
        state = RetryCallState(Retrying(), _work, (), {})
        before = stop(state)
        state.attempt_number = 2
        return before, stop(state)

    one, two = p.thread(ask), p.thread(ask)

    @p.final
    def right():
        assert one.join() == two.join() == (False, True)


@mcr.program
def copies(p):
    """Two threads copy one object that retries (its S4).

    Verified
    """
    retrying = p.share(Retrying(stop=stop_after_attempt(2), wait=wait_none(), reraise=True))

    def call():
        return retrying.copy(wait=wait_none())(_work)

    one, two = p.thread(call), p.thread(call)

    @p.final
    def right():
        assert one.join() == two.join() == 1
