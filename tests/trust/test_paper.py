"""The programs of [kokologiannakis-2022], sections 2 to 4, as far as the text says what happens to them.

The graphs, and which write revisits which read in which graph, are the paper's; the order in which it draws them is not
ours, as the last alternative comes first here.
"""

from __future__ import annotations

import pytest

from examples import reference
from mcr.explorers.trust.coherence import WritesBefore
from mcr.explorers.trust.explorer import Trust
from mcr.explorers.trust.graph import INITIAL, ExecutionGraph
from mcr.explorers.trust.reads_from import TrustReadsFrom
from replay.frontend.program import Program
from replay.machine.unfolding import Unfolding
from replay.world.memory_models import MODELS
from tests.random_programs import RandomProgram
from tests.random_threads import Statement

X1, X2, X3, Y1 = ("store", "x", 1), ("store", "x", 2), ("store", "x", 3), ("store", "y", 1)
RX, RY = ("load", "x"), ("load", "y")

WW_RR = ((X1,), (Y1,), (RX, RY))
"""w+w+rr of section 2.1."""
RR_WW = ((RX, RY), (Y1,), (X1,))
"""The same, its events added from right to left (figure 6)."""
R_W_W = ((RX,), (X1,), (X2,))
"""r+w+w of section 3.5."""
R_WW = ((RX,), (X1, X2))
"""r+ww of figure 9."""
WR_RW = ((RX, Y1), (RY, X1))
"""wr+r+w of section 7."""


def program(threads: tuple[tuple[Statement, ...], ...]) -> Program:
    return RandomProgram(threads=threads).build()


class Exploration:
    """All graphs of a program under SC.

    full      the full ones
    revisits  the revisits, in order: the value that was read before, and that of the write
    waiting   how many graphs waited at most
    """

    def __init__(self, explorer: type[Trust], source: Program) -> None:
        self.full: list[ExecutionGraph] = []
        self.revisits: list[tuple[object, object]] = []
        self.waiting = 0
        self._unfolding = Unfolding(source)
        self._trust = explorer(self._unfolding, MODELS["sc"])
        self._watch()
        stack: list[object] = [self._trust.first()]
        while stack:
            graph = self._trust.advance(stack.pop())  # type: ignore[arg-type]
            stack += self._trust.aside
            self._trust.aside.clear()
            self.waiting = max(self.waiting, len(stack))
            if graph is not None:
                self.full.append(graph)

    def _watch(self) -> None:
        may_revisit = self._trust._may_revisit

        def watched(graph: ExecutionGraph, reader: int, kept: int, porf: int) -> bool:
            found = may_revisit(graph, reader, kept, porf)
            if found:
                self.revisits.append((self._read(graph, reader), self.value(graph, len(graph.events) - 1)))
            return found

        self._trust._may_revisit = watched  # type: ignore[method-assign]

    def value(self, graph: ExecutionGraph, number: int) -> object:
        return self._unfolding.values[graph.events[number].value]

    def _read(self, graph: ExecutionGraph, reader: int) -> object:
        source = graph.source[reader]
        return 0 if source == INITIAL else self.value(graph, source)

    def reads(self) -> list[tuple[object, ...]]:
        """What is read in each full graph, sorted."""
        return sorted(map(self.read_in, self.full))

    def read_in(self, graph: ExecutionGraph) -> tuple[object, ...]:
        return tuple(self._read(graph, number) for line in graph.lines for number in line if graph.events[number].reads)


both = pytest.mark.parametrize("explorer", [Trust, TrustReadsFrom])


@both
def test_w_w_rr_without_a_backward_revisit(explorer: type[Trust]) -> None:
    """Figures 4 and 5: four executions; from left to right no read comes before a write."""
    found = Exploration(explorer, program(WW_RR))
    assert found.reads() == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert found.revisits == []


@both
def test_w_w_rr_from_right_to_left(explorer: type[Trust]) -> None:
    """Figure 6: W(y) revisits R(y) in two graphs, W(x) revisits R(x) only where R(y) was added maximally (3.4)."""
    found = Exploration(explorer, program(RR_WW))
    assert found.reads() == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert len(found.revisits) == 3


@pytest.mark.parametrize(("explorer", "reads"), [(Trust, [0, 0, 1, 1, 2, 2]), (TrustReadsFrom, [0, 1, 2])])
def test_r_w_w(explorer: type[Trust], reads: list[int]) -> None:
    """Figure 8: six executions, figure 10: three; each write revisits once, whenever it is co-maximal."""
    found = Exploration(explorer, program(R_W_W))
    assert found.reads() == [(read,) for read in reads]
    assert sorted(found.revisits) == [(0, 1), (0, 2)]


@both
def test_r_ww_is_revisited_twice(explorer: type[Trust]) -> None:
    """Figure 9: the second store revisits the read in the graph where the first one did, and in no other."""
    found = Exploration(explorer, program(R_WW))
    assert found.reads() == [(0,), (1,), (2,)]
    assert found.revisits == [(0, 1), (1, 2)]


@both
def test_wr_r_w_once_each(explorer: type[Trust]) -> None:
    """Section 7: RCMC would come to r1 = 1, r2 = 0 twice."""
    assert Exploration(explorer, program(WR_RW)).reads() == [(0, 0), (0, 1), (1, 0)]


@both
def test_exp_mem_in_little_memory(explorer: type[Trust]) -> None:
    """Sections 2.3 and 3.5: N! orders on y, either order on x; few graphs wait all the same."""
    waiting = {}
    for n, graphs in ((3, 12), (4, 48), (5, 240)):
        found = Exploration(explorer, reference.exp_mem(n=n))
        assert len(found.full) == graphs
        waiting[n] = found.waiting
    assert waiting[5] - waiting[4] <= waiting[4] - waiting[3] + 2


@pytest.mark.parametrize("n", [3, 5])
@both
def test_lastzero(explorer: type[Trust], n: int) -> None:
    """Table 1 has 3328 executions for 10 writers, which is (n + 3) 2^(n - 2)."""
    assert len(Exploration(explorer, reference.lastzero(n=n)).full) == (n + 3) * 2 ** (n - 2)


def test_figure_11() -> None:
    """1 is before 3, as it is before the read of 3; 2 is before 3 in its thread; 1 and 2 are in no order."""
    found = Exploration(TrustReadsFrom, program(((X2, X3), (X1, RX))))
    (graph,) = (graph for graph in found.full if found.read_in(graph) == (3,))
    wb = WritesBefore(graph, (1 << len(graph.events)) - 1)
    names = {number: found.value(graph, number) for number in wb.earlier}
    earlier = {
        names[write]: {names[other] for other in names if before >> other & 1} for write, before in wb.earlier.items()
    }
    assert earlier == {1: set(), 2: set(), 3: {1, 2}}
    assert wb.co() is None
