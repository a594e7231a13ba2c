"""Programs as pytest tests; and `agree`, by which whoever writes an explorer holds it against brute force."""

from __future__ import annotations

TYPE_CHECKING = False  # type checkers believe otherwise; pytest imports this at every start
if TYPE_CHECKING:
    from mcr.testing.agreement import agree as agree


def __getattr__(name: str) -> object:
    if name == "agree":
        from mcr.testing.agreement import agree

        return agree
    raise AttributeError(f"module 'mcr.testing' has no attribute {name!r}")
