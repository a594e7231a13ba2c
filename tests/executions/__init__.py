"""Executions as values: what is derived of them, and how they are named."""
