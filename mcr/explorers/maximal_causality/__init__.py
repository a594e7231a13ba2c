"""Maximal causality reduction for SC, TSO and PSO, as published ([huang-2016]).

| paper                               | here                           |
|-------------------------------------|--------------------------------|
| trace, events (2.1)                 | `recording.Observation`      |
| Phi_mem, Phi_sync (4.1)             | `phi.phi_mem`, `phi.phi_sync`  |
| Phi_lock, Phi_validity (2.3)        | `phi.phi_lock`, `phi.phi_validity` |
| Phi_value, Phi_state (2.3)          | `phi.phi_value`, `phi.phi_state` |
| Phi for one (load, other value)     | `query.TraceFormula`         |
| shortest seed interleaving (2.2)    | `query.Solving.shortest_prefix` |
| algorithms 1 to 3 (4.4, 4.5)        | `enforce.seed_of`              |
| the loop of figure 2 (2.2)          | `explorer.MaximalCausality`    |
| which seeds are run (2.2)           | `seeds.Published`              |
| permutable seeds (4.6)              | `seeds.Closing.continued`    |
| not in the paper: what seeds miss   | `seeds.Closing.propose`      |
"""
