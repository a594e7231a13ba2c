"""The samplers by name: what `--sampler` takes."""

from __future__ import annotations

from collections.abc import Callable

from mcr.explorers.sample.mix import Mix
from mcr.explorers.sample.partial_order import PartialOrderSampling
from mcr.explorers.sample.pct import PCT
from mcr.explorers.sample.sampling import Sampler
from mcr.explorers.sample.selective import SelectiveWalk
from mcr.explorers.sample.uniform import UniformWalk
from mcr.explorers.sample.walk import Walk
from replay.errors import CheckerError
from replay.sentences import there_are

SAMPLERS: dict[str, Callable[[], Sampler]] = {
    "mix": Mix,
    "pct": PCT,
    "walk": Walk,
    "pos": PartialOrderSampling,
    "urw": UniformWalk,
    "surw": SelectiveWalk,
}
"""Every sampler, the default first."""


def sampler_named(name: str) -> Sampler:
    """A new sampler. Raises CheckerError for a name that does not exist."""
    if name not in SAMPLERS:
        raise CheckerError(f"there is no sampler {name!r}; {there_are(SAMPLERS, name)}")
    return SAMPLERS[name]()
