"""Graphs of threads in which every value has its step that may have been written before (`explorer.Closed`)."""
