"""threadpoolctl: the C library (frontrun's case study 2).

Package: threadpoolctl==3.6.0
"""

from threadpoolctl import ThreadpoolController

import mcr


@mcr.program
def the_c_library(p):
    """Two threads ask threadpoolctl for the C library: both load it (study 2).

    Refused: it loads a library of C
    """
    p.share(ThreadpoolController)
    one, two = p.thread(ThreadpoolController._get_libc), p.thread(ThreadpoolController._get_libc)

    @p.final
    def one_library():
        assert one.join() is two.join()
