"""The slow, obvious way: every configuration of the store-buffer machine. What all others are held against."""
