"""pyrsistent: maps that never change, and an evolver that does.

Package: pyrsistent==0.20.0
"""

import os

os.environ["PYRSISTENT_NO_C_EXTENSION"] = "1"  # as its documentation says: nobody can look into the extension

from pyrsistent import pmap

import mcr


class Settings:
    def __init__(self):
        self.map = pmap()

    def set(self, key, value):
        self.map = self.map.set(key, value)


@mcr.program
def pyrsistent_set(p):
    """Two replace a map by a larger one; one of the two is lost.

    Fails: AssertionError
    """
    settings = p.share(Settings())
    p.thread(settings.set, "one", 1)
    p.thread(settings.set, "two", 2)

    @p.final
    def both():
        assert len(settings.map) == 2
