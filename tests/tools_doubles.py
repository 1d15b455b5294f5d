"""Doubles for tests of a model's tools: a toolbox over texts in memory or folders on disk, and clocks."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from answer_doubles import range_reader
from doubles import MemoryDocuments
from index_doubles import AllIn, ParsingRetriever, SumEmbedder, indexed, write_tree
from parser_double import InlineParser
from toolrag.adapters.documents import Documents
from toolrag.adapters.fence import Fence
from toolrag.adapters.retriever import IndexedRetriever, View
from toolrag.adapters.roots import open_root
from toolrag.adapters.store import Store
from toolrag.adapters.vectors_flat import FlatVectors
from toolrag.answer.tools.limits import ToolLimits
from toolrag.answer.tools.toolbox import Outcome, Toolbox
from toolrag.chat import ToolCall
from toolrag.config import Budget, ReadLimits
from toolrag.ports import Clock, DocumentSource, Retriever, Scope
from toolrag.retrieval.corpus import build_corpus
from toolrag.retrieval.joined import join_corpora
from toolrag.retrieval.languages import language_of

LIMITS = ToolLimits()
EVERYWHERE = Scope()


class StillClock:
    """No time passes, but for what a test lets pass; it counts how often the event loop was given back."""

    def __init__(self) -> None:
        self.time = 0.0
        self.n_sleeps = 0

    def now(self) -> float:
        """As `ports.Clock.now`."""
        return self.time

    async def sleep(self, seconds: float) -> None:
        """As `ports.Clock.sleep`, without waiting."""
        self.n_sleeps += 1
        self.time += seconds
        await asyncio.sleep(0)


class Bench:
    """A toolbox to call, with what it works on."""

    def __init__(
        self,
        documents: DocumentSource,
        retriever: Retriever,
        *,
        limits: ToolLimits = LIMITS,
        scope: Scope = EVERYWHERE,
        clock: Clock | None = None,
        budget: Budget | None = None,
    ) -> None:
        self.documents = documents
        self.clock = clock or StillClock()
        self.reader = range_reader(documents, budget or Budget(tool_calls=10_000, reads=10_000, bytes=10**9))
        self.toolbox = Toolbox(self.reader, retriever, documents, InlineParser(), scope, self.clock, limits)
        self._n_calls = 0

    def outcome(self, tool: str, arguments: object = None, **more: object) -> Outcome:
        """What becomes of a call; it must hold to the form of every result."""
        given = more if arguments is None else arguments
        self._n_calls += 1
        call = ToolCall(f"call-{self._n_calls}", tool, given)  # type: ignore[arg-type] # junk is given on purpose
        outcome = asyncio.run(self.toolbox.run(call))
        assert outcome.result.call_id == call.id
        assert isinstance(json.loads(outcome.result.text), dict)
        assert outcome.result.text.isprintable() or not outcome.result.text.isascii()
        assert outcome.result.is_error == bool(outcome.failure)
        return outcome

    def told(self, tool: str, arguments: object = None, **more: object) -> dict[str, object]:
        """The result of a call that succeeds."""
        outcome = self.outcome(tool, arguments, **more)
        assert not outcome.failure, outcome.result.text
        told: dict[str, object] = json.loads(outcome.result.text)
        return told

    def refused(self, tool: str, arguments: object = None, **more: object) -> tuple[str, str]:
        """The kind of a failure, and what the model is told; a failure reads nothing."""
        outcome = self.outcome(tool, arguments, **more)
        told = json.loads(outcome.result.text)
        assert outcome.read is None
        assert told["error"] == outcome.failure
        return outcome.failure, told["message"]


def memory_bench(
    files: Mapping[str, str],
    *,
    limits: ToolLimits = LIMITS,
    scope: Scope = EVERYWHERE,
    clock: Clock | None = None,
    budget: Budget | None = None,
) -> Bench:
    """A toolbox over texts by path, which a test may change by `bench.documents.files`."""
    documents = MemoryDocuments(files)
    return Bench(documents, ParsingRetriever(documents), limits=limits, scope=scope, clock=clock, budget=budget)


@contextmanager
def disk_bench(folder: Path, roots: Mapping[str, Mapping[str, str]]) -> Iterator[Bench]:
    """A toolbox over real folders behind the real fence, with an index that, as a planted one may, has denied files in it."""
    for name, files in roots.items():
        write_tree(folder / name, files)
    fence = Fence([open_root(folder / name) for name in roots], ReadLimits())
    documents = Documents(fence)
    store = Store(None, "1")
    seen = [{path: text for path, text in files.items() if language_of(path)} for files in roots.values()]
    parts = [indexed(files) for files in seen]
    for part in parts:
        for file in part:
            store.put_analysis(file.sha, file.language, file.analysis)
    embedder = SumEmbedder()
    retriever = IndexedRetriever(documents, InlineParser(), AllIn(FlatVectors(embedder.dimensions)), embedder)
    names = [
        path if len(roots) == 1 else f"{root}/{path}" for root, files in zip(roots, seen, strict=True) for path in files
    ]
    corpus = join_corpora([build_corpus(part) for part in parts])
    retriever.show(View(corpus, 0, complete=True, documents=names), store.analysis)
    try:
        yield Bench(documents, retriever)
    finally:
        store.close()
        fence.close()
