"""A real browser, headless, for tests that look at pages."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import pytest

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")

_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def launched() -> Iterator[Any]:
    """A browser; skips the test, saying what is missing, where there is none that starts."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    path = next((found for name in _NAMES if (found := shutil.which(name))), None)
    if path is None:
        pytest.skip(f"there is no browser: none of {', '.join(_NAMES)} is on the path")
    with playwright.sync_playwright() as started:
        try:
            browser = started.chromium.launch(executable_path=path, args=_ARGUMENTS, timeout=120_000)
        except playwright.Error as error:
            pytest.skip(f"{path} does not start here: {str(error).splitlines()[0]}")
        yield browser
        browser.close()
