"""open-telemetry/opentelemetry-python #949: the spans are exported before the thread that flushes waits.

Versions: opentelemetry-sdk==0.12b0 aiocontextvars
"""

from opentelemetry.sdk.trace.export import BatchExportSpanProcessor, SpanExporter


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
