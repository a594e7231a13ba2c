"""watchdog: a queue that drops what was put last.

Package: watchdog==6.0.0
"""

from watchdog.utils.bricks import SkipRepeatsQueue

import mcr


@mcr.program
def watchdog_skip_repeats(p):
    """What two threads put arrives, in some order.

    Verified
    """
    queue = p.share(SkipRepeatsQueue())
    p.thread(queue.put, 1)
    p.thread(queue.put, 2)
    first = p.thread(queue.get)

    @p.final
    def the_other_is_left():
        assert sorted([first.join(), queue.get_nowait()]) == [1, 2]
