"""elastic/elasticsearch-py #158: the last connection is marked dead while another thread selects one of the list.

Versions: elasticsearch==1.2.0; elasticsearch==1.3.0; elasticsearch==7.0.0
"""

import threading

from elasticsearch.connection_pool import ConnectionPool


class Connection:
    host = "one"


def a_connection_is_marked_dead():
    """1.2.0: IndexError. 1.3.0: IndexError. 7.0.0: verified."""
    first, second = Connection(), Connection()
    pool = ConnectionPool([(first, {}), (second, {})], randomize_hosts=False)
    pool.get_connection()
    dying = threading.Thread(target=pool.mark_dead, args=(second,))
    dying.start()
    assert pool.get_connection() in (first, second)
    dying.join()
