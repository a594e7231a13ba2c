"""Thread code on terms: symbols in place of numbers, and a watch on whoever could tell the two apart."""
