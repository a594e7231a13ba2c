"""Everything in results/, one command after the other: `python -m results [NAME ...]`.

The commands are those of the table in results/README.md; a NAME picks those that contain it, `--list` only names them.
Exit status 1 means that some failed, which are named at the end; rows that were measured before are not measured again.

`python -m results --check [--rows N] [NAME ...]` measures N rows (8) of each table again, and exits with 1 if counts,
verdicts or sentences differ. `--note [S]` measures all rows of up to S seconds (5), and says at the end of each page
where none differs that it did, and at which commit.
"""

from __future__ import annotations

import argparse
import re
import shlex
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def commands() -> list[str]:
    """What the table says to run, without what is optional."""
    table = (ROOT / "results" / "README.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    found = [pair for row in rows for pair in re.findall(r"`\.venv/bin/(python|mcr) ([^`]+)`", row)]
    return [re.sub(r" *\[[^]]*\]", "", f"{'-m mcr ' if tool == 'mcr' else ''}{rest}") for tool, rest in found]


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m results", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("names", metavar="NAME", nargs="*")
    parser.add_argument("--list", action="store_true", help="only name the commands")
    parser.add_argument("--check", action="store_true", help="measure a sample again, and compare")
    parser.add_argument("--rows", type=int, metavar="N", help="of each table (8)")
    parser.add_argument(
        "--note",
        type=float,
        metavar="S",
        nargs="?",
        const=5.0,
        help="measure all rows of up to S seconds (5) again, and say so in the pages",
    )
    arguments = parser.parse_args(words)
    if arguments.check:
        from results.check import ROWS, check

        return check(arguments.rows or ROWS, tuple(arguments.names))
    if arguments.note is not None:
        from results.check import note

        return note(arguments.note, tuple(arguments.names))
    chosen = [command for command in commands() if _is_named(command, arguments.names)]
    return _run(chosen, only_list=arguments.list)


def _is_named(command: str, names: list[str]) -> bool:
    return not names or any(name in command for name in names)


def _run(chosen: list[str], *, only_list: bool) -> int:
    failed = []
    for command in chosen:
        print(f"+ python {command}", flush=True)
        if not only_list and subprocess.run([sys.executable, *shlex.split(command)], cwd=ROOT).returncode:
            failed.append(command)
    for command in failed:
        print(f"failed: python {command}", file=sys.stderr)
    return 1 if failed or not chosen else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
