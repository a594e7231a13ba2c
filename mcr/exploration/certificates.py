"""What shows that a program is verified, as the content of a file that another program reads (docs/certificates.md)."""

from __future__ import annotations

import gzip
import hashlib
import json
import platform
from pathlib import Path
from typing import Any

from mcr.exploration.archive import relative_name
from mcr.exploration.stage import Stage
from replay.traces.player import reference

TRUSTED = (
    "Python, and the code of replay that runs thread code",
    "that histories which lead to one local state, and ask for the same there, go on the same: {audits} were run on",
)
"""What a certificate does not show."""


def packed(stage: Stage, shown: dict[str, Any]) -> bytes:
    """What an explorer has shown, with what it has shown it of."""
    program, audits = reference(stage.program), stage.audits.audited
    said = {
        "format": shown["format"],
        "program": {
            "file": relative_name(program.file, Path.cwd()),
            "name": program.name,
            "arguments": program.arguments,
        },
        "sha256": hashlib.sha256(Path(program.file).read_bytes()).hexdigest(),
        "model": stage.model.name,
        "claims": ["failures", *(["deadlocks"] if stage.goals.deadlocks else [])],
        "trusted": [each.format(audits=audits) for each in TRUSTED],
        "python": platform.python_version(),
        **shown,
    }
    return gzip.compress(json.dumps(said, separators=(",", ":"), ensure_ascii=True).encode(), 6, mtime=0)
