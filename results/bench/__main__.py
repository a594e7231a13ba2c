"""`python -m results.bench SUITE ...`, from the root of the repository."""

from __future__ import annotations

import sys

from mcr.cli import main
from results.bench import command

if __name__ == "__main__":
    sys.exit(main(command=command, name="python -m results.bench"))
