"""Functions that start threads with objects of classes made from texts, numbers, tuples and properties: `right_`.

Their threads run one after the other, so CPython runs them in one way.
"""

from tests.ordinary.local_classes import in_threads


class UserId(str):
    pass


class Version(tuple):
    def __new__(cls, *parts):
        return tuple.__new__(cls, parts)


class Money(int):
    def __new__(cls, value, currency):
        self = super().__new__(cls, value)
        self.currency = currency
        return self


class Compared(int):
    def __eq__(self, other):
        return int(self) == int(other)

    __hash__ = int.__hash__


class Signature(tuple):
    """Types in the order of what they accept, with attributes."""

    def __le__(self, other):
        return len(self) <= len(other) and all(map(issubclass, other, self))

    def __lt__(self, other):
        return self != other and self <= other


class Lazy(property):
    def __init__(self, get):
        super().__init__(get)
        self.key = get.__name__
        self.calls = 0

    def __get__(self, thing, kind=None):
        if thing is None:
            return self
        if self.key not in thing.__dict__:
            self.calls += 1
            thing.__dict__[self.key] = self.fget(thing)
        return thing.__dict__[self.key]


class Table:
    @Lazy
    def columns(self):
        return []


OF_MODULE = UserId("host")
OF_MODULE.n = 1
TUPLE_OF_MODULE = Version(1, 2)
TUPLE_OF_MODULE.names = []


def right_texts():
    box = {}

    def makes():
        u = UserId("a")
        u.n = 1
        box["u"] = u
        box[u] = 2
        u.n += 1

    def finds():
        u = box["u"]
        assert type(u) is UserId and u == "a" and u.n == 2 and u.upper() == "A" and len(u) == 1 and u + "b" == "ab"
        assert box["a"] == 2 and box[u] == 2 and "a" in box and list(box) == ["u", "a"]
        assert [each is u for each in box] == [False, True]
        assert f"{u}" == "a" and repr(u) == "'a'" and u in ["a"] and ["a"].index(u) == 0 and isinstance(u, str)
        assert hash(u) == hash("a") and u < "b" and sorted(["b", u]) == ["a", "b"] and "-".join([u, u]) == "a-a"
        assert vars(u) == {"n": 2}
        box[UserId("a")] = 3
        assert box["a"] == 3

    in_threads(makes, finds)
    assert box["a"] == 3 and len(box) == 2 and int(UserId("3")) == 3


def right_lists():
    box = []

    def makes():
        u = UserId("a")
        u.n = 1
        box.append(u)
        box.append("b")

    def finds():
        assert "a" in box and box.index("a") == 0 and box == ["a", "b"] and box.count("a") == 1
        box.remove("a")
        assert box == ["b"]

    in_threads(makes, finds)


def right_sets():
    box = set()

    def makes():
        u = UserId("a")
        u.n = 1
        box.add(u)

    def finds():
        assert "a" in box
        box.add("a")
        assert len(box) == 1
        box.discard("a")

    in_threads(makes, finds)
    assert not box


def right_tuples():
    box = []

    def makes():
        v = Version(1, [])
        v.names = ["one"]
        box.append(v)
        v.names.append("two")
        v[1].append(3)

    def finds():
        v = box[0]
        assert type(v) is Version and v.names == ["one", "two"] and v == (1, [3]) and len(v) == 2 and v[1] == [3]
        a, b = v
        assert [*v] == [1, [3]] and (*v, 2) == (1, [3], 2) and a == 1 and b is v[1] and v[::-1] == ([3], 1)
        assert (
            repr(v) == "(1, [3])"
            and v == (1, [3])
            and v < (2,)
            and 1 in v
            and [3] in v
            and list(zip(v)) == [(1,), ([3],)]
        )
        v.names = None
        assert tuple(v) == v and list(reversed(v)) == [[3], 1] and v is not tuple(v) and max(Version(1, 3)) == 3

    in_threads(makes, finds)
    assert box[0].names is None


def right_keys():
    box = {}

    def makes():
        v = Version(1, 2)
        v.n = 1
        box[v] = 1

    def finds():
        assert box[1, 2] == 1 and (1, 2) in box
        box[1, 2] += 1
        (v,) = box
        assert v.n == 1 and box.get(v) == 2 and box.pop((1, 2)) == 2 and not box

    in_threads(makes, finds)


def right_order_of_their_own():
    box, found = {}, []

    def makes():
        for kinds in ((object,), (int,), (str,)):
            s = Signature(kinds)
            s.parents = [each for each in box if each < s]
            box[s] = kinds
            found.append(s)

    def finds():
        assert [key.parents for key in box] == [[], [(object,)], [(object,)]]
        any_of, number, text = found
        assert any_of <= number and any_of < number and not number < text and not text <= number
        assert box[object,] == (object,) and found.index((str,)) == 2 and (int,) in found and number == (int,)
        assert (any_of, 1) < (number, 0) and [any_of] < [text] and min(number, any_of) is any_of
        found.reverse()
        assert sorted([number, any_of])[0] is any_of
        found.sort()
        assert found[0] is any_of

    in_threads(makes, finds)


def right_numbers():
    box = {}

    def makes():
        box["m"] = Money(3, "EUR")
        box[Money(3, "EUR")] = 1

    def finds():
        m = box["m"]
        assert m + 1 == 4 and m == Money(3, "USD") == 3 and m.currency == "EUR" and -m == -3 and m > 2
        assert box[m] == 1 and box[3] == 1 and int(m) == 3 and range(5)[m] == 3 and abs(m) == 3 and m.real == 3

    in_threads(makes, finds)


def right_properties():
    t = Table()
    found = []
    in_threads(lambda: found.append(t.columns), lambda: found.append(t.columns))
    assert (
        found[0] is found[1]
        and Table.columns.calls == 1
        and type(Table.columns) is Lazy
        and Table.columns.key == "columns"
    )


def right_host():
    def other():
        OF_MODULE.n += 1
        TUPLE_OF_MODULE.names.append(1)
        TUPLE_OF_MODULE.more = 1
        assert TUPLE_OF_MODULE == (1, 2) and OF_MODULE == "host" and OF_MODULE.n == 2

    in_threads(other)
    assert OF_MODULE.n == 2 and TUPLE_OF_MODULE.names == [1] and TUPLE_OF_MODULE.more == 1


def refused_compared():
    box = {}

    def makes():
        box["compared"] = Compared(1)

    in_threads(makes)
