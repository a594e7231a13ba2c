"""The oracle: every maximal execution of the store-buffer machine, one configuration at a time."""

from mcr.maximal.explorer import class_of
from replay.machine import Machine


def values_classes(unfolding, model, limit=10**6):
    """The values classes of all maximal executions; grows the unfolding as far as it goes. None above the limit."""
    start = Machine(unfolding, model)
    seen = {start.key()}
    todo = [start]
    classes = set()
    while todo:
        machine = todo.pop()
        choices = machine.choices()
        if not choices:
            classes.add(class_of(machine))
        for choice in choices:
            after = machine.copy()
            after.apply(choice)
            key = after.key()
            if key not in seen:
                seen.add(key)
                todo.append(after)
        if len(seen) > limit:
            return None
    return classes


def has_deadlock(unfolding, key):
    """Whether a class ends with a thread that waits for something that will not come."""
    last = {thread: unfolding.states[number] for thread, number in key}
    declared = (info for info in unfolding.threads if "." not in info.name and not info.is_final)
    states = [last.get(info.index, info.root) for info in declared]
    return any(state.operation is not None for state in (*states, *last.values()))
