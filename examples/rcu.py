"""Read-copy-update: readers take no lock; a writer publishes a copy and frees the old one when no reader is left."""

import mcr


def update_while_reading(p, fence=lambda: None, store_fence=lambda: None):
    """One thread replaces a configuration and frees the old one while another thread reads it."""
    current = p.var("current", p.record("old", value="old"))
    reading = p.var("reading", False)

    def reader():
        reading.store(True)
        fence()
        value = current.load().value.load()
        reading.store(False)
        assert value in ("old", "new"), f"a configuration was read that is {value}"

    def writer():
        old = current.load()
        new = p.record("new", value="uninitialised")
        new.value.store("new")
        store_fence()
        current.store(new)
        fence()
        p.wait_until(lambda: not reading.load())
        old.value.store("freed")

    p.thread(reader)
    p.thread(writer)


@mcr.program
def rcu(p):
    """The old configuration is freed under the reader, whose announcement waits in its store buffer.

    Fails under: TSO, PSO
    """
    update_while_reading(p)


@mcr.program
def rcu_x86(p):
    """With full fences on both sides; under PSO the new configuration may be published before it is filled in.

    Fails under: PSO
    """
    update_while_reading(p, fence=p.fence)


@mcr.program
def rcu_fenced(p):
    """With a store fence before the publication.

    Fails under: nothing
    """
    update_while_reading(p, fence=p.fence, store_fence=p.store_fence)
