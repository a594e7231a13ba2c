"""Functions of a module of a package, which keep something."""

import random

COUNT = [0]


def bump(n):
    COUNT[0] = n


def count():
    return COUNT[0]


def luck():
    return random.random()
