"""Parts of every exploration, whichever algorithm drives it: limits, bugs and their short schedules, verdicts."""
