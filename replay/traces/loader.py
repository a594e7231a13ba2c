"""Finding programs in files, FILE, FILE::NAME, or a folder of files; and running a file, which is user code."""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import io
import os
import re
import sys
import tokenize
from collections.abc import Callable, Iterator
from functools import partial
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, NoReturn

from replay.announced import LOADERS
from replay.code.lines import user_stack
from replay.code.user_code import UserCode, exploring, same_recursion_limit
from replay.code.watchdog import own_watch
from replay.errors import CheckerError, ModelError
from replay.frontend.functions import functions_of, is_test, program_named
from replay.frontend.program import Program
from replay.frontend.scripts import Script, first_statement, parts_of, runs_tests
from replay.sentences import there_are
from replay.traces.project import import_folders, importable, package_of
from replay.traces.trace import ProgramReference
from replay.world.shown import shown_error


def run_file(run: Callable[[], object], what: str, place: Callable[[BaseException], str], where: str) -> None:
    """Run a file, which may take its time. Raises ModelError for an exception of any type that leaves it.

    The sentence is `what` and the exception, at the line that `place` names; Ctrl-C raises KeyboardInterrupt.
    `where` is "file:line" of the file, for errors that know no better.
    """
    try:
        with exploring(where), same_recursion_limit():
            UserCode(partial(_patiently, run), partial(_failed, what, place)).go()
    except ModelError as error:
        # Without its traceback nobody holds code that was stopped: it is unwound at once, and leaves no half modules.
        raise error.with_traceback(None) from None


def _patiently(run: Callable[[], object]) -> None:
    watch = own_watch()
    watch.rest()
    try:
        run()
    finally:
        watch.files += 1


def _failed(what: str, place: Callable[[BaseException], str], error: BaseException) -> NoReturn:
    if isinstance(error, CheckerError):
        reason = str(error)
    elif isinstance(error, SystemExit):
        reason = "it ends the program"
    else:
        reason = f"{type(error).__name__}: {shown_error(error)}"
    raise ModelError(f"{what}: {reason}", place(error))


def find_programs(target: str) -> Iterator[Program]:
    """The programs that FILE, FILE::NAME, a folder or package.module:NAME names.

    Raises ModelError if there is none, or one is broken.
    """
    for found in find_all(target):
        if isinstance(found, CheckerError):
            raise found
        yield found


def find_all(target: str) -> Iterator[Program | CheckerError]:
    """As `find_programs`, but yields the error of each broken file in place of its programs: others can be checked."""
    try:
        path, name = place_of(target)
        if path.is_dir():
            yield from _programs_below(path, name)
        else:
            yield from _programs_of(path, name)
    except CheckerError as error:
        yield error


_OF_A_MODULE = re.compile(r"([^\W\d]\w*(?:\.[^\W\d]\w*)*):([\w.]*)")
"""package.module:NAME."""


def place_of(target: str) -> tuple[Path, str]:
    """The file, or folder, that a target names, and the name in it, "" for none. Raises ModelError for no module."""
    location, _, name = target.partition("::")
    of_module = _OF_A_MODULE.fullmatch(target)
    if of_module is None or Path(location).exists():
        return Path(location), name
    module, name = of_module.groups()
    here = os.getcwd()
    try:
        with importable([here]):
            found = importlib.util.find_spec(module)
    except Exception as error:  # packages around it are imported
        raise ModelError(f"cannot be imported: {type(error).__name__}: {shown_error(error)}", module) from None
    if found is None or found.origin is None or not found.origin.endswith(".py"):
        raise ModelError("there is no module of this name that is written in Python", module)
    file = Path(found.origin)
    return (file.relative_to(here) if file.is_relative_to(here) else file), name


def _programs_of(path: Path, name: str) -> list[Program]:
    """All programs of a file, or the one of that name."""
    if name in ("", path.name) and (script := _script_in(path)) is not None:
        return [script]
    named, others = _defined_in(path)
    if name in named:
        return [named[name]]
    if name:
        found = program_named(others, name)
        if found is None:
            test, bracket, _ = name.partition("[")
            if bracket and program_named(others, test) is not None:
                raise ModelError(
                    f"the parameters of {name} are known to pytest: `pytest --mcr=all '{path}::{name}'`, or name "
                    f"{test} alone and give its values by --set",
                    f"{path}:1",
                )
            known = [*named, *(functions_of(_tree(path)) if path.suffix == ".py" else [])]
            raise ModelError(f"there is no program or function {name!r}; {there_are(known, name)}", f"{path}:1")
        return [found]
    if not named:
        raise ModelError(f"the file defines no program {_by_name(_tree(path), path)}", f"{path}:1")
    return _in_order(named)


def _by_name(tree: ast.Module, path: Path) -> str:
    """Returns how functions of a file are checked that defines no program."""
    functions = functions_of(tree)
    tests = [*filter(is_test, functions)]
    return (
        "(a function decorated with @mcr.program); a function that starts threads is checked by its name: "
        f"{path}::{next(iter((*tests, *functions)), 'NAME')}"
        f"{f', and all tests that start threads by `pytest --mcr=all {path}`' if tests else ''}"
    )


def _script_in(path: Path) -> Script | None:
    """The program that a file is if it is run: None for one that uses mcr, runs its own tests, or only defines."""
    if path.suffix != ".py":
        return None
    tree = _tree(path)
    first = first_statement(tree)
    if first is None or runs_tests(tree) or _imports_mcr(tree):
        return None
    module = load_module(path, first)
    if any(issubclass(type(value), Program) for value in vars(module).values()):
        return None
    idle = f"the file starts no threads when it is run, and defines no program {_by_name(tree, path)}"
    return Script(module, path, first, idle)


def _imports_mcr(tree: ast.Module) -> bool:
    names = [each.name for node in ast.walk(tree) if isinstance(node, ast.Import) for each in node.names]
    names += [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    return any(name.partition(".")[0] == "mcr" for name in names)


def programs_in(path: Path) -> list[Program]:
    """The programs that a file defines itself, in order of their lines."""
    return _in_order(named_programs(path))


def _programs_below(folder: Path, name: str) -> Iterator[Program | CheckerError]:
    if name:
        raise ModelError("this is a folder; FILE::NAME needs a file", str(folder))
    count = 0
    for path in _model_files(folder):
        try:
            for program in programs_in(path):
                count += 1
                yield program
        except CheckerError as error:
            count += 1
            yield error
    if not count:
        raise ModelError("no file in this folder defines a program", str(folder))


def _model_files(folder: Path) -> Iterator[Path]:
    """Files below a folder that may define programs: others are not imported, since that may do anything."""
    for path in sorted(folder.rglob("*")):
        hidden = any(part.startswith(".") or part == "__pycache__" for part in path.relative_to(folder).parts)
        if not hidden and path.is_file() and _may_define_programs(path):
            yield path


def _may_define_programs(path: Path) -> bool:
    if path.suffix != ".py":
        return path.suffix in LOADERS
    text = path.read_text(encoding="utf-8", errors="replace")
    return "program" in text or re.search(r"\bmcr\b.*\b(test|fails)\b", text) is not None


def _in_order(named: dict[str, Program]) -> list[Program]:
    """Programs by their lines, each once. Raises ModelError where two go by one name, under which traces are kept."""
    found: dict[str, Program] = {}
    for program in named.values():
        other = found.setdefault(program.title, program)
        if other.function is not program.function:
            raise ModelError(
                f"two programs are called {program.title} (FILE::NAME checks one of them); "
                "give each function a name of its own, or make one program with a parameter",
                program.place,
            )
    return sorted(found.values(), key=lambda program: program.line)


def named_programs(path: Path) -> dict[str, Program]:
    """The programs that a file defines itself, by the names that it gives them."""
    return _defined_in(path)[0]


def _defined_in(path: Path) -> tuple[dict[str, Program], dict[str, Any]]:
    """The programs that a file defines itself; and all that it defines, or imports."""
    if path.suffix in LOADERS:
        return {program.name: program for program in LOADERS[path.suffix](path)}, {}
    names = vars(load_module(path))
    return {
        name: value
        for name, value in names.items()
        if issubclass(type(value), Program) and Path(value.file).resolve() == path.resolve()
    }, names


class _SourceLoader(SourceFileLoader):
    """Without the cache of compiled files, which misses a change of equal length within the same second.

    `first` is the number of the statement before which it stops, None for none.
    """

    first: int | None = None

    def get_code(self, fullname: str) -> CodeType:
        data = self.get_data(self.path)
        if self.first is None:
            return self.source_to_code(data, self.path)
        return parts_of(importlib.util.decode_source(data), self.path, self.first)[0]


def load_module(path: Path, first: int | None = None) -> ModuleType:
    """Import a file by its path, up to the statement of a number if one is given.

    Raises ModelError naming file and line if that fails.
    """
    _tree(path)
    package = package_of(path)
    digest = hashlib.sha256(os.fsencode(path.resolve())).hexdigest()[:8]
    name = f"{package}{'.' if package else ''}mcr_model_{path.stem}_{digest}"
    file = os.path.join(os.getcwd(), path)  # what was compiled must name its file from any folder
    loader = _SourceLoader(name, file)
    loader.first = first
    spec = importlib.util.spec_from_file_location(name, file, loader=loader)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    with importable(import_folders(path)):
        run_file(partial(spec.loader.exec_module, module), "cannot be imported", partial(_place, path), f"{path}:1")
    return module


def _tree(path: Path) -> ast.Module:
    """Returns the tree of a file. Raises ModelError if it has none."""
    if path.exists() and path.suffix != ".py":  # devices and pipes, too
        known = ", ".join([".py", *LOADERS])
        raise ModelError(f"not a file that may define programs (their names end in {known})", f"{path}:1")
    try:
        return ast.parse(_text(path))
    except FileNotFoundError:
        raise ModelError("there is no such file", str(path)) from None
    except OSError as error:
        raise ModelError(f"cannot be read: {error.strerror}", str(path)) from None
    except SyntaxError as error:
        raise ModelError(f"not Python: {error.msg}", f"{path}:{error.lineno or 1}") from None
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise ModelError(f"not Python: it is not {error.encoding.upper()}", f"{path}:{line}") from None
    except (ValueError, RecursionError) as error:
        raise ModelError(f"not Python: {error}", f"{path}:1") from None


def _text(path: Path) -> str:
    """A source text in the encoding that it says it has."""
    data = path.read_bytes()
    encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    return data.decode(encoding)


def _place(path: Path, error: BaseException) -> str:
    """The innermost line of the file itself that was running when it could not be imported."""
    file = str(path.resolve())
    lines = [source.line for source in user_stack(error.__traceback__) if str(Path(source.file).resolve()) == file]
    return f"{path}:{lines[0] if lines else 1}"


def resolve(
    reference: ProgramReference, trace: Path | None = None, announce: Callable[[Path], None] | None = None
) -> Program:
    """The program that a trace speaks of.

    Its file is looked up from the current folder, then from the folders above
    the file of the trace, then beside that. Raises ModelError if it is gone.
    The file is imported, which may do anything: `announce` is told before.
    """
    file = Path(reference.file)
    candidates = [file]
    if trace is not None:
        candidates += [folder / file for folder in trace.resolve().parents]
        candidates.append(trace.resolve().parent / file.name)
    path = next((path for path in candidates if path.is_file()), None)
    if path is None:
        raise ModelError("the program of this trace is not there any more (--program says where it is)", reference.file)
    if announce is not None:
        announce(path)
    return with_arguments(_programs_of(path, reference.name)[0], reference)


def with_arguments(program: Program, reference: ProgramReference) -> Program:
    """The program with the parameters that were recorded. Raises ModelError if one cannot be read back."""
    arguments = {name: _literal(name, text, reference) for name, text in reference.arguments.items()}
    return program(**arguments) if arguments else program


def _literal(name: str, text: str, reference: ProgramReference) -> object:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        raise ModelError(
            f"parameter {name!r} was {text}, which is no Python literal; mcr.replay can play this trace",
            reference.file,
        ) from None
