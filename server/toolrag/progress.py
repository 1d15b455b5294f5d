"""Progress of long work on stderr: a bar on a terminal, elsewhere one sentence when there is much to do."""

from __future__ import annotations

import shutil
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Never

from toolrag.answer.prose import visible

if TYPE_CHECKING:
    from tqdm import tqdm

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
