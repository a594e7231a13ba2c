"""pallets/werkzeug #546: the list of rules looks empty while it is sorted.

Versions: werkzeug==0.9.6; werkzeug==0.10; werkzeug==3.1.3
"""

import threading

from werkzeug.routing import Map, Rule

RULES = Map([Rule("/a", endpoint="a"), Rule("/b", endpoint="b")])


def two_requests_match():
    """0.9.6: NotFound. 0.10: verified. 3.1.3: verified."""
    adapter = RULES.bind("example.org")
    other = threading.Thread(target=adapter.match, args=("/b",))
    other.start()
    assert adapter.match("/a") == ("a", {})
    other.join()
