"""Under which models a program is known to fail, and which such claims make no sense."""

from __future__ import annotations

from collections.abc import Sequence

from replay.world.memory_models import MODELS


def nonsense(models: Sequence[str], failing: Sequence[str]) -> str:
    """What is wrong with expecting failures under `failing` in a test under `models`; "" if nothing is."""
    strange = [name for name in failing if name not in models]
    if strange:
        return f"it expects a failure under {_shown(strange)}, but the test is about {_shown(models)}"
    for weak in failing:
        for name in models:
            if name not in failing and MODELS[name].allows(MODELS[weak]):
                return (
                    f"what fails under {weak.upper()} fails under {name.upper()} too, which allows all that "
                    f"{weak.upper()} does; list {name} as well, or take it out of the models of the test"
                )
    return ""


def _shown(models: Sequence[str]) -> str:
    return ", ".join(name.upper() for name in models)
