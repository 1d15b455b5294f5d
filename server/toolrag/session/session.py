"""A session: everything a client can ask, over live buffers and any number of folders. Belongs to one event loop."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from toolrag import app
from toolrag.adapters.around import Around
from toolrag.adapters.clock import SystemClock
from toolrag.adapters.documents import Documents
from toolrag.adapters.fence import Fence, Root
from toolrag.adapters.library import Library
from toolrag.adapters.name_index import NameIndex
from toolrag.adapters.names import path_of_uri
from toolrag.adapters.parse_process import ParseProcess
from toolrag.answer.checking import CheckedText
from toolrag.answer.checking_wire import locate_wire, verify_answer_wire, verify_text_wire
from toolrag.answer.earlier import DENIED, still_allowed
from toolrag.answer.edits import Edit
from toolrag.answer.extractive import MODEL
from toolrag.answer.hover.markup import Format
from toolrag.answer.hover.names import Listed
from toolrag.answer.journal.outside import Outside
from toolrag.answer.reading import RangeReader, ReadResult
from toolrag.answer.types import Answer
from toolrag.config import Settings
from toolrag.errors import ReadError
from toolrag.models import chat_model
from toolrag.ports import NO_JOURNAL, Scope, SearchResult
from toolrag.session.answers import Answers
from toolrag.session.edits import Edits
from toolrag.session.focus import in_front
from toolrag.session.folders import Folders, Opened
from toolrag.session.hovering import Hovering
from toolrag.session.noting import Noting
from toolrag.session.standings import Standings
from toolrag.session.status import status_of
from toolrag.session.told import Told
from toolrag.session.types import Ask, Events, Folder, Hover, Links, Watch
from toolrag.session.written_links import WrittenLinks
from toolrag.symbols import Analysis
from toolrag.text import Position, PositionEncoding, TextSnapshot

MOST_CANDIDATES = 100
"""Candidates of one search, at most."""


class Session:
    """One client's workspace. `start` comes first; after `close` nothing may be called."""

    def __init__(self, settings: Settings, events: Events) -> None:
        """To be made on the event loop. Raises ConfigError for settings that cannot be used here."""
        self._settings = settings
        self._events = events
        self._engine = app.vector_engine(settings.index.vectors, app.embedder().dimensions)
        self._parser = ParseProcess(settings.index.parse_seconds)
        self._documents = Documents(Fence([], settings.read, settings.deny))
        self._library = Library(self._documents, self._parser, app.embedder())
        self._folders = self._made_folders()
        most = settings.index.max_file_bytes
        self._edits = Edits(self._documents, self._parser, self._library, lambda: self._folders, most)
        names = NameIndex(self._library.retriever, self._documents, self._parser)
        self._links = WrittenLinks(self._documents, self._edits.language, lambda: self._folders)
        self._noting = Noting(self._links, self._edits.language, events, settings.diagnostics)
        self._hovering = Hovering(self._documents, names, self._edits.language, self._links)
        self._answers = Answers()
        self._standings = Standings(self._documents, lambda: self._library.documents, events)
        self._changing = asyncio.Lock()
        self._is_started = False

    async def start(self, folders: Sequence[Folder]) -> None:
        """Opens the folders; they are indexed in the background."""
        self._is_started = True
        await self.change_folders(folders, [])

    async def change_folders(self, added: Sequence[Folder], removed: Sequence[Folder]) -> None:
        """Folders were added to the workspace, and others removed."""
        async with self._changing:
            await self._folders.change(added, removed)
        self._sweep()

    async def configure(self, settings: Settings) -> None:
        """The user's settings are others now. Raises ConfigError, and keeps the old ones, where they cannot be used."""
        before = self._settings
        if replace(settings, hover=before.hover, diagnostics=before.diagnostics) == before:
            self._settings = settings  # nothing that is read or indexed goes by them
            self._noting.use(settings.diagnostics)
            return
        engine = app.vector_engine(settings.index.vectors, app.embedder().dimensions)
        async with self._changing:
            # What may be read, and what is indexed, goes by the settings: every folder is opened anew.
            folders = [one.folder for one in self._folders.opened]
            await self._folders.close()
            self._settings, self._engine = settings, engine
            self._folders = self._made_folders()
            await self._folders.change(folders, [])
        self._noting.use(settings.diagnostics)
        self._sweep()

    def opened(self, uri: str, language_id: str, text: str, version: int | None, notebook: str | None = None) -> None:
        """A document, or a cell of a notebook, was opened with this text, which need not be its file's."""
        self._documents.open(uri, text, version, notebook)
        self._edits.touch(uri, language_id)
        self._standings.opened(uri, text)
        self._noting.opened(uri, text)

    def changed(self, uri: str, text: str, version: int | None, edits: Sequence[Edit] | None = None) -> None:
        """An open document has this text now, by these edits of its lines. Raises KeyError when it is not open."""
        self._documents.change(uri, text, version)
        self._edits.touch(uri)
        self._standings.changed(uri, text, edits)
        self._noting.changed(uri)

    def saved(self, uri: str) -> None:
        """An open document was written to its file. Raises KeyError when it is not open."""
        self._documents.save(uri)
        self._edits.touch(uri)
        self._folders.touch()

    def closed(self, uri: str) -> None:
        """A document is no longer open: its file is the truth again. Raises KeyError when it is not open."""
        self._documents.close(uri)
        self._edits.touch(uri)
        self._standings.closed(uri)
        self._noting.closed(uri)

    def files_changed(self, uris: Sequence[str]) -> None:
        """Files were created, changed or deleted on disk."""
        paths = [path for path in map(path_of_uri, uris) if path is not None]
        for one in self._folders.opened:
            roots = (Path(one.root.given), Path(one.root.real))
            if any(Path(path).is_relative_to(root) for path in paths for root in roots):
                one.wanted.set()

    async def ask(self, ask: Ask, watch: Watch) -> Answer:
        """An answer to a question. Raises ConfigError for a model that cannot be used, or an unknown answer."""
        settings = replace(self._settings, budget=self._settings.budget.lowered(ask.budget))
        earlier = self._answers.earlier(ask.follows)
        if earlier is not None:
            earlier = await still_allowed(earlier, self._documents)
        retriever, question = await in_front(
            ask, self._library.retriever, self._documents, self._edits.language, self._analysed
        )
        documents = Told(self._documents, watch)
        model = ask.model or settings.model
        chosen = None if model == MODEL else chat_model(model, settings, self._events.converse)
        clock, journal = SystemClock(), NO_JOURNAL
        outside = Outside(retriever, documents, self._parser, clock, settings, journal, chosen, watch, earlier)
        roots = [one.root for one in self._folders.opened]
        answer = await app.recorded(outside, roots).answer(question, ask.scope, ask.question)
        answer = replace(answer, question=ask.question)
        self._answers.keep(answer)
        self._standings.keep(answer)
        return answer

    async def search(self, query: str, limit: int, scope: Scope) -> SearchResult:
        """Candidates, best first."""
        return await self._library.retriever.search(query, min(limit, MOST_CANDIDATES), scope)

    async def read_range(self, path: str, start: int, end: int, expect_sha: str | None) -> ReadResult:
        """One read outside any run. Raises ReadError."""
        reader = RangeReader(self._documents, self._parser, self._settings.read, self._settings.budget)
        return await reader.read_range(path, start, end, expect_sha)

    async def hover(
        self, uri: str, position: Position, encoding: PositionEncoding, form: Format, command_links: bool
    ) -> Hover | None:
        """What is known of the name, or citation, at a position: no model, and no waiting. None where there is none."""
        if not self._settings.hover:
            return None
        return await self._hovering.hover(uri, position, encoding, form, command_links)

    async def links(self, uri: str) -> Links | None:
        """The citations that are written in a document; None where it may not be read."""
        return await self._links.links(uri)

    async def written_at(self, uri: str, position: Position, encoding: PositionEncoding) -> CheckedText | None:
        """The citation that is written at a position; None where none is."""
        return await self._links.at(uri, position, encoding)

    async def explain(
        self, uri: str, position: Position, encoding: PositionEncoding, model: str | None, watch: Watch
    ) -> Answer:
        """An answer about the symbol at a position. Raises ConfigError for a model that cannot be used."""
        return await self._hovering.explain(uri, position, encoding, lambda wanted: self.ask(wanted, watch), model)

    async def shown(self, answer: Answer) -> str:
        """The URI of a file that shows an answer. Raises ConfigError where none can be written."""
        return await asyncio.to_thread(app.shown_answer, answer, [one.root.real for one in self._folders.opened])

    async def symbols(self, query: str) -> Sequence[Listed]:
        """Symbols whose names fit a query, best first."""
        return await self._hovering.symbols(query)

    async def locate(self, citation: Mapping[str, object], encoding: PositionEncoding) -> Mapping[str, object]:
        """Where a citation's lines are now (PROTOCOL section 3). Raises ValueError, a sentence, for what is none."""
        return await locate_wire(citation, self._documents, self._elsewhere, encoding)

    async def cited(self, answer_id: str, citation_id: str) -> TextSnapshot:
        """The text that a recent answer's citation is of, as it was then. Raises ReadError: none is kept, or denied."""
        snapshot = self._standings.cited(answer_id, citation_id)
        try:
            await self._documents.snapshot(snapshot.uri)
        except ReadError as error:
            if error.code in DENIED:
                raise
        return snapshot

    async def verify_text(self, text: str, encoding: PositionEncoding) -> Mapping[str, object]:
        """How the citations that are written in a text stand."""
        return await verify_text_wire(text, self._documents, encoding)

    async def verify_answer(self, answer: Mapping[str, object], encoding: PositionEncoding) -> Mapping[str, object]:
        """How the citations of a saved answer stand. Raises ValueError, a sentence, for what is none."""
        return await verify_answer_wire(answer, self._documents, self._elsewhere, encoding)

    async def replay(self, run: str, verify: bool, encoding: PositionEncoding) -> Mapping[str, object]:
        """Runs a kept run again (PROTOCOL section 5); `verify`: how its citations stand in the documents as they are.

        Raises ConfigError, a sentence, for one that is not kept.
        """
        report = await app.replayed(run, app.Journals(self._settings.journal), self._parser)
        if not verify:
            return report.wire()
        if report.recorded is None:
            return {**report.wire(), "citations": []}
        found = await verify_answer_wire(report.recorded, self._documents, self._elsewhere, encoding)
        return {**report.wire(), "citations": found["citations"]}

    async def clear_journals(self) -> Mapping[str, object]:
        """Removes every journal of this user: `{runs, bytes}` that were removed."""
        cleared = await asyncio.to_thread(app.Journals(self._settings.journal).clear)
        return {"runs": cleared.runs, "bytes": cleared.bytes}

    async def _elsewhere(self) -> AsyncIterator[str]:
        """Every document that is searched: where lines may be whose file is gone."""
        for path in self._library.documents:
            yield path

    def status(self) -> Mapping[str, object]:
        """PROTOCOL section 3."""
        return status_of(self._folders, self._library, self._settings.model, self._is_started)

    async def settle(self) -> None:
        """Takes up every edit made so far, without waiting for the keys to rest."""
        await self._edits.settle()
        await self._standings.settle()
        await self._noting.settle()

    async def reindex(self) -> None:
        """Looks at every file again, now."""
        self._folders.touch()

    async def close(self) -> None:
        """Ends everything that was begun, child processes too."""
        async with self._changing:
            await self._edits.close()
            await self._standings.close()
            await self._noting.close()
            await self._folders.close()
            self._library.close()
            await self._parser.close()

    async def _analysed(self, snapshot: TextSnapshot, language: str) -> Analysis:
        known = self._library.analysis(snapshot.sha, language)
        return known or await self._parser.parse(snapshot.text.content, language)

    def _made_folders(self) -> Folders:
        def around(fence: Fence, root: Root) -> Around:
            limits = self._settings.index
            forgets = app.forgets(root, self._settings)
            return Around(fence, root, self._parser, limits, app.embedder(), self._engine, forgets)

        def cache(root: Root) -> Path | None:
            return app.cache_folder(root, self._settings)

        return Folders(self._settings, self._library, around, cache, self._events, self._refreshed, self._documents.use)

    def _refreshed(self, one: Opened) -> None:
        self._events.log(logging.INFO, f"{one.folder.name}: {one.phase}, {len(one.index.corpus.paths):,} files.")
        self._sweep()

    def _sweep(self) -> None:
        """What is on disk has changed, or what may be read has."""
        self._edits.touch_all()
        self._standings.sweep()
        self._noting.sweep()
