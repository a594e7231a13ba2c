"""Which of the histories that an audit is given it runs: each step of code that any of them has."""

from replay.code.terminals import Cut
from replay.machine.histories import longest
from replay.machine.state import Edge, State


def _chain(first: State, *names: int) -> list[Edge]:
    """Steps with these numbers, one after the other."""
    steps, state = [], first
    for name in names:
        after = State(100 * first.number + name, 0, state.depth + 1)
        edge = Edge(name, state, 0, 0, after)
        after.entries.append(edge)
        steps.append(edge)
        state = after
    return steps


def _ran(*histories: tuple[State, list[Edge]]) -> list[tuple[int, list[int]]]:
    return [(root.number, [edge.number for edge in way]) for root, way in longest(histories)]


def test_steps_with_which_others_begin_are_run_with_these() -> None:
    root = State(0, 0, 0)
    way = _chain(root, 1, 2, 3)
    other = [way[0], Edge(4, way[0].after, 1, 0, State(4, 0, 2, [Edge(4, way[0].after, 1, 0, way[0].after)]))]
    assert _ran((root, []), (way[1].after, way[:2]), (way[2].after, way), (way[2].after, way)) == [(0, [1, 2, 3])]
    assert _ran((way[2].after, way), (other[1].after, other)) == [(0, [1, 2, 3]), (0, [1, 4])]


def test_each_thread_is_run() -> None:
    one, two = State(0, 0, 0), State(1, 1, 0)
    way = _chain(one, 1)
    assert _ran((two, []), (way[0].after, way), (one, [])) == [(1, []), (0, [1])]


def test_a_thread_that_was_stopped_is_run_to_where_its_code_was() -> None:
    root = State(0, 0, 0)
    way = _chain(root, 1, 2)
    way[1].after.terminal = Cut(2)
    assert _ran((way[1].after, way)) == [(0, [1])]
    assert _ran((way[1].after, way), (way[0].after, way[:1])) == [(0, [1])]
