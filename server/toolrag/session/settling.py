"""Wait until something that changes again and again has settled, but not for ever. Pure: the caller brings the time."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)


class Settling(Generic[Key]):
    """Keys that were touched, each due `quiet` seconds after its last touch and at latest `most` after its first."""

    def __init__(self, quiet: float, most: float) -> None:
        self._quiet = quiet
        self._most = most
        self._touched: dict[Key, tuple[float, float]] = {}

    def touch(self, key: Key, now: float) -> None:
        """It has changed."""
        first, _ = self._touched.get(key, (now, now))
        self._touched[key] = first, now

    def drop(self, key: Key) -> None:
        """It does not matter any more."""
        self._touched.pop(key, None)

    def next_due(self) -> float | None:
        """When the first of them is due; None while there is none."""
        return min(map(self._due, self._touched), default=None)

    def take(self, now: float) -> Key | None:
        """The one that has been due for longest, which then counts as dealt with; None while none is."""
        due = min(self._touched, key=self._due, default=None)
        if due is None or self._due(due) > now:
            return None
        del self._touched[due]
        return due

    def _due(self, key: Key) -> float:
        first, last = self._touched[key]
        return min(last + self._quiet, first + self._most)
