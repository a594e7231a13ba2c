"""Explicit global states over merged local states."""
