"""The clock port on the system's monotonic clock."""

from __future__ import annotations

import asyncio
import time


class SystemClock:
    """Seconds since some moment; never goes back."""

    def now(self) -> float:
        """Seconds; only differences mean anything."""
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        """Waits."""
        await asyncio.sleep(seconds)
