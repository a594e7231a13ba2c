"""Executions as plain data: recorded, played again, written to files and read back."""
