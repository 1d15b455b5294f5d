"""Progress of long work on stderr: a bar on a terminal, elsewhere one sentence when there is much to do."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Never

from toolrag.answer.prose import visible

if TYPE_CHECKING:
    from tqdm import tqdm

    from toolrag.answer.types import Citation, Claim, Usage
    from toolrag.config import Budget

MANY = 500
"""From here a run without a terminal says that it is indexing."""


def say(sentence: str) -> None:
    """One sentence for the person at the terminal."""
    with suppress(OSError):  # a stderr that is full or gone does not change how a command ends
        print(f"toolrag: {visible(sentence)}", file=sys.stderr)


class Bar:
    """A progress bar for each phase on a terminal; elsewhere one sentence when there is much to do."""

    def __init__(self) -> None:
        self._quiet = not sys.stderr.isatty()
        self._said = False
        self._phase = ""
        self._bar: tqdm[Never] | None = None

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __call__(self, phase: str, done: int, total: int) -> None:
        """Shows how far a phase is. One that has nothing to do shows nothing."""
        if self._quiet:
            if phase == "Indexing" and total >= MANY and not self._said:
                self._said = True
                say(f"Indexing {total:,} files; the next run reads only what changed.")
            return
        if phase != self._phase:
            self.close()
            self._phase = phase
        if self._bar is None and done < total:
            from tqdm import tqdm

            width = shutil.get_terminal_size((100, 24)).columns
            self._bar = tqdm(total=total, desc=phase, unit="", leave=False, file=sys.stderr, ncols=width)
        if self._bar is not None:
            self._bar.update(done - self._bar.n)

    def close(self) -> None:
        """Takes the bar off the screen."""
        if self._bar is not None:
            self._bar.close()
        self._bar = None


class Turns:
    """What a run does, on one line of a terminal that is taken off when it ends; elsewhere nothing is shown."""

    def __init__(self) -> None:
        self._quiet = not sys.stderr.isatty()
        self._spent = ""
        self._shown = False

    def __enter__(self) -> Turns:
        return self

    def __exit__(self, *_: object) -> None:
        self._show("")

    def reading(self, message: str) -> None:
        """What is being done."""
        self._show(f"{message}{self._spent}")

    def spent(self, usage: Usage, budget: Budget) -> None:
        """What was spent so far."""
        tokens = usage.input_tokens + usage.output_tokens
        self._spent = f" · turn {usage.turns + 1} of {budget.turns} · {tokens:,} of {budget.tokens:,} tokens"
        self.reading("waiting for the model")

    def claims(self, claims: Sequence[Claim], citations: Sequence[Citation], withdrawn: Sequence[str]) -> None:
        """Nothing: a terminal gets the answer whole, after all of it was verified again."""

    def _show(self, line: str) -> None:
        if self._quiet or not (line or self._shown):
            return
        width = shutil.get_terminal_size((100, 24)).columns - 1
        with suppress(OSError):
            print(f"\r\x1b[K{visible(line)[:width]}", end="", file=sys.stderr, flush=True)
        self._shown = bool(line)
