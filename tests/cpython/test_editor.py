"""The launch configuration that the documentation names for VS Code, driven as the editor does."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.desk import ROOT, Desk
from tests.docs.pages import blocks

CACHE = """
import threading

class Cache:
    value, made = None, 0

    def get(self):
        if self.value is None:
            self.made += 1
            self.value = "made"
        return self.value

def test_made_once():
    cache = Cache()
    threads = [threading.Thread(target=cache.get) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert cache.made == 1
"""


@pytest.mark.skipif(not hasattr(sys, "monitoring"), reason="scripts trace as debuggers do before CPython 3.12")
def test_a_breakpoint_in_thread_code_stops_where_the_schedule_is(desk: Desk) -> None:
    """Both threads come to the line that makes the value before either has made it."""
    pytest.importorskip("debugpy")
    desk.write("test_cache.py", CACHE)
    desk.mcr("check", "test_cache.py::test_made_once")
    desk.mcr("replay", ".mcr/test_made_once-sc.json", "--script", "again.py")
    (launch,) = json.loads(_launch_file())["configurations"]
    script = Path(launch["program"].replace("${workspaceFolder}", str(desk.folder)))
    line = 1 + script.read_text().splitlines().index("            self.made += 1")
    stops = [*_stops({**launch, "program": str(script)}, script, line, "(self.value, self.made)")]
    assert [values for _, values in stops] == ["(None, 0)", "(None, 0)"]
    assert len({thread for thread, _ in stops}) == 2


def _launch_file() -> str:
    page = ROOT / "docs" / "reading-a-report.md"
    return next(block.text for block in blocks(page) if block.file == ".vscode/launch.json")


def _stops(launch: dict[str, Any], file: Path, line: int, expression: str) -> Iterator[tuple[int, str]]:
    """Launches a program under debugpy's adapter; yields each thread that stops at a line, and the expression there."""
    with subprocess.Popen(
        [sys.executable, "-m", "debugpy.adapter"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as adapter:
        to, back = adapter.stdin, adapter.stdout
        assert to is not None
        assert back is not None

        def ask(command: str, **arguments: Any) -> None:
            body = json.dumps({"seq": 1, "type": "request", "command": command, "arguments": arguments}).encode()
            to.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
            to.flush()

        ask("initialize", adapterID=launch["type"], pathFormat="path")
        ask("launch", **launch, python=[sys.executable], console="internalConsole")
        guard = threading.Timer(60, adapter.kill)
        guard.start()
        thread = 0
        while (answer := _answer(back)) is not None:
            body = answer.get("body") or {}
            match answer.get("event") or answer.get("command"):
                case "initialized":
                    ask("setBreakpoints", source={"path": str(file)}, breakpoints=[{"line": line}])
                    ask("configurationDone")
                case "stopped":
                    thread = body["threadId"]
                    ask("stackTrace", threadId=thread)
                case "stackTrace":
                    assert body["stackFrames"][0]["line"] == line
                    ask("evaluate", expression=expression, frameId=body["stackFrames"][0]["id"])
                case "evaluate":
                    yield thread, body["result"]
                    ask("continue", threadId=thread)
                case "terminated":
                    break
        guard.cancel()
        adapter.kill()


def _answer(stream: Any) -> dict[str, Any] | None:
    size = 0
    while line := stream.readline().strip():
        if line.lower().startswith(b"content-length:"):
            size = int(line.split(b":")[1])
    answer: dict[str, Any] | None = json.loads(stream.read(size)) if size else None
    return answer
