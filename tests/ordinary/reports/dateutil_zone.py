"""dateutil #428: the cache of a time zone is two lists, which change one after the other.

Versions: python-dateutil==2.6.1; python-dateutil==2.7.0
"""

import threading
from datetime import datetime
from io import StringIO

from dateutil import parser, rrule, tz  # noqa: F401  tz imports the first two when it runs

ZONE = """\
BEGIN:VTIMEZONE
TZID:Zone
BEGIN:STANDARD
DTSTART:19671029T020000
RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10
TZOFFSETFROM:-0400
TZOFFSETTO:-0500
TZNAME:EST
END:STANDARD
BEGIN:DAYLIGHT
DTSTART:19670402T020000
RRULE:FREQ=YEARLY;BYDAY=1SU;BYMONTH=4
TZOFFSETFROM:-0500
TZOFFSETTO:-0400
TZNAME:EDT
END:DAYLIGHT
END:VTIMEZONE
"""


def two_threads_ask_for_an_offset():
    """2.6.1: IndexError. 2.7.0: verified."""
    zone = tz.tzical(StringIO(ZONE)).get()
    known, other = datetime(1967, 11, 1), datetime(1967, 11, 2)
    zone.utcoffset(known)
    threads = [threading.Thread(target=zone.utcoffset, args=(when,)) for when in (known, other)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
