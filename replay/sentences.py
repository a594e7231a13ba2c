"""Numbers and lists in English sentences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def counted(count: int, what: str) -> str:
    """1 class, 2,000 classes"""
    plural = f"{what}es" if what.endswith("s") else f"{what}s"
    return f"{count:,} {what if count == 1 else plural}"


def listed(parts: Sequence[str]) -> str:
    """a, b and c"""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def there_are(known: Iterable[str], instead: str = "") -> str:
    """there are sc and tso; and which of them was probably meant by what was written `instead`"""
    names = list(known)
    return f"there are {', '.join(names)}{did_you_mean(instead, names)}"


def did_you_mean(written: str, known: Iterable[str]) -> str:
    """; did you mean 'store'? Nothing if none of the names is near to what was written."""
    near = nearest(written, known)
    return f"; did you mean {near!r}?" if near else ""


def nearest(written: str, known: Iterable[str]) -> str:
    """The name that was probably meant, "" if none is near."""
    from difflib import get_close_matches  # late, as most things are written right

    names = {name.lower(): name for name in known}
    meant = _ELSEWHERE.get(written, written.lower())
    near = [meant] if meant in names else get_close_matches(meant, names, n=1)
    return names[near[0]] if near else ""


_ELSEWHERE = {
    **dict.fromkeys(("read", "get"), "load"),
    **dict.fromkeys(("write", "set", "assign", "put"), "store"),
    **dict.fromkeys(("cas", "compare_and_swap", "compare_and_set", "compare_exchange_strong"), "compare_exchange"),
    **dict.fromkeys(("swap", "get_and_set", "test_and_set"), "exchange"),
    **dict.fromkeys(("add", "increment", "inc", "fetch_sub", "get_and_add"), "fetch_add"),
    **dict.fromkeys(("variable", "atomic", "shared", "cell"), "var"),
    **dict.fromkeys(("lock", "Lock"), "mutex"),
    **dict.fromkeys(("cond", "Condition"), "condition"),
    "barrier": "fence",
    "mfence": "fence",
    "start": "spawn",
    "Thread": "thread",
    "x86": "tso",
    "sparc": "pso",
}
"""What other languages and libraries call what goes by another name here."""


def as_sentence(text: str) -> str:
    """With a capital letter and a full stop."""
    return f"{text[:1].upper()}{text[1:]}."
