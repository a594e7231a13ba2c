"""A program that fails, and the trace that a check of it writes."""

from __future__ import annotations

TRACE = ".mcr/store_buffering-tso.json"

SOURCE = """
    import mcr

    @mcr.program
    def store_buffering(p):
        x, y = p.var("x", 0), p.var("y", 0)

        def thread(mine, other):
            mine.store(1)
            return other.load()

        threads = [p.thread(thread, x, y), p.thread(thread, y, x)]

        @p.final
        def check():
            assert any(thread.join() for thread in threads), "both read 0"
"""
