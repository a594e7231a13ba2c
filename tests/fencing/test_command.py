"""`mcr repair`: what it says, for people and machines, and its exit statuses."""

from __future__ import annotations

from tests.desk import Desk


def test_fences_are_a_difference(desk: Desk) -> None:
    desk.copy("rcu.py")
    answer = desk.mcr("repair", "rcu.py::rcu", "--model", "pso")
    assert answer.status == 0
    assert "needs 2 fences and 1 store fence" in answer.out
    assert answer.out.count("+        p.fence()") == 2
    assert answer.out.count("+        p.store_fence()") == 1


def test_what_fails_under_sc_is_beyond_fences(desk: Desk) -> None:
    desk.copy("airline.py")
    answer = desk.mcr("repair", "airline.py::airline")
    assert answer.status == 1
    assert "no fences help, as it fails under SC: AssertionError" in answer.out


def test_a_store_inside_of_an_expression_is_named(desk: Desk) -> None:
    desk.write(
        "inside.py",
        """
        import mcr


        @mcr.program
        def inside(p):
            x, y = p.var("x", 0), p.var("y", 0)

            def thread(mine, other):
                return (mine.store(1), other.load())[1]

            threads = [p.thread(thread, x, y), p.thread(thread, y, x)]

            @p.final
            def check():
                assert any(thread.join() for thread in threads)
        """,
    )
    answer = desk.mcr("repair", "inside.py", "--model", "tso")
    assert answer.status == 1
    assert "no fence can stand directly after what stores at inside.py:9" in " ".join(answer.out.split())


def test_objects_that_keep_the_declarations_use_theirs(desk: Desk) -> None:
    desk.copy("ring_buffer.py")
    answer = desk.mcr("repair", "ring_buffer.py::ring_buffer", "--model", "pso")
    assert "+        self.p.store_fence()" in answer.out


def test_redundant_fences_are_named(desk: Desk) -> None:
    desk.copy("rcu.py")
    answer = desk.mcr("repair", "rcu.py::rcu_fenced", "--model", "tso", "--redundant")
    assert answer.status == 0
    assert "needs 2 of its 3 fences" in answer.out
    assert "store_fence(): not needed" in answer.out
    assert answer.out.count(": needed") == 2


def test_every_least_set(desk: Desk) -> None:
    desk.copy("bakery.py")
    document = desk.mcr("repair", "bakery.py::bakery", "--model", "tso", "--all", "--json").document
    (finding,) = document["findings"]
    assert document["schema"] == "mcr-repair/1"
    assert finding["answer"] == "found"
    assert [[fence["line"] for fence in fences] for fences in finding["sets"]] == [[12, 17], [12, 15]]
    assert len(finding["differences"]) == 2


def test_time_is_limited(desk: Desk) -> None:
    desk.copy("bakery.py")
    answer = desk.mcr("repair", "bakery.py::bakery", "--set", "n=4", "--model", "pso", "--timeout", "0.2")
    assert answer.status == 3
    assert "not decided: the time limit of" in answer.out


def test_broken_programs_are_named(desk: Desk) -> None:
    desk.write("broken.py", "import mcr\n\n\n@mcr.program\ndef broken(p):\n    p.var('x')\n")
    answer = desk.mcr("repair", "broken.py", "--json")
    assert answer.status == 2
    assert "declares no threads" in answer.document["errors"][0]


def test_litmus_tests_are_refused(desk: Desk) -> None:
    desk.write("SB.litmus", "X86 SB\n{ x=0; y=0; }\n P0 | P1 ;\n MOV [x],$1 | MOV [y],$1 ;\nexists (x=1)\n")
    answer = desk.mcr("repair", "SB.litmus")
    assert answer.status == 2
    assert "--emit-python" in answer.err
