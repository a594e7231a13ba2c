"""pallets/werkzeug #546: the list of rules looks empty while it is sorted.

Versions: werkzeug==3.1.3

The map is a global variable: rules of this version are compiled with a tree of `ast` that all maps share, which a
function that starts threads may not change.
"""

import threading

from werkzeug.routing import Map, Rule

RULES = Map([Rule("/a", endpoint="a"), Rule("/b", endpoint="b")])


def two_requests_match():
    """3.1.3: verified."""
    adapter = RULES.bind("example.org")
    other = threading.Thread(target=adapter.match, args=("/b",))
    other.start()
    assert adapter.match("/a") == ("a", {})
    other.join()
