"""Other memory models than those that are there, for a while."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from replay.world.memory_model import MemoryModel
from replay.world.memory_models import MODELS, register


@contextmanager
def registered(*models: MemoryModel) -> Iterator[None]:
    """In the block, everything knows these models and no others."""
    before = dict(MODELS)
    MODELS.clear()
    try:
        for model in models:
            register(model)
        yield
    finally:
        MODELS.clear()
        MODELS.update(before)
