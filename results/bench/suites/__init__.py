"""The suites, one file each. A new file here is a new suite."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from mcr.bench.suite import Suite


def suite_names() -> list[str]:
    """The names of all suites; nothing is imported."""
    return sorted(module.name.replace("_", "-") for module in iter_modules(__path__))


def suite_named(name: str) -> Suite:
    """The suite of that name."""
    suite: Suite = import_module(f"{__name__}.{name.replace('-', '_')}").SUITE
    return suite
