"""When a model gets nowhere: three failures of a kind in a row, or the same call failing twice. Pure."""

from __future__ import annotations

from collections import Counter
from typing import Final

IN_A_ROW: Final = 3
OF_ONE_CALL: Final = 2


class Failures:
    """One run's."""

    def __init__(self) -> None:
        self.over = ""
        """Why the model may go on no longer, as the end of a sentence; empty while it may."""
        self._kind = ""
        self._in_a_row = 0
        self._calls: Counter[str] = Counter()

    def note(self, kind: str, call: str = "") -> None:
        """A step ended: `kind` of its failure, empty when it went well. `call`: what tells a call from others."""
        self._in_a_row = self._in_a_row + 1 if kind and kind == self._kind else 1
        self._kind = kind
        if not kind or self.over:
            return
        if call:
            self._calls[call] += 1
        if self._in_a_row >= IN_A_ROW:
            self.over = f"{IN_A_ROW} steps in a row failed in the same way ({kind})"
        elif call and self._calls[call] >= OF_ONE_CALL:
            self.over = f"the same call failed twice ({kind})"
