"""Partial store order, known from SPARC: stores of a thread wait in one buffer for each location.

ppo relaxes two stores to different locations as well, unless a store fence
stands between them. Allowed: SB and MP. Forbidden: LB, where two threads load and
then store to each other's location, and both loads see the store.
"""

from replay.world.memory_model import Buffers, MemoryModel, one_per_location

PSO = MemoryModel("pso", "partial store order (SPARC)", Buffers(one_per_location))
