"""Double-checked locking: a lazily made object whose users look once without the lock, and once with it."""

import mcr


def use_singleton(p, n, store_fence=lambda: None):
    """n threads use an object that the first of them makes."""
    instance, mutex = p.var("instance"), p.mutex("mutex")

    def get_instance():
        found = instance.load()
        if found is None:
            with mutex:
                found = instance.load()
                if found is None:
                    found = p.record("singleton", value=None)
                    found.value.store(42)
                    store_fence()
                    instance.store(found)
        return found

    def user():
        value = get_instance().value.load()
        assert value == 42, f"the object's value is {value}"

    for _ in range(n):
        p.thread(user)


@mcr.program
def double_checked_locking(p, n=2):
    """Under PSO the reference may reach memory before the fields do, and the first look needs no lock.

    Fails under: PSO
    """
    use_singleton(p, n)


@mcr.program
def double_checked_locking_fenced(p, n=2):
    """With a store fence before the reference is stored.

    Fails under: nothing
    """
    use_singleton(p, n, store_fence=p.store_fence)
