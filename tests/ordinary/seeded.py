"""Functions whose threads draw from a generator with a seed: true on CPython, and in every schedule."""

import random
import threading

FIRST, SECOND = 0.6394267984578837, 0.025010755222666936


class Dice(random.Random):
    def roll(self):
        return self.randint(1, 6)


class Unprepared(random.Random):
    def __init__(self):
        pass


def in_threads(*functions):
    threads = [threading.Thread(target=function) for function in functions]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def one_of_its_own():
    assert random.Random(42).random() == FIRST


def shared_by_two():
    generator, seen = random.Random(42), []
    in_threads(*2 * [lambda: seen.append(generator.random())])
    assert sorted(seen) == [SECOND, FIRST]
    assert generator.random() == 0.27502931836911926


def shared_and_set_back():
    generator, states = random.Random(), []
    generator.seed("a text")

    def draw():
        states.append(generator.getstate())
        states.append((generator.gauss(0, 1), generator.randint(1, 100), generator.choice("abc"), generator.random()))

    in_threads(draw)
    generator.setstate(states[0])
    in_threads(draw)
    assert states[:2] == states[2:]
    try:
        generator.getrandbits(-1)
    except ValueError:
        states.clear()
    assert not states


def shared_and_of_a_class():
    dice, rolled = Dice(7), []
    in_threads(*2 * [lambda: rolled.append(dice.roll())])
    assert sorted(rolled) == [2, 3] and dice.roll() == 4


def fails_after_a_draw():
    generator, seen = random.Random(42), []
    in_threads(lambda: seen.append(generator.random()), lambda: seen.append(0))
    assert seen == [FIRST, 0]


_of_module = random.Random(3)


def refused_without_a_seed():
    return random.Random().random() < 2


def refused_seeded_with_none():
    generator = random.Random(1)
    generator.seed()
    return generator.choice([1, 2])


def refused_unprepared():
    return Unprepared().getstate()


def refused_shared_without_a_seed():
    generator = random.Random()
    in_threads(lambda: generator.random())


def refused_of_a_module():
    in_threads(lambda: _of_module.random())
