"""pallets-eco/blinker #21: a lazy property is computed by two threads.

Versions: blinker==1.4
"""

import threading

from blinker import Signal


def two_threads_ask_for_a_lazy_property():
    """1.4: AssertionError."""
    signal = Signal()
    found = []
    threads = [threading.Thread(target=lambda: found.append(signal.receiver_connected)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found[0] is found[1]
