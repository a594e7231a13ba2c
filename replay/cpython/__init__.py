"""Schedules of mcr on threads of CPython: how an execution is played there, and scripts that do it without mcr."""
