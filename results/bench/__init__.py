"""Suites that `mcr bench` runs, what they measure beside the examples, and what other tools need for the same programs.

suites/       what is measured, one file per suite
fenced, everyday, for_ever: programs that are measured
sampling, costs, cover: probes that find out where time goes, how it grows, and how few executions would do
peers         the figures of GenMC and Nidhugg (peers.json); `comparison` holds ours beside them
"""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def source(name: str) -> str:
    """A file of the repository, from any folder."""
    return str(ROOT / name)
