"""Sequential consistency: a store is in memory at once.

ppo keeps all of program order. Forbidden: SB, where two threads store and then
read each other's location, and both read the old value.
"""

from replay.world.memory_model import MemoryModel

SC = MemoryModel("sc", "sequential consistency")
