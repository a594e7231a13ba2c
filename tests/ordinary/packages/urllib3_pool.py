"""urllib3 2.8: PoolManager and its container.

Package: urllib3==2.8.0
"""

from urllib3 import PoolManager
from urllib3._collections import RecentlyUsedContainer

import mcr


@mcr.program
def urllib3_pool_manager(p):
    """Two threads ask for a connection to one host: they get one pool.

    Verified
    """
    manager = p.share(PoolManager(num_pools=1))

    def connect():
        return manager.connection_from_host("localhost", 80)

    one, two = p.thread(connect), p.thread(connect)

    @p.final
    def same():
        assert one.join() is two.join()


@mcr.program
def urllib3_container(p):
    """Setting while another thread takes the keys.

    Verified
    """
    container = RecentlyUsedContainer(1)
    container["old"] = 1
    container = p.share(container)
    p.thread(container.__setitem__, "new", 2)
    p.thread(container.keys)

    @p.final
    def new_is_there():
        assert container["new"] == 2
