"""RVF-SMC [agarwal-2021]: at most one maximal execution of each reads-value-from class, by giving reads values.

explorer.py   algorithm 2
calls.py      what a call is given, its while-loop, and backtrack signals; lines 17 and 18: whom a read may read from
"""
