"""watchdog 6.0: BaseObserver, its issue 1044.

Package: watchdog==6.0.0
"""

from watchdog.events import FileSystemEventHandler
from watchdog.observers.api import BaseObserver, EventEmitter

import mcr


class Quiet(EventEmitter):
    begun = False

    def run(self):
        self.begun = True


@mcr.program
def watchdog_observer(p):
    """Who schedules a watch while another thread starts the observer may find that nobody starts its emitter.

    Fails: AssertionError
    """
    observer = BaseObserver(Quiet)
    observer = p.share(observer)

    def schedule():
        observer.schedule(FileSystemEventHandler(), "/a")

    starting, scheduling = p.thread(BaseObserver.start, observer), p.thread(schedule)

    @p.thread
    def look():
        starting.join()
        scheduling.join()
        (emitter,) = observer.emitters
        assert emitter.ident is not None, "nobody started the emitter"
        observer.stop()
