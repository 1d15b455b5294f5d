"""The clock port on the system's monotonic clock."""

from __future__ import annotations

import time


class SystemClock:
    """Seconds since some moment; never goes back."""

    def now(self) -> float:
        """Seconds; only differences mean anything."""
        return time.monotonic()
