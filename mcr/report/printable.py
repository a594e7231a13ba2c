"""Text of others, as it may be shown: what a terminal or a page would obey instead of showing is spelled out.

Names, values and messages may hold anything: sequences that set the title of a
window or fill the clipboard, marks that turn the direction of what follows,
halves of characters that no encoding has. Python's notation for them is shown.
"""

from __future__ import annotations

import re

_HIDDEN = (
    r"\x00-\x08\x0b-\x1f\x7f-\x9f"  # control characters, but for tabs and line ends
    r"\xad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"  # marks, most of direction
    r"\u2028\u2029"  # line ends that only some readers know
    r"\ud800-\udfff\ufffe\uffff\U000e0000-\U000e0fff"  # no characters, and tags that nobody sees
)
_ANY = f"[{_HIDDEN}]"
_ANY_AND_LINE_ENDS = f"[\t\n{_HIDDEN}]"
_COLOR = r"\x1b\[(?:0|1|2|32|33|1;31|1;36)m"
"""What `mcr.report.layout` writes."""

_UNPAINTED = f"(?P<ours>{_COLOR}|\\A\r|\r\\Z)|[{_HIDDEN}]"


def printable(text: str) -> str:
    """The text without anything hidden; it keeps its lines."""
    return text if text.isascii() and text.isprintable() else re.sub(_ANY, _spelled, text)


def on_one_line(text: str) -> str:
    """As `printable`, for names, which have no lines."""
    return text if text.isascii() and text.isprintable() else re.sub(_ANY_AND_LINE_ENDS, _spelled, text)


def printable_but_painted(text: str) -> str:
    """As `printable`, for a terminal: our colours stay, and so do the beginning and end of a progress bar."""
    return text if text.isascii() and text.isprintable() else re.sub(_UNPAINTED, _spelled_unless_ours, text)


def markup(text: str) -> str:
    """The text as content or attribute of HTML and SVG."""
    from html import escape  # late, as only pages need it

    return escape(printable(text))


def printable_json(text: str) -> str:
    """JSON with everything hidden escaped as JSON does it."""
    import json

    return re.sub(_ANY, lambda found: json.dumps(found[0])[1:-1] if found[0] != "\x7f" else r"\u007f", text)


def _spelled(found: re.Match[str]) -> str:
    return ascii(found[0])[1:-1]


def _spelled_unless_ours(found: re.Match[str]) -> str:
    return found[0] if found["ours"] is not None else _spelled(found)
