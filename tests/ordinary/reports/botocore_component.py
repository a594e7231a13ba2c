"""boto/botocore PR 2985, #1776: two clients are made from one session.

Versions: botocore==1.31.1; botocore==1.31.20
"""

import threading

from botocore.session import ComponentLocator


def two_clients_are_made():
    """1.31.1: KeyError. 1.31.20: KeyError."""
    components = ComponentLocator()
    components.lazy_register_component("endpoint_resolver", object)
    found = []

    def make_client():
        found.append(components.get_component("endpoint_resolver"))

    threads = [threading.Thread(target=make_client) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 2
