"""What of one root is searched: its files as they were last seen on disk, under the open documents that differ.

The corpus of the disk is kept between runs; it says itself which texts it was made of. That of the open
documents never is: they are laid over it in memory, file by file, so that an edit costs what it touched. Used on one
thread, but for `analysis` and `snapshot`, which any may ask.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from toolrag.adapters.corpus_file import load_corpus, save_corpus
from toolrag.adapters.fingerprint import corpus_fingerprint
from toolrag.adapters.live_reader import Analyses
from toolrag.adapters.store import FileRow
from toolrag.retrieval.corpus import FileKey, build_corpus, update_corpus
from toolrag.symbols import Analysis
from toolrag.text import TextSnapshot

log = logging.getLogger(__name__)

CORPUS: Final = "corpus.bin"


@dataclass(frozen=True, slots=True)
class LiveFile:
    """An open document whose text is not the one on disk, or that is not on disk."""

    snapshot: TextSnapshot
    language: str
    analysis: Analysis


class Shown:
    """The corpus of one root."""

    def __init__(self, folder: Path | None) -> None:
        """`folder` keeps the corpus of the disk; None keeps none."""
        self._folder = folder
        self._disk = build_corpus([])
        self._files: tuple[FileKey, ...] = ()
        self._paths: frozenset[str] = frozenset()
        self._live: Mapping[str, LiveFile] = {}
        self.corpus = self._disk
        """What is searched."""

    def take_up(self) -> bool:
        """Begins with the corpus that an earlier run kept, whatever became of its files; whether there is one."""
        kept = load_corpus(self._folder / CORPUS, corpus_fingerprint()) if self._folder else None
        if kept is not None:
            self._disk = self.corpus = kept
            self._remember(tuple(map(FileKey, kept.paths, kept.shas, kept.languages)))
        return kept is not None

    def use(self, rows: Iterable[FileRow], analyses: Analyses) -> None:
        """From now on these are the files on disk; `analyses` has those of their texts."""
        files = tuple(FileKey(row.path, row.sha, row.language) for row in rows)
        if files == self._files:
            return
        self._disk = update_corpus(self._disk, files, lambda file: analyses(file.sha, file.language))
        # A file whose analysis is lost is not in it: the next refresh parses it, and finds that the files differ.
        self._remember(tuple(map(FileKey, self._disk.paths, self._disk.shas, self._disk.languages)))
        if self._folder is not None:
            try:
                save_corpus(self._folder / CORPUS, self._disk, corpus_fingerprint())
            except OSError as error:
                log.warning("The search arrays could not be kept (%s); they are built again next time.", error.strerror)
        self._lay_over(analyses)

    def show(self, path: str, live: LiveFile | None, analyses: Analyses) -> None:
        """An open document has another text than its file now; None when it has the same, or was closed."""
        others = {other: file for other, file in self._live.items() if other != path}
        if live is not None:
            others[path] = live
        if others.keys() == self._live.keys() and live is None:
            return
        self._live = others
        self._lay_over(analyses)

    def is_known(self, path: str) -> bool:
        """Whether a file is among those on disk that are indexed."""
        return path in self._paths

    def analysis(self, sha: str, language: str) -> Analysis | None:
        """The analysis of an open document's text."""
        files = self._live.values()
        return next((file.analysis for file in files if (file.snapshot.sha, file.language) == (sha, language)), None)

    def snapshot(self, path: str) -> TextSnapshot | None:
        """An open document's text, where it is not the one on disk."""
        live = self._live.get(path)
        return None if live is None else live.snapshot

    def _remember(self, files: tuple[FileKey, ...]) -> None:
        self._files, self._paths = files, frozenset(file.path for file in files)

    def _lay_over(self, analyses: Analyses) -> None:
        if not self._live:
            self.corpus = self._disk
            return
        files = {file.path: file for file in self._files}
        files.update((path, FileKey(path, live.snapshot.sha, live.language)) for path, live in self._live.items())
        self.corpus = update_corpus(
            self.corpus,
            [files[path] for path in sorted(files, key=lambda path: path.encode("utf-8", "surrogateescape"))],
            lambda file: self.analysis(file.sha, file.language) or analyses(file.sha, file.language),
        )
