"""urllib3 1.26.15: RecentlyUsedContainer, its issue 1252.

Package: urllib3==1.26.15
"""

from urllib3._collections import RecentlyUsedContainer

import mcr


@mcr.program
def urllib3_container(p):
    """Two set; one is thrown out and disposed of.

    Verified
    """
    disposed = p.share([])
    container = p.share(RecentlyUsedContainer(1, dispose_func=disposed.append))
    p.thread(container.__setitem__, "one", 1)
    p.thread(container.__setitem__, "two", 2)

    @p.final
    def one_is_left():
        assert len(container) == len(disposed) == 1
