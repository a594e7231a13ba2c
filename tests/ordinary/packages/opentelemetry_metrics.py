"""opentelemetry 1.38: metrics, its issue 4785.

Package: opentelemetry-sdk==1.38.0
"""

from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.resources import Resource

import mcr


@mcr.program
def opentelemetry_counter(p):
    """Two count.

    Refused: is a ContextVar that a thread has made
    """
    reader = InMemoryMetricReader()
    counter = (
        MeterProvider(metric_readers=[reader], resource=Resource.get_empty(), shutdown_on_exit=False)
        .get_meter("m")
        .create_counter("c")
    )
    p.share(counter)
    p.thread(counter.add, 1)
    p.thread(counter.add, 1)
