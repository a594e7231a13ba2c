"""Decide whether an execution is possible under a memory model, from its events and the reads-from relation alone.
The trace may come from `mcr check`, or be a log of a real machine in the same format (docs/formats.md), with
the order of events in time left out.

The answer comes with evidence: a schedule that shows the execution, or the shortest cycle that forbids it, in the
terms of the literature (po, ppo, rf, fr, co, fence).

examples:
  mcr verify .mcr/peterson-tso.json --model sc
  mcr verify log.json --model tso --json

Here exit status 0 means consistent, 1 inconsistent.
"""

from __future__ import annotations

import argparse
from functools import partial

from mcr.cli.arguments import add_options, add_output_arguments, add_trace_arguments
from mcr.cli.request import answer
from mcr.cli.status import Status
from mcr.consistency.check import Consistent, verify_trace
from mcr.consistency.instance import SearchOptions
from mcr.exploration.archive import save
from mcr.report.consistency import render_verdict, verdict_document
from replay.traces.files import load_trace


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_trace_arguments(parser, "a trace, or a log in the format of traces")
    search = {
        "--no-closure": "search without computing the closure first",
        "--save FILE": "write the schedule that was found as a trace",
    }
    add_options(parser, search)
    add_output_arguments(parser)


def run(arguments: argparse.Namespace) -> Status:
    trace = load_trace(arguments.trace)
    verdict = verify_trace(trace, arguments.model or "", SearchOptions(closure=not arguments.no_closure))
    answer(arguments, lambda *_: verdict_document(verdict), partial(render_verdict, trace, verdict))
    if isinstance(verdict, Consistent):
        if arguments.save:
            save(verdict.witness, arguments.save)
        return Status.VERIFIED
    return Status.BUG
