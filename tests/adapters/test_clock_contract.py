"""What every Clock does, the system's and one that is set by hand."""

from __future__ import annotations

import asyncio

import pytest
from toolrag.adapters.clock import SystemClock
from toolrag.ports import Clock


class SetClock:
    """Says what it was set to."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def now(self) -> float:
        return self.seconds

    async def sleep(self, seconds: float) -> None:
        self.seconds += seconds


@pytest.mark.parametrize("clock", [pytest.param(SystemClock(), id="system"), pytest.param(SetClock(), id="double")])
def test_time_is_in_seconds_and_never_goes_back(clock: Clock) -> None:
    seen = [clock.now() for _ in range(100)]
    assert seen == sorted(seen)
    assert all(isinstance(moment, float) for moment in seen)


@pytest.mark.parametrize("clock", [pytest.param(SystemClock(), id="system"), pytest.param(SetClock(), id="double")])
def test_who_sleeps_finds_it_later(clock: Clock) -> None:
    before = clock.now()
    asyncio.run(clock.sleep(0.01))
    assert clock.now() - before >= 0.01
