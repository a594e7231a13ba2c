"""Programs as pytest tests: decorators, which need no pytest, and the plugin, which pytest finds by itself."""
