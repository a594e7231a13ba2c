"""One door to all procedures: which of them decides an instance under a model."""

from __future__ import annotations

from mcr.consistency.closure import closure, good_closure
from mcr.consistency.instance import Instance, Realization, SearchOptions
from mcr.consistency.partial_order import PartialOrder
from mcr.consistency.phases import Phases
from mcr.consistency.search import WitnessSearch
from mcr.consistency.verify_pso import FORWARDED_BY_LOCATION, VerifyPSO
from mcr.consistency.verify_sc import VerifySC
from mcr.consistency.verify_tso import VerifyTSO
from mcr.consistency.verify_values import VerifyValues
from mcr.consistency.witness import extension
from replay.world.memory_model import MemoryModel

DEFAULT = SearchOptions()


def realize(instance: Instance, model: MemoryModel, how: SearchOptions = DEFAULT) -> Realization:
    """Decides whether the instance is realizable under the model, by the published algorithm for its way of
    buffering."""
    return decided(_search(instance, model), instance, model, how)


def _search(instance: Instance, model: MemoryModel) -> type[WitnessSearch]:
    """VerifySC where no store is buffered, VerifyPSO where it is sound; VerifyTSO is for any buffers."""
    if model.buffers is None:
        return VerifySC
    if not instance.is_rf:
        return VerifyValues
    return VerifyPSO if model.buffers == FORWARDED_BY_LOCATION and not instance.has_store_fence() else VerifyTSO


def decided(search: type[WitnessSearch], instance: Instance, model: MemoryModel, how: SearchOptions) -> Realization:
    """Section 4.3 of [bui-2021]: no closure, no witness; else the search respects the closure."""
    if not how.closure:
        return search(Phases(instance, model), how).run()
    order = _closure(instance, model)
    if order is None:
        return Realization(None)
    witness = extension(instance, model, order) if how.extends and instance.is_rf else None
    return Realization(witness) if witness else search(Phases(instance, model, order), how).run()


def _closure(instance: Instance, model: MemoryModel) -> PartialOrder | None:
    """Returns an order that every witness respects; None if there is no witness. With buffers, each read has one
    source."""
    if instance.is_rf:
        return closure(instance, model)
    if model.buffers is None:
        return good_closure(instance, model)
    return closure(Instance(instance.actions, {read: w for read, w in instance.good.items() if len(w) == 1}), model)
