"""injector: singletons.

Package: injector==0.22.0
"""

from injector import Injector, singleton

import mcr


@singleton
class Settings:
    pass


@mcr.program
def injector_singleton(p):
    """Two ask for a singleton, and get one.

    Verified
    """
    injector = p.share(Injector())
    one, two = p.thread(injector.get, Settings), p.thread(injector.get, Settings)

    @p.final
    def same():
        assert one.join() is two.join()
