"""Models that show how several processes behave."""

BROKEN = """
import mcr

@mcr.program
def broken(p):
    x = p.var("x", 0)

    def unhashable():
        if x.load():
            x.store([])

    p.thread(x.store, 1)
    p.thread(unhashable)
"""

TALKATIVE = """
import sys
import mcr

@mcr.program
def talkative(p):
    print("talking")
    print("and complaining", file=sys.stderr)
    x = p.var("x", 0)
    p.thread(x.store, 1)

    def fails():
        assert x.load()

    p.thread(fails)
"""
"""What it prints is shown with the run that fails."""

TWO_BUGS = """
import mcr

@mcr.program
def two_bugs(p):
    x, y = p.var("x", 0), p.var("y", 0)

    def first():
        x.store(1)
        y.store(1)
        x.store(2)

    def second():
        assert y.load() == 0, "y was written"
        assert x.load() != 1, "in between"

    p.thread(first)
    p.thread(second)
"""

THREE = """
import mcr

@mcr.program
def before(p):
    p.thread(p.var("x", 0).load)

@mcr.program
def killed(p):
    p.thread(p.var("x", 0).load)

@mcr.program
def after(p):
    p.thread(p.var("x", 0).load)
"""

ENDLESS = """
import mcr

@mcr.program
def short(p):
    x = p.var("x", 0)
    p.thread(x.store, 1)
    p.thread(x.load)

def adding(p, rounds):
    x, y = p.var("x", 1), p.var("y", 1)

    def add(mine, other):
        for _ in range(rounds):
            mine.store(mine.load() + other.load())

    p.thread(add, x, y)
    p.thread(add, y, x)

@mcr.program
def endless(p, rounds=12):
    adding(p, rounds)

@mcr.program
def endless_too(p, rounds=11):
    adding(p, rounds)
"""
