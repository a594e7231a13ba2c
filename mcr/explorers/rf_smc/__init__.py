"""RF-SMC [bui-2021]: each reads-from class once, by mutating who reads from whom and asking whether that is consistent.

explorer.py   algorithm 3
calls.py      what a call is given, and what the schedules of a prefix are about: a read, or whose turn it is at a lock
mutations.py  lines 9 to 16, and remark 1: updates and locks
witness.py    line 18: is a mutation realizable?
travel.py     calls by names
helper.py     a process that does calls
together.py   the explorer by several processes
"""
