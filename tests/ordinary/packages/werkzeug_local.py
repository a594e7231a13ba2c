"""Werkzeug: Local is of each context.

Package: werkzeug==3.1.3
"""

from werkzeug.local import Local, LocalStack

import mcr


@mcr.program
def werkzeug_local(p):
    """Nobody sees what another thread has set.

    Verified
    """
    local = p.share(Local())

    def use(number):
        local.number = number
        assert local.number == number

    p.thread(use, 1)
    p.thread(use, 2)


@mcr.program
def werkzeug_stack(p):
    """Nobody pops what another thread has pushed.

    Verified
    """
    stack = p.share(LocalStack())

    def use(number):
        stack.push(number)
        assert stack.pop() == number

    p.thread(use, 1)
    p.thread(use, 2)
