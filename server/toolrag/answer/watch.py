"""What a run tells while it runs. Protocols and a silent one; pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

from toolrag.answer.types import Citation, Claim, Usage
from toolrag.config import Budget


class Watch(Protocol):
    """Called on the event loop, never after the run was cancelled."""

    def reading(self, message: str) -> None:
        """What is being done, in a few words, such as `reading a.py`."""
        ...

    def spent(self, usage: Usage, budget: Budget) -> None:
        """What a run with a model has spent so far, before each of its turns."""
        ...

    def claims(self, claims: Sequence[Claim], citations: Sequence[Citation], withdrawn: Sequence[str]) -> None:
        """Claims that are complete and verified; ids of those that no longer hold."""
        ...


class _Silent:
    """Tells nobody."""

    def reading(self, message: str) -> None:
        """Nothing."""

    def spent(self, usage: Usage, budget: Budget) -> None:
        """Nothing."""

    def claims(self, claims: Sequence[Claim], citations: Sequence[Citation], withdrawn: Sequence[str]) -> None:
        """Nothing."""


SILENT: Final[Watch] = _Silent()
