"""The page of `mcr explore`: a person chooses what happens next, and sees where it can lead."""

from __future__ import annotations

from mcr.report.explorer.page import explorer_page

__all__ = ["explorer_page"]
