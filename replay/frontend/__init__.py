"""What users write models with: a program, and what it declares."""
