"""All that is searched together: the indexes of the open folders, and open documents that lie in none of them.

Files of several folders are ranked as one corpus, so that a folder without an answer does not outrank one that has it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from toolrag.adapters.dense import DenseState
from toolrag.adapters.index import Index
from toolrag.adapters.live_reader import Glances
from toolrag.adapters.retriever import IndexedRetriever, View
from toolrag.adapters.shown import LiveFile, Shown
from toolrag.adapters.worker_thread import WorkerThread
from toolrag.ports import Embedder, SpanParser
from toolrag.retrieval.corpus import Corpus
from toolrag.retrieval.joined import join_corpora
from toolrag.symbols import Analysis


class Library:
    """Searches some indexes as one. Belongs to their event loop."""

    def __init__(self, documents: Glances, parser: SpanParser, embedder: Embedder) -> None:
        self._thread = WorkerThread("library")
        self._loose = Shown(None)
        self._joined: Corpus | None = None
        self.indexes: Sequence[Index] = ()
        """One a folder, in the folders' order. After a change `show` must be called."""
        self.epoch = 0
        """How often what can be found has changed."""
        self.n_spans = 0
        """Symbols that can be found."""
        self.languages: Mapping[str, int] = {}
        """Files that can be found, by language."""
        self.retriever: Final = IndexedRetriever(documents, parser, self, embedder)

    @property
    def state(self) -> DenseState:
        """How many texts have vectors, in all folders; those of loose documents have none."""
        states = [index.dense.state for index in self.indexes if index.is_shown]
        engines = sorted({state.engine for state in states}, reverse=True)  # hnsw before exact
        return DenseState(
            engine=engines[0] if engines else "none",
            indexed=sum(state.indexed for state in states),
            total=sum(state.total for state in states),
            complete=all(state.complete for state in states),
        )

    @property
    def documents(self) -> Sequence[str]:
        """What each file that is searched is asked for by."""
        return self.retriever.documents

    def nearest(self, vector: npt.NDArray[np.float32], limit: int) -> list[tuple[int, float]]:
        """The nearest of all folders' vectors; a text that several have counts once."""
        found: dict[int, float] = {}
        for index in self.indexes:
            found.update(index.dense.nearest(vector, limit))
        return sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))[:limit]

    def analysis(self, sha: str, language: str) -> Analysis | None:
        """The analysis of a text that is searched. Raises sqlite3.DatabaseError."""
        loose = self._loose.analysis(sha, language)
        if loose is not None:
            return loose
        kept = (index.analysis(sha, language) for index in self.indexes)
        return next((analysis for analysis in kept if analysis is not None), None)

    async def show_loose(self, uri: str, live: LiveFile | None) -> None:
        """An open document outside every folder has this text now; None when it was closed."""
        await self._thread.run(self._loose.show, uri, live, _none)
        await self.show()

    async def show(self) -> None:
        """From now on searches see the indexes, and the loose documents, as they are."""
        shown = [index for index in self.indexes if index.is_shown]
        view = await self._thread.run(
            self._view,
            [index.corpus for index in shown],
            [index.root.name for index in shown],
            sum(index.n_skipped for index in shown),
            len(shown) == len(self.indexes) and all(index.complete for index in shown),
        )
        self.retriever.show(view, self.analysis)
        self.epoch += 1
        self.n_spans = view.corpus.n_spans
        self.languages = view.languages

    def close(self) -> None:
        """Ends its thread. The indexes are closed by whoever opened them."""
        self._thread.close()

    def _view(self, corpora: Sequence[Corpus], names: Sequence[str], n_skipped: int, complete: bool) -> View:
        loose = self._loose.corpus
        if loose.paths:
            corpora = [*corpora, loose]
        self._joined = join_corpora(corpora, self._joined)
        documents = [
            path if len(self.indexes) == 1 else f"{name}/{path}"
            for corpus, name in zip(corpora, names, strict=False)
            for path in corpus.paths
        ]
        return View(self._joined, n_skipped, complete=complete, documents=(*documents, *loose.paths))


def _none(_sha: str, _language: str) -> Analysis | None:
    return None
