"""Which lines and branches of thread code executions reach, and which none can."""
