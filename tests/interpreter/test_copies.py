"""Copies of objects with special methods of Python are CPython's."""

from __future__ import annotations

import textwrap

import pytest

from tests.interpreter.running import Judge, prepared

PROGRAMS = {
    "reduce": """
        class C:
            def __init__(self): self.v = 1
            def __reduce__(self):
                log('reduce')
                return C, ()
        log(copy.copy(C()), copy.deepcopy(C()), C().__reduce_ex__(4), C().__reduce_ex__(1))
        """,
    "state": """
        class C:
            def __getstate__(self):
                log('state')
                return {'v': 2}
            def __setstate__(self, state): log('set', state)
        copy.copy(C())
        log(C().__reduce_ex__(2)[2], copy.deepcopy(C()))
        """,
    "arguments": """
        class C(tuple):
            def __getnewargs_ex__(self): return ((1, 2),), {}
        class D(tuple):
            def __getnewargs__(self): return 5
        log(copy.copy(C()))
        copy.copy(D())
        """,
    "dictionaries": """
        class C(OrderedDict):
            def items(self):
                log('items')
                return [('a', 1)]
        class D(dict):
            def __getattribute__(self, name):
                log('get', name)
                return dict.__getattribute__(self, name)
        log(copy.copy(C()), copy.copy(D(k=1)))
        log(copy.deepcopy(OrderedDict(k=[1])), copy.deepcopy(defaultdict(list, k=[1])))
        """,
    "lists": """
        class C(list):
            def __iter__(self):
                log('iter')
                return list.__iter__(self)
        c = C([1])
        c.v = 2
        log(copy.copy(c), copy.copy(c).v, copy.deepcopy(deque([c])))
        """,
    "not to be copied": "copy.copy(n for n in 'ab')",
}


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS.keys())
def test_copies(program: str) -> None:
    source = "def main():\n" + textwrap.indent(textwrap.dedent(program), "    ")
    with prepared():
        assert Judge().difference(source) is None
