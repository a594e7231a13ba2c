"""Native code that is given something else in the place of what it cannot look into."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Converted:
    """Interpreted: native code each of whose arguments is converted by itself before the call."""

    def __init__(self, native: Any, convert: Callable[[Any], Any]) -> None:
        self.native, self.convert = native, convert

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        return self.native(*[self.convert(each) for each in arguments], **keywords)
