"""Tool-info module for BenchExec, which measures tools in containers: `<benchmark tool="mcr.benchexec">`.

A task is a file with programs. Its task definition says under `options` which one and how: `program`, `model`, and
`parameters` by name. `python -m results.benchexec FOLDER` writes such tasks for the reference programs.
"""

from __future__ import annotations

import json
from typing import Any

from benchexec import result
from benchexec.tools.template import BaseTool2, UnsupportedFeatureException

_RESULTS = {
    0: result.RESULT_TRUE_PROP,
    1: result.RESULT_FALSE_PROP,
    2: result.RESULT_ERROR,
    3: result.RESULT_UNKNOWN,
}
"""By exit status of `mcr check`."""

_GRACE = 0.9
"""The share of BenchExec's limit after which the tool ends by itself, and says how far it was."""


class Tool(BaseTool2):  # type: ignore[misc]
    """`mcr check` of one program under one model."""

    def name(self) -> str:
        return "mcr"

    def executable(self, tool_locator: Any) -> str:
        return str(tool_locator.find_executable("mcr"))

    def version(self, executable: str) -> str:
        return str(self._version_from_tool(executable, line_prefix="mcr"))

    def cmdline(self, executable: str, options: list[str], task: Any, rlimits: Any) -> list[str]:
        """The command; its --timeout is a little below the limit of BenchExec, if there is one."""
        told = task.options or {}
        if not isinstance(told, dict) or not {"program", "model"} <= told.keys():
            raise UnsupportedFeatureException("the task definition needs the options program and model")
        words = ["check", f"{task.single_input_file}::{told['program']}", "--model", told["model"], "--json"]
        for name, value in told.get("parameters", {}).items():
            words += ["--set", f"{name}={value!r}"]
        limit = rlimits.cputime or rlimits.walltime
        return [executable, *words, *(["--timeout", f"{limit * _GRACE:g}"] if limit else []), *options]

    def determine_result(self, run: Any) -> str:
        """By the exit status; what BenchExec ended, it calls by its own names."""
        if run.was_terminated or run.exit_code.value not in _RESULTS:
            return str(result.RESULT_ERROR)
        return str(_RESULTS[run.exit_code.value])

    def get_value_from_output(self, output: Any, identifier: str) -> str | None:
        """A column of a table: a field of `statistics` in the document, as "executions"."""
        try:
            found = json.loads(output.text)["results"][0]["statistics"].get(identifier)
        except (ValueError, KeyError, IndexError):
            return None
        return None if found is None else str(found)
