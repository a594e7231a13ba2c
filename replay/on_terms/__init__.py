"""Thread code on terms: symbols in place of numbers, and a guard that stops code which could tell the two apart."""
