"""dateutil #428: the cache of a time zone is two lists, which change one after the other.

Versions: python-dateutil==2.6.1; python-dateutil==2.7.0
"""

import threading
from datetime import datetime
from io import StringIO

from dateutil.tz import tzical

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
DTSTART:19870405T020000
RRULE:FREQ=YEARLY;BYDAY=1SU;BYMONTH=4
TZOFFSETFROM:-0500
TZOFFSETTO:-0400
TZNAME:EDT
END:DAYLIGHT
END:VTIMEZONE
"""


def two_threads_ask_for_an_offset():
    """2.6.1: IndexError. 2.7.0: verified."""
    zone = tzical(StringIO(ZONE)).get()
    when = [datetime(1990, 1, 1), datetime(1990, 1, 2)]
    for each in when:
        zone.utcoffset(each)
    threads = [threading.Thread(target=zone.utcoffset, args=(each,)) for each in when]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
