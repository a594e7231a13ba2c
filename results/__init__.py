"""Measurements, and what makes them."""
