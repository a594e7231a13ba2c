"""encode/httpcore #1110: a connection that a waiting request was given is closed as one too many.

Versions: httpcore==1.0.9
"""

import threading

import httpcore


def two_requests():
    """1.0.9: ConnectionNotAvailable."""
    pool = httpcore.ConnectionPool(
        max_connections=1,
        max_keepalive_connections=0,
        network_backend=httpcore.MockBackend([b"HTTP/1.1 200 OK\r\n\r\n"]),
    )
    threads = [threading.Thread(target=pool.request, args=("GET", "http://a/")) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
