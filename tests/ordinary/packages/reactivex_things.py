"""reactivex: CompositeDisposable and Subject.

Package: reactivex==4.0.4
"""

from reactivex.disposable import CompositeDisposable, Disposable
from reactivex.subject import Subject

import mcr


@mcr.program
def reactivex_disposable(p):
    """Whatever is added is disposed of, whoever comes first.

    Verified
    """
    gone = p.share([])
    composite = p.share(CompositeDisposable())
    p.thread(composite.add, Disposable(lambda: gone.append(1)))
    p.thread(composite.dispose)

    @p.final
    def it_is_gone():
        assert gone == [1]


@mcr.program
def reactivex_subject(p):
    """Who subscribes while another thread tells is told or not, and nothing breaks.

    Refused: CurrentThreadSchedulerSingleton._local is _Local, of which there is one for all runs
    """
    told = p.share([])
    subject = p.share(Subject())
    p.thread(subject.subscribe, told.append)
    p.thread(subject.on_next, 1)

    @p.final
    def at_most_once():
        assert told in ([], [1])
