"""One door to all procedures: which of them decides an instance under a model."""

from __future__ import annotations

from mcr.consistency.closure import closure, good_closure
from mcr.consistency.instance import Answer, Instance, SearchOptions
from mcr.consistency.phases import Phases
from mcr.consistency.search import Search
from mcr.consistency.verify_pso import FORWARDED_BY_LOCATION, VerifyPSO
from mcr.consistency.verify_sc import VerifySC
from mcr.consistency.verify_tso import VerifyTSO
from mcr.consistency.witness import extension
from replay.errors import CheckerError
from replay.world.memory_model import MemoryModel

DEFAULT = SearchOptions()


def realize(instance: Instance, model: MemoryModel, how: SearchOptions = DEFAULT) -> Answer:
    """Whether the instance is realizable under the model, by the published algorithm for its way of buffering.

    Good-writes instances are decided where no store is buffered; else CheckerError.
    """
    if not instance.is_rf and model.buffers is not None:
        raise CheckerError(f"reads with several good writes cannot be verified under {model.name}, only under sc")
    return decided(_search(instance, model), instance, model, how)


def _search(instance: Instance, model: MemoryModel) -> type[Search]:
    """VerifySC where no store is buffered, VerifyPSO where it is sound; VerifyTSO is for any buffers."""
    if model.buffers is None:
        return VerifySC
    return VerifyPSO if model.buffers == FORWARDED_BY_LOCATION and not instance.has_store_fence() else VerifyTSO


def decided(search: type[Search], instance: Instance, model: MemoryModel, how: SearchOptions) -> Answer:
    """Section 4.3 of [bui-2021]: no closure, no witness; else the search respects the closure."""
    if not how.closure:
        return search(Phases(instance, model), how).run()
    order = closure(instance, model) if instance.is_rf else good_closure(instance, model)
    if order is None:
        return Answer(None)
    witness = extension(instance, model, order) if how.extends and instance.is_rf else None
    return Answer(witness) if witness else search(Phases(instance, model, order), how).run()
