"""Random schedules: an explorer that runs so many of them, and samplers that choose their steps."""
