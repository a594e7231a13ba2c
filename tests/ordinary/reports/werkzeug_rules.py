"""pallets/werkzeug #546: the list of rules looks empty while it is sorted.

Versions: werkzeug==0.9.6; werkzeug==0.10
"""

import threading

from werkzeug.routing import Map, Rule


def two_requests_match():
    """0.9.6: NotFound. 0.10: verified."""
    rules = Map([Rule("/a", endpoint="a"), Rule("/b", endpoint="b")])
    adapter = rules.bind("example.org")
    other = threading.Thread(target=adapter.match, args=("/b",))
    other.start()
    assert adapter.match("/a") == ("a", {})
    other.join()
