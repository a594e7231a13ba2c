"""The plugin among others: pytest-xdist, the cache, other folders, -p no:mcr, projects that know nothing of it."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from mcr.exploration.options import Options
from tests.desk import ROOT
from tests.testing.project import SB, Project, failures_of
from tests.testing.test_report import COMMAND, SECTION, TABLE

MANY = "\n".join(f"@mcr.test(models=('sc', 'tso'))\ndef sb{number}(p): declare(p)\n" for number in range(6))


def test_stop_at_the_first(project: Project) -> None:
    project.write("test_sb.py", SB, MANY)
    project.pytest("-x").assert_outcomes(passed=1, failed=1)


def test_last_failed(project: Project) -> None:
    project.store_buffering("@mcr.test")
    project.pytest().assert_outcomes(passed=1, failed=2)
    project.pytest("--lf").assert_outcomes(failed=2)
    project.store_buffering("@mcr.test", fence="p.fence")
    project.pytest("--lf").assert_outcomes(passed=2)
    project.pytest("--lf").assert_outcomes(passed=3)


def test_without_a_cache(project: Project) -> None:
    """Schedules are kept all the same, and cached by nobody else."""
    project.store_buffering("@mcr.test(models='tso')")
    project.pytest("-p", "no:cacheprovider").assert_outcomes(failed=1)
    result = project.pytest("-p", "no:cacheprovider")
    result.stdout.fnmatch_lines(["The schedule kept in .mcr/test_sb/sb-tso.json still fails*"])
    assert not (project.folder / ".pytest_cache").exists()


JOBS = """
import mcr
from mcr.exploration.options import Options

made = Options.__post_init__

def noting(options):
    made(options)
    with open("jobs.txt", "a") as file:
        file.write(f"{options.jobs}\\n")

Options.__post_init__ = noting

@mcr.test(models="sc")
def one(p):
    x = p.var("x", 0)
    p.thread(lambda: x.store(1))
"""


@pytest.mark.parametrize(("arguments", "jobs"), [((), 1), (("--mcr-jobs=5",), 5), (("--mcr-jobs=5", "-n2"), 2)])
def test_workers_share_the_processes_that_checks_may_use(
    arguments: tuple[str, ...], jobs: int, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("PYTEST_XDIST_WORKER", "PYTEST_XDIST_WORKER_COUNT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Options, "__post_init__", Options.__post_init__)  # to be as it was, afterwards
    project.write("test_one.py", JOBS)
    project.pytest(*arguments).assert_outcomes(passed=1)
    assert {*(project.folder / "jobs.txt").read_text().split()} == {str(jobs)}


def test_no_processes_are_too_few(project: Project) -> None:
    project.store_buffering("@mcr.test")
    project.pytest("--mcr-jobs=0").stderr.fnmatch_lines(["*--mcr-jobs: 0 is not a whole number above 0"])


def test_workers_report_as_one_process_does(project: Project) -> None:
    project.store_buffering("@mcr.test(models='tso')")
    text = failures_of(project.pytest("-n1").stdout.str())
    lines = [line for line in text.splitlines(keepends=True) if not line.startswith("[gw")]
    text = "".join(lines)
    assert text.startswith(SECTION)
    assert TABLE in text
    assert COMMAND in text


def test_workers_know_colour_and_line(project: Project) -> None:
    project.store_buffering("@mcr.test(models='tso')")
    assert "\x1b[1;31msb fails under TSO" in project.pytest("-n1", "--color=yes").stdout.str()
    project.pytest("-n1", "--tb=line").stdout.fnmatch_lines(["*test_sb.py:17: AssertionError: both read 0"])


def test_workers_keep_and_play_schedules(project: Project) -> None:
    """Several at a time, in one folder; nothing half-written stays behind. Half of the programs get a fence then."""
    project.write("test_sb.py", SB, MANY)
    project.pytest("-n2").assert_outcomes(passed=6, failed=6)
    assert project.kept() == [f".mcr/test_sb/sb{number}-tso.json" for number in range(6)]
    project.write("test_sb.py", SB, re.sub(r"(sb[024]\(p\): declare\(p)", r"\1, p.fence", MANY))
    result = project.pytest("-n2", "--lf")
    result.assert_outcomes(passed=3, failed=3)
    assert result.stdout.str().count("still fails; no other was tried.") == 3
    assert project.kept() == [f".mcr/test_sb/sb{number}-tso.json" for number in (1, 3, 5)]


def test_another_root(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    """Schedules are kept below the root; what is printed can be typed where one is."""
    project.store_buffering("@mcr.test(models='tso')")
    project.write("pyproject.toml", "[tool.pytest.ini_options]\n[tool.mcr]\nmax_executions = 1000")
    (project.folder / "below").mkdir()
    (project.folder / "test_sb.py").rename(project.folder / "below/test_sb.py")
    monkeypatch.chdir(project.folder / "below")
    result = project.pytest()
    result.assert_outcomes(failed=1)
    assert project.kept() == [".mcr/below/test_sb/sb-tso.json"]
    command = next(line for line in result.outlines if "mcr replay" in line)
    assert project.mcr(*command.split()[1:]).status == 1
    project.pytest("--rootdir=..").stdout.fnmatch_lines(["The schedule kept in*"])


def test_without_the_plugin(project: Project) -> None:
    """The module can still be imported, and its other tests run."""
    project.store_buffering()
    file = project.folder / "test_sb.py"
    file.write_text(file.read_text() + "\n\ndef test_plain(): pass\n")
    project.pytest("-p", "no:mcr").assert_outcomes(passed=1)


def test_markers_are_known(project: Project) -> None:
    project.store_buffering("@mcr.test(models='sc')")
    project.pytest("--strict-markers", "-W", "error").assert_outcomes(passed=1)


def test_found_after_installation() -> None:
    from importlib.metadata import entry_points

    (found,) = entry_points(group="pytest11", name="mcr")
    assert found.value == "mcr.testing.plugin"


HEAVY = (
    "pysat",
    "z3",
    "tqdm",
    "mcr.exploration.session",
    "replay.frontend.program",
    "mcr.cli",
)


@pytest.mark.parametrize("toml", ["", "[tool.other]\nkey = 1"])
def test_a_project_that_does_not_use_it_pays_nothing(project: Project, toml: str) -> None:
    """Not even an import of our own, but the plugin itself."""
    project.write("pyproject.toml", toml)
    (project.folder / "test_x.py").write_text(
        f"import sys\ndef test_x():\n    assert 'mcr.testing.plugin' in sys.modules\n"
        f"    assert not [name for name in {HEAVY} if name in sys.modules]\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:hypothesispytest"],
        cwd=project.folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def test_the_plugin_imports_nothing_heavy() -> None:
    code = f"import mcr.testing.plugin, sys; print([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_objects_that_lie_about_their_class_are_left_alone(project: Project) -> None:
    """As proxies do that raise when they are looked at outside a request."""
    proxy = "class Proxy:\n    @property\n    def __class__(self): raise RuntimeError\n\nproxy = Proxy()"
    project.store_buffering("@mcr.test(models='sc')")
    project.write("test_x.py", proxy, "def test_plain(): pass")
    project.pytest().assert_outcomes(passed=2)
