"""All consistent executions over the known unfolding as one formula, and what an assignment of it says."""
