"""Consistency of executions: is there one under SC, TSO or PSO that shows these events and reads?

    verify_trace(trace, "tso")     Consistent with a witness schedule, or Inconsistent with the cycle that forbids it
    check_trace(trace)             the oracle behind --paranoid: raises if an executed trace is impossible
    realize(instance, model)       the published searches on bare events: VerifySC, VerifyTSO, VerifyPSO
    realize_naively, solve         two more answers to the same question

| symbol of [bui-2021], [agarwal-2021] | here                                      |
|--------------------------------------|-------------------------------------------|
| (X, RF), (X, GoodW)                  | `instance.Instance`                       |
| wB, wM, lower sets of (X, PO)        | `phases.Phase`, counts per chain          |
| executable, held                     | `prefix.Prefix.can_execute`, `is_held`    |
| VerifyTSO, Algorithm 1               | `verify_tso.py`                           |
| VerifyPSO, Algorithm 2               | `verify_pso.py`                           |
| spurious, pending; FMap              | `verify_pso.py`; `fence_map.py`           |
| closure P(X), rules 1-5              | `closure.py`                              |
| VerifySC, memory map                 | `verify_sc.py`; its closure: `good_closure.py` |
| NaiveVerify                          | `naive.py`                                |
"""

from mcr.consistency.check import Consistent, Inconsistent, Verdict, check_trace, verify_trace
from mcr.consistency.encoding import solve
from mcr.consistency.instance import INITIAL, Action, Answer, How, Instance, LimitReachedError, Move
from mcr.consistency.verify import realize, realize_naively
from replay.traces.well_formed import MalformedTraceError

__all__ = [
    "INITIAL",
    "Action",
    "Answer",
    "Consistent",
    "How",
    "Inconsistent",
    "Instance",
    "LimitReachedError",
    "MalformedTraceError",
    "Move",
    "Verdict",
    "check_trace",
    "realize",
    "realize_naively",
    "solve",
    "verify_trace",
]
