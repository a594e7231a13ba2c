"""Generates litmus tests from cycles of relations, as the diy7 tool does."""
