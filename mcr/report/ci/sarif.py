"""Findings as SARIF 2.1.0 (OASIS), which code hosts and editors show: an interleaving is a code flow by threads."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from mcr.report.ci.findings import BROKEN, INCOMPLETE, Finding, Findings
from mcr.report.document import write_document
from mcr.report.explanation import thread_words
from mcr.report.failure import FailureReport, cause_sentences
from mcr.report.interleaving import rows
from mcr.report.source import shown_path
from mcr.report.spelling import shown_trace
from replay.traces.trace import Trace

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"

_RULES = {
    INCOMPLETE: "A limit ended the check before everything was explored.",
    BROKEN: "The program cannot be checked as it is.",
}


class SarifOutput(Findings):
    """Writes one document at the end."""

    def end(self, status: int, missing: int) -> None:
        write_document(sarif_document(self.findings, complete=not missing), self._stream)


def sarif_document(findings: list[Finding], *, complete: bool) -> dict[str, Any]:
    """The log; `complete` is false if the user interrupted the check."""
    from importlib.metadata import version

    rules = list(dict.fromkeys(finding.rule for finding in findings))
    driver = {
        "name": "mcr",
        "version": version("mcr-checker"),
        "rules": [_rule(name) for name in rules],
    }
    run = {
        "tool": {"driver": driver},
        "invocations": [{"executionSuccessful": complete}],
        "columnKind": "unicodeCodePoints",
        "results": [_result(finding, rules.index(finding.rule)) for finding in findings],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(name: str) -> dict[str, Any]:
    text = _RULES.get(name, f"An execution that the memory model allows ends with: {name}.")
    return {"id": name, "shortDescription": {"text": text}}


def _result(finding: Finding, rule: int) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": finding.rule,
        "ruleIndex": rule,
        "level": "error" if finding.is_error else "warning",
        "message": {"text": finding.sentence},
        "partialFingerprints": {"mcr/v1": _fingerprint(finding)},
    }
    if finding.file:
        result["locations"] = [{"physicalLocation": _place(finding.file, finding.line)}]
    report = finding.report
    if report is not None:
        sentences = cause_sentences(report)
        result["message"] = {"text": "\n".join([finding.sentence, *sentences, *filter(None, [finding.replay])])}
        result["codeFlows"] = [{"threadFlows": list(_flows(shown_trace(report.trace)))}]
        result["attachments"] = list(_attachments(report))
    return result


def _fingerprint(finding: Finding) -> str:
    """Returns a digest of a finding that does not change if its line has moved."""
    return hashlib.sha256(f"{finding.rule}|{finding.file}|{finding.subject}|{finding.message}".encode()).hexdigest()[
        :32
    ]


def _place(file: str, line: int) -> dict[str, Any]:
    uri = quote(file) if not file.startswith("/") else f"file://{quote(file)}"
    return {"artifactLocation": {"uri": uri}, "region": {"startLine": line}}


def _flows(trace: Trace) -> Iterator[dict[str, Any]]:
    """A flow for each thread; the order of execution connects their steps."""
    every = rows(trace)
    for thread in (name for name in trace.threads if any(row.thread == name for row in every)):
        steps = [
            {
                "executionOrder": row.number,
                "location": {
                    "message": {"text": row.text},
                    **({"physicalLocation": _place(shown_path(row.line.file), row.line.line)} if row.line else {}),
                },
            }
            for row in every
            if row.thread == thread
        ]
        yield {"id": thread_words(thread), "locations": steps}


def _attachments(report: FailureReport) -> Iterator[dict[str, Any]]:
    for file in report.files:
        yield {"description": {"text": "mcr replay plays it again"}, "artifactLocation": {"uri": quote(str(file))}}
