"""Measurements of the suites, and the tables that they make."""

from __future__ import annotations

import pytest

from mcr.bench.case import END, FIRST_BUG
from mcr.bench.drawing import draw
from mcr.bench.figures import Figure, Panel
from mcr.bench.suite import SuiteSelection
from mcr.exploration.goals import Goals
from mcr.explorers.registry import check_supports
from replay.world.memory_models import MODELS
from results.bench import comparison
from results.bench.costs import Mark, exponent, marginal_costs
from results.bench.peers import all_peers, peers_of
from results.bench.sampling import phase_of
from results.bench.suites import suite_named, suite_names
from results.bench.suites.peers import agreement, countable
from solvers.registry import available_solvers
from tests.bench.rows import row

SUITES = [suite_named(name) for name in suite_names()]
each_suite = pytest.mark.parametrize("suite", SUITES, ids=lambda suite: suite.name)


@each_suite
def test_every_case_has_a_program_and_a_key_of_its_own(suite):
    cases = suite.cases(SuiteSelection())
    assert len({case.key for case in cases}) == len(cases)
    for case in {(case.file, case.program, case.parameters): case for case in cases}.values():
        assert case.resolved().instance().threads


@each_suite
def test_each_algorithm_looks_for_what_a_case_asks(suite):
    """Raises CheckerError else: the command would end each of these rows with an error."""
    for algorithm, objective, model in {
        (case.algorithm, case.objective, case.model) for case in suite.cases(SuiteSelection())
    }:
        check_supports(algorithm, Goals.parse(objective), [model])


@each_suite
def test_a_choice_is_kept(suite):
    first = suite.cases(SuiteSelection())[0]
    chosen = suite.cases(SuiteSelection(models=(first.model,), programs=(first.program,)))
    assert {(case.program, case.model) for case in chosen} == {(first.program, first.model)}


@each_suite
@pytest.mark.parametrize("case", ["done", "cut", "killed", "broken"])
def test_tables_and_plots_are_made_of_whatever_came_of_it(suite, case, tmp_path):
    figures = {
        "done": {},
        "cut": {"verdict": "incomplete", "complete": False, "why": "the time limit of 1 s was reached"},
        "killed": {"verdict": "incomplete", "complete": False, "why": "killed", **dict.fromkeys(NUMBERS)},
        "broken": {"verdict": "error", "complete": False, "why": "ended", **dict.fromkeys(NUMBERS)},
    }[case]
    rows = [row(each, **figures) for each in suite.cases(SuiteSelection())]
    if figures.get("executions", 1) is None:
        rows = [{**each, "details": {}} for each in rows]
    text = "\n".join(suite.sections(rows))
    assert rows[0]["program"] in text
    assert suite.sections(rows) == suite.sections(rows)
    draw(suite.figures(rows)[:1] if case == "done" else (), tmp_path, kinds=("svg",))
    assert bool(suite.figures(rows)) == bool(list(tmp_path.iterdir())) or case != "done"


NUMBERS = (
    "executions", "blocked", "redirected", "graphs", "redundant", "local_states", "classes", "blocked_classes",
    "questions", "cyclic", "solving_s", "encoding_s", "replaying_s", "surveying_s",
)  # fmt: skip


def test_a_plot_is_the_same_again(tmp_path):
    panel = Panel("title", "x", "y", lines={"a": [(1, 2), (3, 4)], "b": [(1, 1)]}, log_x=True, log_y=True)
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        draw([Figure("plot", "Title", (panel,), (3, 2))], tmp_path / name)
    for kind in ("svg", "png"):
        assert (tmp_path / "a" / f"plot.{kind}").read_bytes() == (tmp_path / "b" / f"plot.{kind}").read_bytes()


def test_reference_has_every_size_that_the_peers_have():
    cases = suite_named("reference").cases(SuiteSelection())
    ours = {(c.program, tuple(p for p in c.parameters if p[0] != "check"), _is_checked(c), c.model) for c in cases}
    for peer in all_peers():
        assert (peer.program, peer.parameters, peer.checked, peer.model) in ours


def _is_checked(case):
    return ("check", False) not in case.parameters and case.program not in ("readers", "lastzero", "exp_mem", "casrot")


def test_solvers_has_all_that_are_installed():
    cases = suite_named("solvers").cases(SuiteSelection())
    assert {case.solver for case in cases} == set(available_solvers())


# -- peers -----------------------------------------------------------------------


def test_which_rows_of_the_peers_are_comparable():
    locks = peers_of("fastmutex", (("n", 3), ("b", 1)), False, "sc")
    assert {peer.option for peer in locks if peer.tool == "genmc"} == {"--sc --disable-ipr"}
    counters = peers_of("exp_mem", (("n", 7),), False, "sc")
    assert {peer.complete for peer in counters} == {10080}  # with commuting rmws it would be 1


def test_the_best_peer():
    (pair,) = comparison.pairs([_reference("bakery", "n=3, check=False", "sc", executions=300, wall_s=0.2)])
    assert (pair.fewest, pair.fewest_in_all, pair.quickest) == (254, 655, 0.12)
    assert pair.is_more
    assert pair.is_slower
    (pair,) = comparison.pairs([_reference("bakery", "n=3, check=False", "pso", executions=300)])
    assert pair.finished == []
    assert not pair.is_more
    assert "| over 120 |" in "\n".join(comparison.sections([pair.row]))


def _reference(program, parameters, model, **figures):
    cases = suite_named("reference").cases(SuiteSelection())
    (case,) = [
        case
        for case in cases
        if (case.program, case.shown_parameters, case.model, case.until) == (program, parameters, model, END)
        and case.objective == "states"
    ]
    return row(case, **figures)


def test_where_we_need_more_the_reason_is_given():
    ours = _reference("dekker", "check=False", "sc", executions=4, details={"least_executions": 2, "cover": None})
    cover = ours | {"objective": "values", "details": {"cover": {"minimum": 3, "blocked_only": 5}}}
    line = "| dekker | SC | 3 + 1 | 2 | 3 | "
    saved = "could be saved by reaching more ends at once"
    assert line + f"2 | 2 {saved} |" in "\n".join(comparison.sections([ours]))
    text = "\n".join(comparison.sections([ours, cover]))
    assert line + f"3 | 1 {saved}; complete executions show 11 of 16 local states only |" in text
    assert "Where we need more executions" not in "\n".join(comparison.sections([ours | {"executions": 2}, cover]))


def test_the_headline_has_the_hard_rows_in_order():
    cases = [case for case in suite_named("reference").cases(SuiteSelection()) if case.until != FIRST_BUG]
    table = comparison.headline([row(case) for case in reversed(cases)]).splitlines()[4:]
    titles = [line.split(" | ")[0].strip("| ") for line in table]
    assert list(dict.fromkeys(titles)) == [
        "bakery(n=3)", "fastmutex(n=3, b=1)", "lastzero(n=10)", "lastzero(n=15)", "readers(n=10)", "exp_mem(n=7)",
        "casrot(n=8)", "example(n=3)", "fib(n=5) with check",
    ]  # fmt: skip
    assert len(titles) == 9 * len(MODELS)
    assert "| bakery(n=3) | SC | **3 + 1**, 0.004 | 254 + 401, 0.12 | 254 + 507, 0.33 |" in table
    assert "| bakery(n=3) | PSO | **3 + 1**, 0.004 | no such mode | over 120 s |" in table


def test_counts_must_be_equal():
    peer = next(peer for peer in countable() if peer.program == "mp" and peer.model == "pso")
    suite = suite_named("peers")
    (case,) = [
        c for c in suite.cases(SuiteSelection()) if c.program == "mp" and (c.model, c.objective) == ("pso", "traces")
    ]
    equal, different = row(case, classes=4), row(case, classes=5)
    assert [agreement(peer, each) for each in (equal, different, None)] == ["equal", "DIFFERENT", "not tried"]
    assert suite.contradicted([equal]) == []
    assert suite.contradicted([different]) == ["mp() under pso: Nidhugg --source counts 4, we 5"]


def test_other_executions_than_the_paper_on_trust():
    suite = suite_named("paper-trust")
    case = suite.cases(SuiteSelection(programs=("lastzero",)))[0]
    assert suite.contradicted([row(case, graphs=3328)]) == []
    assert suite.contradicted([row(case, graphs=3329)]) == ["lastzero(n=10) by trust: 3329 graphs, 3328 published"]
    assert suite.contradicted([row(case, graphs=3, why="late")]) == []


def test_executions_that_the_paper_on_rvf_smc_forbids():
    """More of them for more threads, or by an ablation."""
    suite = suite_named("paper-rvf-smc")
    cases = suite.cases(SuiteSelection(programs=("reorder",)))
    first, second = (case for case in cases if case.algorithm == "rvf-smc" and "6" not in case.shown_parameters)
    assert suite.contradicted([row(first), row(second)]) == []
    (sentence,) = suite.contradicted([row(first), row(second, executions=5)])
    assert sentence.startswith("reorder has 4 to 5 executions")
    ablation = next(case for case in cases if case.algorithm == "rvf-smc:no-signals")
    (sentence,) = suite.contradicted([row(first), row(ablation, executions=5)])
    assert sentence == "reorder(n=2): 5 executions by rvf-smc:no-signals, 4 by rvf-smc"


# -- growth and phases -------------------------------------------------------------


def test_growth():
    linear = marginal_costs([Mark(n, n * 0.5, 1.0) for n in range(129)])
    assert linear == [(16, 0.5), (32, 0.5), (64, 0.5), (128, 0.5)]
    assert exponent(linear) == pytest.approx(0.0)
    quadratic = marginal_costs([Mark(n, float(n * n), 1.0) for n in range(129)])
    assert quadratic == [(16, 16.0), (32, 48.0), (64, 96.0), (128, 192.0)]
    assert 1.0 < exponent(quadratic) < 1.2
    assert exponent([(1, 2.0)]) == 0.0


@pytest.mark.parametrize(
    ("stack", "phase"),
    [
        ("solvers/sat.py:topological solvers/sat.py:sort ENGINE:_seed", "order check"),
        ("solvers/sat.py:propose ENGINE:_next_seed", "solver"),
        ("solvers/sat.py:require mcr/encoding/formula.py:grow ENGINE:_next_seed", "encoding"),
        ("mcr/encoding/formula.py:grow ENGINE:_next_seed", "encoding"),
        ("replay/machine/machine.py:apply ENGINE:_play", "replay"),
        ("replay/frontend/shared.py:load examples/reference.py:thread", "user code"),
        (
            "replay/machine/machine.py:apply mcr/exploration/shorten.py:shorten ENGINE:_look_for_failures",
            "shortening",
        ),
        ("mcr/encoding/seed.py:schedule ENGINE:_seed", "seed"),
        (
            "mcr/executions/causal_past.py:_add mcr/explorers/cover/redirections.py:learn ENGINE:_extend",
            "redirections",
        ),
        ("ENGINE:_update", "rest"),
        ("", "rest"),
    ],
)
def test_phases(stack, phase):
    stack = stack.replace("ENGINE", "mcr/explorers/cover/states.py")
    assert phase_of([tuple(frame.split(":")) for frame in stack.split()]) == phase
