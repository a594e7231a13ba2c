"""RF-SMC [bui-2021]: each reads-from class once, by mutating who reads from whom and asking whether that is consistent.

explorer.py   algorithm 3, and line 18: is a mutation realizable?
mutations.py  what a call is given, and the schedules of a prefix; lines 9 to 16, and remark 1: updates and locks
"""
