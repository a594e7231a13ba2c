"""Certificates of litmus tests whose outcome is forbidden: each is confirmed.

    python -m tests.certify.litmus FOLDER --tests 500

Takes tests of the folder evenly, each under SC, TSO and PSO. Where the folder has a table of right answers
(`truth.jsonl`: file, model, and the verdict "Never"), verdicts are compared with it. Exit status 1 if one is wrong, or
something verified has no certificate that is confirmed.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from pathlib import Path

import mcr
from mcr.litmus.program import programs_of
from tests.certify.damage import certificate, why_rejected


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.certify.litmus", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--tests", type=int, default=500)
    arguments = parser.parse_args()
    folder, table = arguments.folder, arguments.folder / "truth.jsonl"
    rows = [json.loads(line) for line in table.read_text().splitlines()] if table.exists() else []
    forbidden = {(row["file"], row["model"]): row["verdict"] == "Never" for row in rows}
    files = sorted(folder.rglob("*.litmus"))
    found: Counter[str] = Counter()
    for file in files[:: max(1, len(files) // arguments.tests)][: arguments.tests]:
        (program,) = (each(ask="witness") for each in programs_of(file))
        for model in ("sc", "tso", "pso"):
            said = certificate(program, model)
            is_bug = said is None and mcr.check(program, model).verdict is mcr.Verdict.BUG
            if forbidden.get((str(file.relative_to(folder)), model), not is_bug) is is_bug:
                found["wrong"] += 1
                print(f"wrong verdict: {file} under {model}", file=sys.stderr)
            if said is None:
                found["allowed" if is_bug else "without certificate"] += 1
            elif why := why_rejected(said, program):
                found["rejected"] += 1
                print(f"rejected: {file} under {model}: {why}", file=sys.stderr)
            else:
                found["confirmed"] += 1
    print(", ".join(f"{found[what]} {what}" for what in ("confirmed", "allowed", "wrong", "rejected")))
    print(f"{found['without certificate']} are neither shown to be allowed nor have a certificate")
    return 1 if found["wrong"] + found["rejected"] + found["without certificate"] else 0


if __name__ == "__main__":
    sys.exit(main())
