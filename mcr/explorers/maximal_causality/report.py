"""Evidence that the checker contradicted itself, for whoever is to find out why."""

from __future__ import annotations

from pathlib import Path

from mcr.explorers.maximal_causality.enforce import Seed
from mcr.explorers.maximal_causality.recording import Recording
from replay.machine.unfolding import Unfolding
from replay.traces.files import save_trace
from replay.traces.player import record
from replay.world.memory_model import MemoryModel
from replay.world.shown import shown
from replay.writing import write_atomically


def save_contradiction(
    folder: Path, unfolding: Unfolding, model: MemoryModel, seed: Seed, execution: Recording, broken: str
) -> Path:
    """Save what was promised and what was replayed; returns the folder."""
    lines = [f"The replay of this seed under {model.name} went wrong: {broken}.", "", "Promised, in this order:"]
    for event in seed.events:
        what = event.before.operation.describe() if event.before.operation else "end"
        value = f" reads {shown(unfolding.values[event.read])}" if event.read >= 0 else ""
        lines.append(f"  thread {unfolding.thread_name(event.thread)}, operation {event.depth}: {what}{value}")
    write_atomically(folder / "promised.txt", "\n".join(lines) + "\n")
    save_trace(record(unfolding, model, execution.choices), folder / "replayed.json")
    return folder
