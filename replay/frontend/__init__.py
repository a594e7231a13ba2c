"""The vocabulary of models: a program, and what it declares."""
