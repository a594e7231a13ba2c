"""A lost wake-up: one thread goes to sleep while another one, which should wake it, believes it awake."""

import mcr


def sleep_and_wake(p, fence=lambda: None):
    """The sleeper announces itself and looks for work once more; the waker leaves work and looks for a sleeper."""
    asleep, work, alarm = p.var("asleep", False), p.var("work", False), p.var("alarm", False)

    def sleeper():
        asleep.store(True)
        fence()
        if not work.load():
            p.wait_until(alarm.load)

    def waker():
        work.store(True)
        fence()
        if asleep.load():
            alarm.store(True)

    p.thread(sleeper)
    p.thread(waker)


@mcr.program
def lost_wakeup(p):
    """Both stores wait in buffers while both threads look: nobody raises the alarm, the sleeper sleeps for ever.

    Fails under: TSO, PSO
    """
    sleep_and_wake(p)


@mcr.program
def lost_wakeup_fenced(p):
    """With a full fence before each look.

    Fails under: nothing
    """
    sleep_and_wake(p, fence=p.fence)
