"""What blocks has a thread of its own: in order, with its own errors, and over when whoever cancelled it goes on."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator

import pytest
from toolrag.adapters.worker_thread import WorkerThread


@pytest.fixture
def thread() -> Iterator[WorkerThread]:
    made = WorkerThread("test")
    yield made
    made.close()


def test_work_is_done_elsewhere_one_after_another(thread: WorkerThread) -> None:
    seen: list[int] = []

    async def main() -> set[int]:
        names = await asyncio.gather(
            *(thread.run(lambda n=n: (seen.append(n), threading.get_ident())[1]) for n in range(20))
        )
        return set(names)

    idents = asyncio.run(main())
    assert seen == list(range(20))
    assert len(idents) == 1
    assert threading.get_ident() not in idents


def test_an_error_is_the_caller_s(thread: WorkerThread) -> None:
    async def main() -> None:
        await thread.run(int, "x")

    with pytest.raises(ValueError, match="invalid literal"):
        asyncio.run(main())


def test_cancelled_work_has_ended_when_the_cancellation_arrives_and_what_waits_never_begins(
    thread: WorkerThread,
) -> None:
    begun, go_on = threading.Event(), threading.Event()
    done: list[str] = []

    def work() -> None:
        begun.set()
        go_on.wait()
        done.append("first")

    async def main() -> None:
        first = asyncio.ensure_future(thread.run(work))
        second = asyncio.ensure_future(thread.run(done.append, "second"))
        await asyncio.to_thread(begun.wait)
        first.cancel()
        second.cancel()
        with pytest.raises(asyncio.CancelledError):
            await second
        assert not first.done()
        go_on.set()
        with pytest.raises(asyncio.CancelledError):
            await first
        assert done == ["first"]

    asyncio.run(main())
