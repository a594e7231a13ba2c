"""A scheduler or a worker of a Dask cluster, as a process: `python -m tests.jobs.dask_parts [ADDRESS]`."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys

from tests.desk import ROOT


async def _run(address: str) -> None:
    from distributed import Scheduler, Worker

    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    if address:
        part = Worker(address, nthreads=1, dashboard=False, memory_limit=0)
    else:
        part = Scheduler(host="127.0.0.1", port=0, dashboard=False)
    async with part:
        print(part.address, flush=True)
        await part.finished()


def started(address: str = "") -> tuple[subprocess.Popen[str], str]:
    """The process of a worker of the scheduler with that address, or of a scheduler; and its own address."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.jobs.dask_parts", address], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    return process, process.stdout.readline().strip()


if __name__ == "__main__":
    asyncio.run(_run(sys.argv[1]))
