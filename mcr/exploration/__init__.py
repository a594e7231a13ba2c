"""What every exploration has, whichever algorithm drives it: limits, bugs and their short schedules, verdicts."""
