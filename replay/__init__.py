"""The world of a checked program: model, machine, unfolding, traces, replayer."""
