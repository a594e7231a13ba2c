"""Relations of single executions, their causal pasts, and the classes to which they belong."""
