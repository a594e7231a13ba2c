"""Measurements: one program under one model by one algorithm, each in a process of its own, and tables made of them.

case          one measurement, as data
measure       takes it, in the process of `worker`; `process` starts that process and ends it at its limit
probe         looks on while a measurement is taken, for suites that want to know more
rows          what was measured, on disk as soon as it is known
taking        takes the measurements that are missing
asked         the cases of a user's programs; `sweep` reads which sizes
table         the table of them; `agreement` compares algorithms with each other, and rows with an earlier table
suite         a set of cases with its report; `suites` runs it
figures       plots as data; `drawing` draws them
"""
