"""Everything in results/, one command after the other: `python -m results [NAME ...]`.

The commands are those of the table in results/README.md; a NAME picks those that contain it, `--list` only names them.
Exit status 1 means that some failed, which are named at the end; rows that were measured before are not measured again.
"""

from __future__ import annotations

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


def main(arguments: list[str]) -> int:
    wanted = [name for name in arguments if name != "--list"]
    chosen = [command for command in commands() if not wanted or any(name in command for name in wanted)]
    failed = []
    for command in chosen:
        print(f"+ python {command}", flush=True)
        if "--list" not in arguments and subprocess.run([sys.executable, *shlex.split(command)], cwd=ROOT).returncode:
            failed.append(command)
    for command in failed:
        print(f"failed: python {command}", file=sys.stderr)
    return 1 if failed or not chosen else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
