"""One thread for work that blocks, so that the event loop stays free. What it is given is done one after another.

Absent on purpose: a pool. What shares a thread here (a database's connection, the walk) may not be used by two.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar, TypeVarTuple, Unpack

Result = TypeVar("Result")
Arguments = TypeVarTuple("Arguments")


class WorkerThread:
    """Runs functions on one thread of its own, started by the first of them."""

    def __init__(self, name: str) -> None:
        self._executor = ThreadPoolExecutor(1, thread_name_prefix=name)

    async def run(self, work: Callable[[Unpack[Arguments]], Result], *arguments: *Arguments) -> Result:
        """What `work` returns or raises. Cancelled while it waits for the thread, it is never begun.

        A thread cannot be stopped: cancelled while `work` runs, this ends when it has ended, so that whoever cancels
        may close what it uses.
        """
        job = self._executor.submit(work, *arguments)
        done = asyncio.wrap_future(job)
        try:
            return await asyncio.shield(done)
        except asyncio.CancelledError:
            if not job.cancel():
                await asyncio.wait([done])
            raise

    def close(self) -> None:
        """Waits for what runs, and ends the thread. What still waits is never begun."""
        self._executor.shutdown(wait=True, cancel_futures=True)
