"""What is known of single executions: their relations, causal pasts, and the classes that they belong to."""
