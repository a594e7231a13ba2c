"""Functions whose threads make classes of tuples: `right_`. Threads run one after the other, so CPython has one way."""

# ruff: noqa  # written as users do

import collections
import copy
import typing

from tests.ordinary.local_classes import in_threads


def right_named_tuple():
    box = {}

    def makes():
        point = collections.namedtuple("Point", "x y", defaults=[0])
        box["class"] = point
        box["p"] = point(1)
        box["list"] = point([], y=2)
        assert type(box["p"]) is point is box["class"] and box["p"].y == 0

    def finds():
        p, point = box["p"], box["class"]
        assert type(p) is point and isinstance(p, point) and isinstance(p, tuple) and issubclass(point, tuple)
        assert (
            p.x == p[0] == 1 and p.y == 0 and p == (1, 0) and (1, 0) == p and p != (1, 1) and p < (2,) and len(p) == 2
        )
        assert repr(p) == "Point(x=1, y=0)" == f"{p}" and hash(p) == hash((1, 0)) and 1 in p and p.index(0) == 1
        q = p._replace(y=5)
        assert type(q) is point and q == (1, 5) and q.y == 5 and p.y == 0 and q is not p and max(p, q) is q
        assert p._asdict() == {"x": 1, "y": 0} and p._fields == point._fields == ("x", "y")
        assert point._field_defaults == {"y": 0} and point._make([3, 4]) == point(3, 4) == point(y=4, x=3) == (3, 4)
        x, y = p
        assert (x, y) == (*p,) == p[:] and p + (2,) == (1, 0, 2) and point.__doc__ == "Point(x, y)"
        assert (point.__name__, point.__qualname__, point.__module__) == ("Point", "Point", __name__)
        assert point.x.__doc__ == "Alias for field number 0" and point.__match_args__ == ("x", "y")
        match p:
            case point(x=1, y=found):
                assert found == 0
        for name in ("x", "z"):
            try:
                setattr(p, name, 2)
            except AttributeError:
                continue
            raise AssertionError
        try:
            point()
        except TypeError as error:
            assert "missing 1 required positional argument: 'x'" in str(error)
        box["list"].x.append(1)
        box["q"] = q

    in_threads(makes, finds)
    assert box["list"] == ([1], 2) and box["q"] == (1, 5) and type(box["q"]) is type(box["p"]) is box["class"]


def right_keys():
    box = {}

    def makes():
        point = collections.namedtuple("Point", "x y")
        box[point(1, 2)] = 1
        box[1, 2] += 1
        box["set"] = {point(1, 2)}

    def finds():
        (p, _) = box
        assert box[1, 2] == box[p] == 2 and p.x == 1 and type(p)(1, 2) in box and (1, 2) in box["set"]
        assert [p].index((1, 2)) == 0 and p in [(1, 2)] and sorted([p, (0, 0)]) == [(0, 0), p]
        del box[1, 2]

    in_threads(makes, finds)
    assert list(box) == ["set"]


def right_classes_with_methods():
    box = {}

    def makes():
        class Point(typing.NamedTuple):
            """Of a plane."""

            x: int
            y: list = []

            def both(self):
                return self.x, self.y

            @property
            def twice(self):
                return self.x * 2

            @classmethod
            def at(cls, x):
                return cls(x)

        box["p"] = Point(1)
        box["other"] = Point.at(2)

    def finds():
        p, other = box["p"], box["other"]
        point = type(p)
        assert point is type(other) and p.both() == (1, []) and p.twice == 2 and repr(p) == "Point(x=1, y=[])"
        assert point.__doc__ == "Of a plane." and p.y is other.y and point.at(3).x == 3 and p._replace(x=3).twice == 6
        p.y.append(1)
        assert point(7).y == [1] and point.__annotations__ == {"x": int, "y": list}
        assert point.__qualname__ == "right_classes_with_methods.<locals>.makes.<locals>.Point"

    in_threads(makes, finds)
    assert box["other"].y == [1]


def right_made_from_named_tuples():
    box = {}

    def makes():
        base = collections.namedtuple("Base", ["x", "def"], rename=True)

        class Made(base):
            def __new__(cls, x):
                self = super().__new__(cls, x, x)
                self.more = [x]
                return self

            def both(self):
                return self.x + self._1

            def __repr__(self):
                return "made of " + super().__repr__()

            field = base.x

        box["made"] = Made(2)

    def finds():
        made = box["made"]
        made.more.append(3)
        made.other = 4
        assert made.both() == 4 and made == (2, 2) and made.field == 2 and made._fields == ("x", "_1")
        assert repr(made) == "made of Made(x=2, _1=2)" and type(made).__base__.__name__ == "Base"
        assert type(made).__base__(1, 2) == (1, 2) and vars(made) == {"more": [2, 3], "other": 4}

    in_threads(makes, finds)
    assert box["made"].more == [2, 3] and box["made"].other == 4


def right_made_from_tuples():
    box = []

    def makes():
        class Version(tuple):
            __slots__ = ()

            def __new__(cls, *parts):
                return super().__new__(cls, parts)

            def major(self):
                return self[0]

        class Other(tuple):
            pass

        box.extend([Version(1, 2), Other([3]), Version()])

    def finds():
        version, other, empty = box
        assert version.major() == 1 and version == (1, 2) and len(version) == 2 and other == (3,) and empty == ()
        assert type(version) is type(empty) is not type(other) and isinstance(other, tuple) and repr(other) == "(3,)"
        other.name = "other"
        assert [*version, *other, *empty] == [1, 2, 3] and type(version)(5).major() == 5

    in_threads(makes, finds)
    assert box[1].name == "other"


def right_two_of_one_name():
    box = []

    def makes():
        box.append(collections.namedtuple("T", "x")(1))

    in_threads(makes, makes)
    one, two = box
    assert one == two and type(one) is not type(two) and not isinstance(one, type(two)) and one is not two


def right_copies():
    box = {}

    def makes():
        box["t"] = collections.namedtuple("T", "x y", module="elsewhere")(1, [2])

    def finds():
        t = box["t"]
        shallow, deep = copy.copy(t), copy.deepcopy(t)
        assert shallow == deep == t and type(shallow) is type(deep) is type(t) and shallow.y is t.y is not deep.y
        assert type(t).__module__ == "elsewhere" and shallow._replace(x=2) == (2, [2])
        assert t.__getnewargs__() == (1, [2])

    in_threads(makes, finds)


def right_changed_before_it_is_shared():
    box = {}

    def makes():
        t = collections.namedtuple("T", "x")
        t.__doc__ = "Of mine."
        t.x.__doc__ = "The only one."
        t.extra = []
        t.__new__.__defaults__ = (3,)
        t.double = lambda self: self.x * 2
        box["t"] = t()

    def finds():
        t = box["t"]
        kind = type(t)
        assert t == (3,) and kind() == t and t.double() == 6 and t.extra == []
        assert kind.__doc__ == "Of mine." and kind.x.__doc__ == "The only one."
        t.extra.append(1)

    in_threads(makes, finds)
    assert box["t"].extra == [1]


def right_members():
    box = {}

    def makes():
        t = collections.namedtuple("T", "x")
        box.update(make=t._make, replace=t(1)._replace, get=t.x, new=t.__new__, t=t)

    def finds():
        t = box["t"]
        assert box["make"]([2]) == t(2) and box["replace"](x=3) == (3,) and type(box["replace"](x=3)) is t
        assert box["get"].__get__(t(4)) == 4 and box["get"] is t.x and box["new"](t, 5) == (5,)
        assert box["make"].__doc__ == "Make a new T object from a sequence or iterable" and box["new"] is t.__new__

    in_threads(makes, finds)
