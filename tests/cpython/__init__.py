"""Schedules of mcr on threads of CPython."""
