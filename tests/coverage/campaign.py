"""Coverage of every example under every model against the oracle's.

python -m tests.coverage.campaign
"""

from __future__ import annotations

import sys

from replay.traces.loader import programs_in
from replay.world.memory_models import MODELS
from tests.coverage.agreement import disagreement
from tests.desk import EXAMPLES


def main() -> int:
    compared = too_large = 0
    for path in sorted(EXAMPLES.glob("*.py")):
        for program in programs_in(path):
            for model in MODELS.values():
                differs = disagreement(program, model)
                if differs:
                    print(f"{path.stem}::{program.title} under {model.name}: {differs}")
                    return 1
                compared += differs is not None
                too_large += differs is None
        print(f"{path.stem}: {compared} comparisons agree, {too_large} too large", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
