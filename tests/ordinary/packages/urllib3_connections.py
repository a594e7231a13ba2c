"""urllib3 2.8: how many connections there were (frontrun's case study 7).

Package: urllib3==2.8.0
"""

from urllib3 import HTTPConnectionPool

import mcr


@mcr.program
def urllib3_connections(p):
    """Two new connections are counted as one (study 7).

    Fails: AssertionError
    """
    pool = p.share(HTTPConnectionPool("localhost"))
    p.thread(pool._new_conn)
    p.thread(pool._new_conn)

    @p.final
    def two():
        assert pool.num_connections == 2
