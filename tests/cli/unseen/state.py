"""State of a module of a package."""

V = 0
L = [0]


class K:
    flag = 0


KEPT = [0]


def fn():
    return 1


def __getattr__(name):
    return KEPT
