"""daviddrysdale/python-phonenumbers #191: metadata of a region is loaded when it is asked for.

Versions: phonenumbers==8.12.20; phonenumbers==8.12.21
"""

import threading

from phonenumbers.phonemetadata import PhoneMetadata


def two_threads_ask_for_a_region():
    """8.12.20: verified. 8.12.21: verified."""

    def load(code):
        PhoneMetadata._region_metadata[code] = "metadata of " + code

    PhoneMetadata.register_region_loader("XX", load)
    found = []
    threads = [threading.Thread(target=lambda: found.append(PhoneMetadata.metadata_for_region("XX"))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == ["metadata of XX"] * 2


def a_loader_fails():
    """8.12.20: verified. 8.12.21: Deadlock."""

    def load(code):
        raise ImportError(code)

    PhoneMetadata.register_region_loader("XX", load)

    def ask():
        try:
            PhoneMetadata.metadata_for_region("XX")
        except ImportError:
            pass

    threads = [threading.Thread(target=ask) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
