"""Progress of long work on stderr: a bar on a terminal, elsewhere one sentence when there is much to do."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Never

from toolrag.answer.prose import visible

if TYPE_CHECKING:
    from tqdm import tqdm

MANY_FILES = 500
"""From here a run without a terminal says that it is indexing."""


def say(sentence: str) -> None:
    """One sentence for the person at the terminal."""
    print(f"toolrag: {visible(sentence)}", file=sys.stderr)


class Bar:
    """A progress bar on a terminal; elsewhere one sentence when there is much to do."""

    def __init__(self) -> None:
        self._quiet = not sys.stderr.isatty()
        self._said = False
        self._bar: tqdm[Never] | None = None

    def __enter__(self) -> Bar:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def update(self, done: int, total: int) -> None:
        """Called by the indexer."""
        if self._quiet:
            if total >= MANY_FILES and not self._said:
                self._said = True
                say(f"Indexing {total:,} files; the next run reads only what changed.")
            return
        from tqdm import tqdm

        if self._bar is None and done < total:
            self._bar = tqdm(total=total, unit=" files", desc="Indexing", leave=False, file=sys.stderr)
        if isinstance(self._bar, tqdm):
            self._bar.update(done - self._bar.n)

    def close(self) -> None:
        """Takes the bar off the screen."""
        close = getattr(self._bar, "close", None)
        if close is not None:
            close()
        self._bar = None
