"""Names in docstrings, comments and pages that nothing in the repository has."""

from __future__ import annotations

import ast
import builtins
import keyword
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from tests.desk import ROOT

CODE = ("mcr", "replay", "solvers", "tests", "results", "examples")
NOT_PYTHON = ("*.c", "*.js", "*.html", "*.css", "*.lark", "*.toml", "*.sh", "*.cfg")
PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/*.md", "tests/**/*.md", "results/**/*.md")
OF_OTHERS = ("results/existing.md", "results/newcomers.md", "results/ordinary-classes.md", "results/reports.md")
"""Tables about files that are not in the repository."""

OF_USERS = {"hello.py", "test_sb.py", "limits/storage/memory.py", "web.py"}
"""Names of files in examples of docstrings and comments."""

ELSEWHERE = {
    *("PySetObject", "PyDictKeysObject", "PyDictObject", "PyNumber_Check", "PySequence_Check", "_PyErr_SetObject"),
    *("eval_breaker", "mutablemapping_add_pairs", "mutablemapping_update_arg", "reduce_newobj"),
    *(
        "unsafe_object_compare",
        "buf_ring",
        "cake_lpr",
        "python_functions",
        "x86_64",
        "test_ring",
        "TestPool",
        "test_get",
    ),
}
"""Names of CPython's sources, of other projects, and of users."""

_FENCED = re.compile(r"^([ >]*)```.*?^\1```", re.DOTALL | re.MULTILINE)
_COMMAND = re.compile(r"^ +(?:\$ )?mcr .*$", re.MULTILINE)
_COMMENT = re.compile(r"(?<!\S)# .*$", re.MULTILINE)
_SPAN = re.compile(r"(`+)([^`]+?)\1", re.DOTALL)
_WORD = re.compile(r"[A-Za-z_]\w{2,}")
_FILE = re.compile(
    rf"(?<![\w/.<*{{-])(?:(?:[\w.-]+/)*[\w-]+\.(?:py|md|lark)|(?:{'|'.join(CODE)}|docs)/[\w/-]+\.\w+)(?![\w/*])"
)
_PLACE = re.compile(r"\b((?:[\w-]+/)+[\w-]+)\.py:([A-Za-z_]\w*(?:\.\w+)*)")
_PLACEHOLDER = re.compile(r"[A-Z]+\.py|SUITE\.md")
_DOTTED = re.compile(r"(?<![\w./-])[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+(?![\w/])")
_OF_SELF = re.compile(r"\bself\.(\w+)")
_VARIABLE = re.compile(r"(?:[(,]\s*\*{0,2}|^\s*|\bfor |\bas )([a-z_]\w*)(?=\s*:| = |, | in )", re.MULTILINE)


class Sentence(NamedTuple):
    """A text that people read, and where it begins; `own` are words that its page explains."""

    file: Path
    line: int
    text: str
    own: frozenset[str] = frozenset()


class Known:
    """The names that the repository has.

    sentences  docstrings and comments, without commands in them
    files      paths below its root, and their ends
    modules    names of each module by its path with dots
    members    names in each module or class, by its last name; bases of a class begin with "<"
    words      words of all code
    variables  those of them that are variables or parameters
    """

    def __init__(self) -> None:
        self.sentences: list[Sentence] = []
        self.files: set[str] = set()
        self.modules: dict[str, set[str]] = {}
        self.members: defaultdict[str, set[str]] = defaultdict(set)
        self.variables: set[str] = set()
        self.words = {*ELSEWHERE, *keyword.kwlist, *dir(builtins), *sys.stdlib_module_names, *sys.modules}
        for file in (*ROOT.glob("*"), *_files((*CODE, "docs"), ("*",))):
            parts = file.relative_to(ROOT).parts
            self.files.update("/".join(parts[start:]) for start in range(len(parts)))
        for file in (ROOT / "pyproject.toml", *_files((*CODE, ".ci"), NOT_PYTHON)):
            self.words.update(_WORD.findall(file.read_text(encoding="utf-8")))
        for file in _files(CODE, ("*.py",)):
            self._read(file)
        self.words.update(part for module in self.modules for part in module.split("."))

    def _read(self, file: Path) -> None:
        text = file.read_text(encoding="utf-8")
        tree, lines = ast.parse(text), text.split("\n")
        path = file.relative_to(ROOT).with_suffix("")
        parts = path.parts[:-1] if path.name == "__init__" else path.parts
        names = self.modules[".".join(parts)] = set(_defined(tree.body))
        self.members[parts[-1]] |= names
        for above in range(1, len(parts)):
            self.members[parts[above - 1]].add(parts[above])
        for node in _texts_and_classes(tree):
            if isinstance(node, ast.ClassDef):
                code = "\n".join(lines[node.lineno : node.end_lineno])
                self.members[node.name] |= {*_defined(node.body), *_OF_SELF.findall(code), *_bases(node)}
        for node in _texts_and_classes(tree):
            if isinstance(node, ast.Constant):
                self.sentences.append(Sentence(file, node.lineno, _COMMAND.sub("", str(node.value))))
                lines[node.lineno - 1 : node.end_lineno] = [""] * ((node.end_lineno or 0) - node.lineno + 1)
        code = "\n".join(lines)
        for comment in _COMMENT.finditer(code):
            self.sentences.append(Sentence(file, code.count("\n", 0, comment.start()) + 1, comment[0]))
        code = _COMMENT.sub("", code)
        self.words.update(_WORD.findall(code))
        self.variables.update(_VARIABLE.findall(code))

    def of(self, name: str) -> set[str] | None:
        """Returns the names in all modules and classes of a name, with those of their bases; None if there is none."""
        if name not in self.members:
            return None
        found, todo, done = set[str](), [name], set[str]()
        while todo:
            each = todo.pop()
            if each not in done:
                done.add(each)
                found |= self.members.get(each, set())
                todo += [base[1:] for base in self.members.get(each, ()) if base.startswith("<")]
        return found


def sentences(known: Known) -> Iterator[Sentence]:
    """Yields docstrings and comments, and the paragraphs of pages without their fenced blocks."""
    yield from known.sentences
    for pattern in PAGES:
        for file in sorted(ROOT.glob(pattern)):
            if file.relative_to(ROOT).as_posix() not in OF_OTHERS:
                yield from _of_page(file)


def _of_page(file: Path) -> Iterator[Sentence]:
    text, line = file.read_text(encoding="utf-8"), 1
    own = {name for block in _FENCED.finditer(text) for name in re.findall(r"[\w./-]*\w", block[0])}
    words = frozenset(own).union(*map(_WORD.findall, own))
    for paragraph in _FENCED.sub(lambda block: "\n" * block[0].count("\n"), text).split("\n\n"):
        yield Sentence(file, line, paragraph, words)
        line += paragraph.count("\n") + 2


def stale(sentence: Sentence, known: Known) -> Iterator[str]:
    """Yields the names in a sentence that nothing has: of files anywhere in it, others between backticks."""
    for found in _FILE.findall(sentence.text):
        if not _is_file(found, sentence, known):
            yield found
    for module, names in _PLACE.findall(sentence.text):
        if not _is_path(f"{module.replace('/', '.')}.{names}", known):
            yield f"{module}.py:{names}"
    words = known.words | sentence.own if sentence.own else known.words
    for span in _SPAN.finditer(sentence.text):
        inner = _FILE.sub(" ", span[2])
        for dotted in _DOTTED.findall(inner):
            if not _is_dotted(dotted, words, known):
                yield dotted
        for word in _WORD.findall(_DOTTED.sub(" ", inner)):
            if word not in words and (sentence.file.suffix == ".py" or "_" in word):  # pages name commands of the shell
                yield word


def _is_file(name: str, sentence: Sentence, known: Known) -> bool:
    if name in known.files or name in sentence.own or name in OF_USERS or _PLACEHOLDER.fullmatch(name):
        return True
    if sentence.file.suffix == ".md" and name.partition("/")[0] not in (*CODE, "docs"):
        return True  # of users, most often
    return (sentence.file.parent / name).exists()


def _is_dotted(name: str, words: set[str] | frozenset[str], known: Known) -> bool:
    first, *rest = parts = name.split(".")
    if name in known.files:
        return True
    if first in CODE:
        return _is_path(name, known)
    if first in sys.stdlib_module_names and hasattr(import_module(first), rest[0]):
        return True
    names = known.of(first)
    is_ours = names is not None and first not in known.variables
    if is_ours and rest[0] not in (names or ()):
        return False
    return words.issuperset(filter(_WORD.fullmatch, parts))


def _is_path(name: str, known: Known) -> bool:
    """Returns whether packages, a module, and names in it lead to a dotted name."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        module = ".".join(parts[:length])
        if module in known.modules:
            rest = parts[length:]
            if length == 1:  # a facade gives names that it does not define
                return known.words.issuperset(rest)
            return not rest or (
                rest[0] in known.modules[module]
                and all(later in (known.of(earlier) or ()) for earlier, later in pairwise(rest))
            )
    return False


def _files(folders: Iterable[str], patterns: Iterable[str]) -> Iterator[Path]:
    for folder in folders:
        for pattern in patterns:
            yield from (file for file in sorted((ROOT / folder).rglob(pattern)) if "__pycache__" not in file.parts)


def _texts_and_classes(tree: ast.AST) -> Iterator[ast.ClassDef | ast.Constant]:
    """Yields classes, docstrings, and texts that stand below what they explain."""
    for statement in getattr(tree, "body", ()):
        if isinstance(statement, ast.ClassDef):
            yield statement
        text = statement.value if isinstance(statement, ast.Expr) else None
        if isinstance(text, ast.Constant) and isinstance(text.value, str):
            yield text
        yield from _texts_and_classes(statement)


def _defined(body: Iterable[ast.stmt]) -> Iterator[str]:
    for statement in body:
        match statement:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield statement.name
            case ast.Import() | ast.ImportFrom():
                yield from ((alias.asname or alias.name).partition(".")[0] for alias in statement.names)
            case ast.If():
                yield from _defined((*statement.body, *statement.orelse))
            case _:
                names = (node for node in ast.walk(statement) if isinstance(node, ast.Name))
                yield from (name.id for name in names if isinstance(name.ctx, ast.Store))


def _bases(node: ast.ClassDef) -> Iterator[str]:
    for base in node.bases:
        yield from (f"<{each.id}" for each in ast.walk(base) if isinstance(each, ast.Name))
