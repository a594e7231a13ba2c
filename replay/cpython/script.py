"""A file of Python that plays a schedule on threads of CPython, with nothing of mcr."""

from __future__ import annotations

import inspect
import os
import platform
import re
from functools import cache
from pathlib import Path

from replay.cpython.excerpt import Excerpt, excerpt
from replay.cpython.places import Place
from replay.cpython.schedule import Schedule
from replay.cpython.scheduler import file_of
from replay.errors import CheckerError
from replay.frontend.functions import ThreadedFunction, run_case, run_method
from replay.frontend.program import Program
from replay.frontend.scripts import Script
from replay.traces.project import first_folders, import_folders, package_of
from replay.world.shown import shown

MOST_LINES = 200
"""A script that would have more imports the program instead of having it in it."""

_STANDIN = """\
def decorator(*given, **settings):  # in place of mcr.program and the like
    return given[0] if given and callable(given[0]) else decorator
mcr = sys.modules["mcr"] = type(sys)("mcr")
mcr.__getattr__ = lambda name: decorator
"""

_NO_DELAYS = """\
clock, sleep, time.sleep = time.monotonic, time.sleep, lambda seconds: None  # who goes on is said by the schedule"""


_LOOSE, _DENSE, _BARE = range(3)
"""How the scheduler is written: as it is, without blank lines between methods, without docstrings of a line."""


def script(schedule: Schedule, folder: Path, *, includes: bool = True) -> str:
    """The text of a script in a folder; with `includes` it has the program in it, if that can be.

    Raises CheckerError for a program that no file defines.
    """
    program, text = schedule.program, _text(schedule)
    if isinstance(program, Script):
        return _script(schedule, folder, None, _BARE)
    lines = None if package_of(Path(program.file)) else excerpt(text, _root(program), _of_scheduler())
    for style in (_LOOSE, _DENSE, _BARE) if lines is not None and includes else ():
        including = _script(schedule, folder, lines, style)
        if including.count("\n") < MOST_LINES:
            return including
    if not re.search(rf"^(def|class) {_root(program)}\b", text, re.MULTILINE):
        raise CheckerError(f"{program.file}: it defines no {_root(program)}, which a script needs")
    if isinstance(program, ThreadedFunction) and program.given:
        raise CheckerError(
            f"{program.name} is given fixtures by pytest, which a script has not: {', '.join(program.given)}"
        )
    return _script(schedule, folder, None, _BARE)


def _script(schedule: Schedule, folder: Path, lines: Excerpt | None, style: int) -> str:
    """The text; with these lines of the file that defines the program, or importing it if there are none."""
    program = schedule.program
    head, scheduler = _scheduler(schedule, style)
    written = [*_introduction(schedule), "", *head, "", f"# -- the program, {Path(program.file).name}", ""]
    written += _paths(program, folder)
    numbers: dict[int, int] = {}
    if isinstance(program, Script):
        written += _file(program, folder)
    elif lines is None:
        written += [*_STANDIN.splitlines(), "", f"from {_module(program)} import {_root(program)}"]
    else:
        for number, line in lines.items():
            if number - 1 not in lines and written[-1]:
                written.append("")
            written.append(line)
            numbers[number] = len(written)
    renumbered = _Numbers(file_of(program.file), numbers)
    return (
        "\n".join([*written, "", *_steps(schedule, renumbered), "", *scheduler, "", *_play(schedule, renumbered)])
        + "\n"
    )


def _introduction(schedule: Schedule) -> list[str]:
    """Returns the purpose of the file, as comments."""
    title, failure = " ".join(schedule.program.title.split()), schedule.failure
    expected = failure.error if failure else "no failure"
    return [
        f"# Plays an interleaving of {title} on threads of CPython; {expected} is expected.",
        f"# Made by mcr on CPython {platform.python_version()}; it needs what the program imports, and no mcr. In other"
        " versions",
        "# of that, or of Python, instructions may be others.",
    ]


def _scheduler(schedule: Schedule, style: int) -> tuple[list[str], list[str]]:
    """The text of the scheduler without what no thread of the program asks for: imports and the like, and the rest."""
    text = _of_scheduler().partition('"""\n')[2]
    if not schedule.has_draws and not re.search(r"\.(spawn|choose|integer|wait_until)\b", _text(schedule)):
        text = _without("what threads ask for", text)
    if not schedule.has_clocks:
        text = _without("clocks", text)
    if not schedule.has_draws:
        text = _without("random numbers", text)
    if not schedule.has_orders:
        text = _without("orders of sets", text)
    text = re.sub(r"  # type: ignore\[.*?\]", "", text).replace("clock, sleep = time.monotonic, time.sleep", _NO_DELAYS)
    text = re.sub(r"\n\n\n+", "\n\n", text)
    if style >= _DENSE:
        text = re.sub(r"(\w)\nimport ", r"\1, ", text)
        text = re.sub(r"\n\n(    def|    # --|def|class|@)", r"\n\1", text)
    if style >= _BARE:
        text = re.sub(r'\n +""".*"""(?=\n)', "", text)
    head, _, rest = text.partition("# -- what plays it\n")
    return head.strip().splitlines(), ["# -- what plays it", "", *rest.strip().splitlines()]


def _without(part: str, text: str) -> str:
    """The text without a part, which begins with a comment that names it."""
    return re.sub(rf"    # -- {part}\n\n.*?(?=    # -- )", "", text, flags=re.DOTALL)


@cache
def _of_scheduler() -> str:
    return Path(__file__).with_name("scheduler.py").read_text(encoding="utf-8")


def _text(schedule: Schedule) -> str:
    return Path(schedule.program.file).read_text(encoding="utf-8")


# -- the program ----------------------------------------------------------------------


def _module(program: Program) -> str:
    """Returns the name under which the file is imported."""
    file = Path(program.file)
    package = package_of(file)
    return f"{package}.{file.stem}" if package else file.stem


def _file(script: Script, folder: Path) -> list[str]:
    """Returns lines that say which file is run."""
    file = os.path.relpath(script.file, folder.resolve())
    return ["from runpy import run_path", f"FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), {file!r})"]


def _paths(program: Program, folder: Path) -> list[str]:
    """Returns lines that let the program import what it imports, if that is not in the folder of the script."""
    here = folder.resolve()
    asked = [str(each.resolve()) for each in first_folders()]
    wanted = [*asked, *import_folders(Path(program.file))]
    folders = [os.path.relpath(each, here) for each in wanted if Path(each) != here]
    if not folders:
        return []
    return [f"sys.path[:0] = [os.path.join(os.path.dirname(__file__), each) for each in {folders!r}]", ""]


# -- the schedule -----------------------------------------------------------------------


class _Numbers:
    """Lines of the file that defines the program, by their places in the script."""

    def __init__(self, file: str, numbers: dict[int, int]) -> None:
        self._file = file
        self._numbers = numbers

    def place(self, place: Place) -> Place:
        """The place of an instruction, as the scheduler in the script finds it."""
        file, function, line, end, *rest = place
        if file != self._file or line not in self._numbers:
            return place
        return ("", function, self._numbers[line], self._numbers.get(end, end), *rest)

    def line(self, file: str, line: int) -> tuple[str, int]:
        return ("", self._numbers[line]) if file == self._file and line in self._numbers else (file, line)


def _steps(schedule: Schedule, numbers: _Numbers) -> list[str]:
    """The schedule as data."""
    return [
        "# -- the schedule: each line lets a thread run until it has come so often to an instruction (file, function,",
        "# first and last line, columns, opcode), or to its end",
        "",
        "SCHEDULE = [",
        *(
            f"    ({step.thread!r}, {step.place and numbers.place(step.place)}, {step.visit}),{_comment(step.text)}"
            for step in schedule.steps
        ),
        "]",
    ]


def _play(schedule: Schedule, numbers: _Numbers) -> list[str]:
    """Returns lines that let the program begin, and play."""
    program, failure = schedule.program, schedule.failure
    line = schedule.line and numbers.line(*schedule.line)
    fails = (schedule.failing, failure.error, line) if failure else ("", "", None)
    return [
        *_runners(program),
        'if __name__ == "__main__":',
        *(["    len(sys.argv) > 1 or os._exit(Scheduler.attempts())"] if schedule.has_orders else []),
        f"    p = Scheduler(SCHEDULE, {fails!r}, {schedule.inputs!r})",
        *(["    p.set_clocks()"] if schedule.has_clocks else []),
        *(["    p.set_draws()"] if schedule.has_draws else []),
        *(["    p.set_orders()"] if schedule.has_orders else []),
        f"    {_begin(program)}",
        "    os._exit(p.conclude())  # 1 if it fails as it should, 0 if nothing fails, else 3",
    ]


def _begin(program: Program) -> str:
    """Returns the expression that begins the program: its function is called with `p`, or runs as thread 0."""
    arguments = [f"{name}={shown(value)}" for name, value in program.arguments.items()]
    if isinstance(program, Script):
        return 'p.thread(lambda: run_path(FILE, run_name="__main__"))'
    if not isinstance(program, ThreadedFunction):
        return f"{program.name}({', '.join(['p', *arguments])})"
    if program.kind is None:
        return f"p.thread(lambda: {program.name}({', '.join(arguments)}))"
    return f"p.thread(lambda: run_method({', '.join([_root(program), repr(program.function.__name__), *arguments])}))"


def _runners(program: Program) -> list[str]:
    """Returns lines that run a method of a test as unittest or pytest does, if the program is one."""
    if not isinstance(program, ThreadedFunction) or program.kind is None:
        return []
    runners = (*inspect.getsource(run_method).splitlines(), "", *inspect.getsource(run_case).splitlines(), "")
    return [line for line in runners if '"""' not in line]


def _root(program: Program) -> str:
    """Returns what the file defines: the function, or the class whose method it is."""
    return program.name.partition(".")[0]


def _comment(text: str) -> str:
    """Returns a comment behind a step."""
    text = " ".join(text.split())
    return f"  # {text[:57] + '...' if len(text) > 60 else text}" if text else ""
