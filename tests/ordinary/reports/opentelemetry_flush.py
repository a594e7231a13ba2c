"""open-telemetry/opentelemetry-python #949: the spans are exported before the thread that flushes waits.

Versions: opentelemetry-sdk==0.12b0 aiocontextvars

The context, which is loaded from the entry points of packages at first use, is loaded when this file is imported. It is
the one of the package for Python 3.4.
"""

import os

from opentelemetry import context
from opentelemetry.sdk.trace.export import BatchExportSpanProcessor, SpanExporter

os.environ["OTEL_CONTEXT"] = "threadlocal_context"
context.get_current()


class Exporter(SpanExporter):
    def __init__(self):
        self.calls = 0

    def export(self, spans):
        self.calls += 1

    def shutdown(self):
        pass


def flush():
    """0.12b0: AssertionError."""
    exporter = Exporter()
    processor = BatchExportSpanProcessor(exporter)
    flushed = processor.force_flush()
    assert flushed or not exporter.calls, "all is exported, but nobody said so for 30 seconds"
