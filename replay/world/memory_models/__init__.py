"""The memory models, a page each. A new file here is a new model: `pso.py` defines `PSO`."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from replay.errors import CheckerError
from replay.sentences import there_are
from replay.world.memory_model import MemoryModel

MODELS: dict[str, MemoryModel] = {}
"""Every model by name, those that allow less before those that allow more."""


def register(model: MemoryModel) -> None:
    """Let commands, reports and searches know a model. Raises CheckerError if there is one of that name."""
    if model.name in MODELS:
        raise CheckerError(f"there is a memory model {model.name!r} already")
    known = list(MODELS.values())
    place = max((number for number, other in enumerate(known, start=1) if model.allows(other)), default=0)
    MODELS.clear()
    MODELS.update((each.name, each) for each in (*known[:place], model, *known[place:]))


def memory_model(name: str) -> MemoryModel:
    """The model of that name, whatever its case; raises CheckerError for an unknown one."""
    try:
        return MODELS[name.lower()]
    except AttributeError:
        raise CheckerError(f"one memory model by name, not {name!r}; {there_are(MODELS)}") from None
    except KeyError:
        raise CheckerError(f"unknown memory model {name!r}; {there_are(MODELS, str(name))}") from None


for page in sorted(module.name for module in iter_modules(__path__)):
    register(getattr(import_module(f"{__name__}.{page}"), page.upper()))
