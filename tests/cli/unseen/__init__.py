"""A package whose state threads share behind the model, and programs that do."""
