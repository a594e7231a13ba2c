"""Files that are damaged on purpose: one sentence that names file and field, whatever the damage."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.recording import TRACE
from tests.desk import Desk


@pytest.mark.parametrize(
    ("path", "value", "said"),
    [
        (("threads",), ["0"], "threads: expected object, got array"),
        (("threads", "0"), 5, "threads['0']: expected str, got int"),
        (("initial", "x"), [], "initial['x']: expected bool | int | float | str, got array"),
        (("events",), {}, "events: expected array, got object"),
        (("events", 0), None, "events[0]: expected object, got null"),
        (("events", 0, "thread"), ["0"], "events[0].thread: expected int | str, got array"),
        (("events", 0, "kind"), 7, "events[0].kind: expected str, got int"),
        (("events", 0, "kind"), ["load"], "events[0].kind: expected str, got array"),
        (("events", 0, "location"), None, "events[0].location: expected str, got null"),
        (("events", 0, "written"), {"a": 1}, "events[0].written: expected bool | int | float | str | null, got object"),
        (("events", 0, "operation"), [1], "events[0].operation: expected str, got array"),
        (("events", 0, "line"), 9, "events[0].line: expected str | null, got int"),
        (("events", 0, "line"), "sb.py", "events[0].line: expected file:line:function, got 'sb.py'"),
        (("events", 0, "line"), "sb.py:x:f", "events[0].line: expected file:line:function"),
        (("events", 0, "id"), True, "events[0].id: expected int, got bool"),
        (("events", 0, "source"), 1.5, "events[0].source: expected int | null, got float"),
        (("events", 0, "executed"), 4, "it says that it is executed in step 4, but step 0 of the schedule does that"),
        (("schedule", 0), 3, "schedule[0]: expected object, got int"),
        (("schedule", 0, "event"), True, "schedule[0].event: expected int, got bool"),
        (("schedule", 0, "event"), -1, "step 0 of the schedule names event -1, which is not there"),
        (("schedule", 0, "commit"), "x = 1", "the schedule"),
        (("program",), None, "program: expected object, got null"),
        (("program", "file"), 3, "program.file: expected str, got int"),
        (("program", "arguments"), {"n": 3}, "program.arguments[...]: expected str, got int"),
        (("failure", "stack"), "sb.py:1:f", "failure.stack: expected array, got str"),
        (("failure", "stack", 0), "x", "failure.stack[0]: expected file:line:function, got 'x'"),
        (("failure", "thread"), "9", "failure.thread: there is no thread '9'"),
        (("ends", "0", "how"), "so", "ends['0'].how: there is no end 'so'"),
        (("ends", "0"), "ended", "ends['0']: expected object, got str"),
        (("schema",), 1, "not a trace file (no schema)"),
        (("model",), None, "model: expected str, got null"),
    ],
)
@pytest.mark.parametrize("command", ["verify", "replay", "explain"])
def test_a_field_that_is_wrong_is_named(
    recorded: Desk, command: str, path: tuple[Any, ...], value: object, said: str
) -> None:
    document = json.loads((recorded.folder / TRACE).read_text())
    place = document
    for part in path[:-1]:
        place = place[part]
    place[path[-1]] = value
    recorded.write(TRACE, json.dumps(document))
    options = ("--load", "1", "--value", "1") if command == "explain" else ()
    answer = recorded.mcr(command, TRACE, *options)
    assert answer.status == 2
    assert answer.err.startswith(f"error: {TRACE}: ")
    assert said in answer.err
    assert answer.err.count("\n") == 1


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b'{"schema": "mcr-trace/1", "schema": "mcr-trace/1"}', ":1: the key 'schema' is there twice"),
        (b"\xff\xfe\x00", ":1: not UTF-8"),
        (b'\n\n{"a": "\xff"}', ":3: not UTF-8"),
        (b"[" * 100_000, ":1: nested too deeply"),
        (b'{"a":' * 100_000, ":1: nested too deeply"),
        (b'{"id": ' + b"9" * 5000 + b"}", ":1: Exceeds the limit"),
    ],
    ids=["twice", "bytes", "bytes in line 3", "arrays", "objects", "digits"],
)
def test_what_is_no_text_or_no_json(desk: Desk, data: bytes, said: str) -> None:
    (desk.folder / "t.json").write_bytes(data)
    answer = desk.mcr("verify", "t.json")
    assert answer.status == 2
    assert answer.err.startswith(f"error: t.json{said}")
    assert answer.err.count("\n") == 1


def test_the_mark_that_some_editors_write_is_no_damage(recorded: Desk) -> None:
    text = (recorded.folder / TRACE).read_bytes()
    (recorded.folder / "marked.json").write_bytes(b"\xef\xbb\xbf" + text)
    assert recorded.mcr("verify", "marked.json").status == 0


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('{"model": "sc", "name": "SB", "states": 3}', "e.jsonl:1: states: expected array, got int"),
        ('{"model": "sc", "name": ["SB"], "states": []}', "e.jsonl:1: name: expected str, got array"),
        ('{"model": ["sc"], "name": "SB", "states": []}', "e.jsonl:1: model: expected str, got array"),
        ('{"model": "sc", "states": []}', "e.jsonl:1: a line needs"),
        ('{"model": "sc", "file": "a\\u0000b", "states": []}', "e.jsonl:1: file: no file has a NUL"),
        ("[" * 100_000, "e.jsonl:1: nested too deeply"),
    ],
)
def test_expectations_that_are_damaged(desk: Desk, line: str, said: str) -> None:
    desk.write("e.jsonl", line + "\n")
    answer = desk.mcr("litmus", "SB.litmus", "--expect", "e.jsonl")
    assert (answer.status, answer.err.count("\n")) == (2, 1)
    assert said in answer.err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[tool.mcr]\nmodels = " + "[" * 5000, "nested too deeply"),
        ('[tool.mcr]\nfolder = "a\\u0000b"\n', "[tool.mcr] folder: 'a\\x00b' is not the name of a folder"),
        ("[tool.mcr]\nmax_executions = " + "9" * 5000, "cannot be read: Exceeds the limit"),
    ],
    ids=["nested", "NUL", "digits"],
)
def test_configurations(recorded: Desk, text: str, said: str) -> None:
    recorded.write("pyproject.toml", text)
    answer = recorded.mcr("check", "sb.py")
    assert (answer.status, answer.err.count("\n")) == (2, 1)
    assert said in answer.err


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("x=" + "9" * 5000, "a number of a thousand digits"),
        ("(" * 3000 + "x=1", "expected ')', found the end of the section"),
    ],
    ids=["digits", "nested"],
)
def test_litmus_tests(desk: Desk, condition: str, said: str) -> None:
    desk.write("t.litmus", f"X86 T\n{{ }}\n P0 ;\n MOV [x],$1 ;\nexists ({condition})\n")
    answer = desk.mcr("litmus", "t.litmus")
    assert answer.status == 2
    assert f"error: t.litmus:{5 if 'digits' in said else 6}: {said}" in answer.err


def test_a_condition_that_is_nested_deeply(desk: Desk) -> None:
    """It has a meaning: no parser of litmus tests goes down into it."""
    condition = "(" * 3000 + "x=1" + ")" * 3000
    desk.write("t.litmus", f"X86 T\n{{ }}\n P0 ;\n MOV [x],$1 ;\nexists ({condition})\n")
    assert desk.mcr("litmus", "t.litmus", "--model", "sc").status == 0


def test_a_key_that_is_half_a_character(desk: Desk) -> None:
    desk.write("t.json", '{"schema": "mcr-trace/1", "model": "sc", "events": [{"\\ud800": 1}]}')
    assert "there is no field" in desk.mcr("verify", "t.json").err


def test_a_name_that_is_too_long_for_a_file(desk: Desk) -> None:
    desk.write(
        "long.py",
        """
        import mcr

        @mcr.program
        def long(p, text=""):
            x = p.var("x", 0)

            def thread():
                assert x.load()

            p.thread(thread)
        """,
    )
    answer = desk.mcr("check", "long.py", "--model", "sc", "--set", f"text={'y' * 300!r}")
    assert (answer.status, answer.err) == (1, "")
    (file,) = desk.files()
    assert len(file) < 200
    assert desk.mcr("replay", file).status == 1


@pytest.mark.parametrize("name", ["/dev/null", "link.json"])
def test_what_is_no_file_of_its_own_is_written_to_and_not_replaced(recorded: Desk, name: str) -> None:
    (recorded.folder / "link.json").symlink_to("target.json")
    assert recorded.mcr("verify", TRACE, "--save", name).status == 0
    assert Path("/dev/null").is_char_device()
    assert (recorded.folder / "link.json").is_symlink()
    if name == "link.json":
        assert (recorded.folder / "target.json").read_text().startswith("{")
