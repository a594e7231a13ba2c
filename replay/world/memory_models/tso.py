"""Total store order, known from x86 and SPARC: stores of a thread wait in one buffer.

ppo keeps all but a store and a later load, of the same location too, as the
buffer forwards. Allowed: SB. Forbidden: MP, where a thread stores data and then a
flag, and another one sees the flag without the data.
"""

from replay.world.memory_model import Buffers, MemoryModel, one_per_thread

TSO = MemoryModel("tso", "total store order (x86)", Buffers(one_per_thread))
