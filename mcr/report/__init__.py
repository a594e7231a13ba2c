"""Reports: what people and machines get to read about a check or a replay."""
