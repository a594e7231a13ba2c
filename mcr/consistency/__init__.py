"""Consistency of executions: is there one under SC, TSO or PSO that shows these events and reads?

    check.verify_trace(trace, "tso")  Consistent with a witness schedule, or Inconsistent with the cycle that forbids it
    check.check_trace(trace)          the oracle behind --paranoid: raises if an executed trace is impossible
    verify.realize(instance, model)   the published searches on bare events: VerifySC, VerifyTSO, VerifyPSO

| symbol of [bui-2021], [agarwal-2021] | here                                      |
|--------------------------------------|-------------------------------------------|
| (X, RF), (X, GoodW)                  | `instance.Instance`                       |
| wB, wM, lower sets of (X, PO)        | `phases.Phase`, counts per chain          |
| executable, held                     | `phases.Prefix.can_execute`, `is_held`    |
| VerifyTSO, Algorithm 1               | `verify_tso.py`                           |
| VerifyPSO, Algorithm 2               | `verify_pso.py`                           |
| spurious, pending; FMap              | `verify_pso.py`; `verify_pso.FenceMaps`    |
| closure P(X), rules 1-5              | `closure.py`                              |
| VerifySC, memory map                 | `verify_sc.py`; its closure: `closure.py` |
"""
