"""What has become of the citations of recent answers: told whenever an edit, or somebody else's write, changes it.

Edits are taken down as they come and followed when the keys rest, on a thread: what it costs does not hold up the loop.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from toolrag.adapters.documents import Documents
from toolrag.adapters.names import path_of_uri
from toolrag.answer.edits import Edit
from toolrag.answer.types import Answer, Standing
from toolrag.errors import ReadError
from toolrag.session.cited import CitedDocument, Key, Step, edit, follow, followed, forget, replace_all, see
from toolrag.session.edits import MOST_SECONDS, QUIET_SECONDS
from toolrag.session.lost import locate_lost
from toolrag.session.settling import Settling
from toolrag.session.types import Events, Stood
from toolrag.text import LineRange, Text, TextSnapshot

log = logging.getLogger(__name__)

MOST_ANSWERS: Final = 50


class Standings:
    """Follows the citations of the last MOST_ANSWERS answers. Belongs to one event loop."""

    def __init__(self, documents: Documents, searched: Callable[[], Sequence[str]], events: Events) -> None:
        """`searched` gives the documents in which lines may be whose file is gone."""
        self._documents = documents
        self._searched = searched
        self._events = events
        self._answers: dict[str, Answer] = {}
        self._cited: dict[str, CitedDocument] = {}
        self._open: dict[str, tuple[str, str]] = {}
        """URI and text of each open document."""
        self._told: dict[Key, Stood] = {}
        self._settling: Settling[str] = Settling(QUIET_SECONDS, MOST_SECONDS)
        self._swept: set[str] = set()
        """Documents that somebody else may have written, or denied."""
        self._stirred = asyncio.Event()
        self._working = asyncio.Lock()
        self._task = asyncio.create_task(self._run())
        self._task.add_done_callback(_report_end)

    def keep(self, answer: Answer) -> None:
        """Follows an answer's citations from now on, instead of those of the oldest one."""
        self._drop(answer.id)
        while len(self._answers) >= MOST_ANSWERS:
            self._drop(next(iter(self._answers)))
        self._answers[answer.id] = answer
        for citation in answer.citations:
            snapshot, key = citation.snapshot, (answer.id, citation.id)
            identity = _identity(snapshot.uri)
            document = self._cited.get(identity)
            if document is None:
                document = self._cited[identity] = CitedDocument(snapshot.uri, snapshot.text, snapshot.sha)
                document.steps += [partial(see, self._open[identity][1])] if identity in self._open else []
            elif identity not in self._open and document.sha != snapshot.sha:
                document.sha = snapshot.sha
                document.steps.append(partial(see, snapshot.text.content))
            document.steps.append(partial(follow, key, citation))
            document.cited[key] = citation
            self._told[key] = _stood(citation.id, "verified", snapshot.uri, citation.lines, snapshot.text)
            self._touch(identity)

    def cited(self, answer_id: str, citation_id: str) -> TextSnapshot:
        """The text that a recent answer's citation is of. Raises ReadError `not_found`."""
        answer = self._answers.get(answer_id)
        if answer is None:
            sentence = f"No answer with this id is kept; the last {MOST_ANSWERS} of this session are. Ask again."
            raise ReadError("not_found", sentence)
        for citation in answer.citations:
            if citation.id == citation_id:
                return citation.snapshot
        raise ReadError("not_found", "The answer has no citation with this id; take one of its citations.")

    def opened(self, uri: str, text: str) -> None:
        """A document was opened with this text, which need not be its file's."""
        self._happened(uri, text, partial(see, text))

    def changed(self, uri: str, text: str, edits: Sequence[Edit] | None) -> None:
        """An open document has this text now, by these edits; None where nobody says by which."""
        self._happened(uri, text, partial(replace_all, text) if edits is None else partial(edit, edits))

    def closed(self, uri: str) -> None:
        """A document is no longer open: its file is the truth again."""
        identity = _identity(uri)
        self._open.pop(identity, None)
        if identity in self._cited:
            self._cited[identity].sha = ""
        self._touch(identity)

    def sweep(self) -> None:
        """Files may have been written by somebody else, or may be read no more."""
        self._swept |= self._cited.keys()
        for identity in self._cited:
            self._touch(identity)

    async def settle(self) -> None:
        """Takes up whatever has happened, now."""
        await self._take_up(float("inf"))

    async def close(self) -> None:
        """Ends the task."""
        self._task.cancel()
        await asyncio.wait([self._task])

    def _happened(self, uri: str, text: str, step: Step) -> None:
        identity = _identity(uri)
        self._open[identity] = uri, text
        if identity in self._cited:
            self._cited[identity].steps.append(step)
        self._touch(identity)

    def _touch(self, identity: str) -> None:
        if identity in self._cited or any(identity in one.refuges for one in self._cited.values()):
            self._settling.touch(identity, asyncio.get_running_loop().time())
            self._stirred.set()

    def _drop(self, answer_id: str) -> None:
        answer = self._answers.pop(answer_id, None)
        for citation in answer.citations if answer is not None else ():
            key, identity = (answer_id, citation.id), _identity(citation.snapshot.uri)
            document = self._cited[identity]
            document.steps.append(partial(forget, key))
            del document.cited[key], self._told[key]
            if not document.cited:
                del self._cited[identity]

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            due = self._settling.next_due()
            self._stirred.clear()
            try:
                async with asyncio.timeout_at(due):
                    await self._stirred.wait()
            except TimeoutError:
                await self._take_up(loop.time())

    async def _take_up(self, now: float) -> None:
        """Follows what has happened to the documents that are due, and tells what has changed by it."""
        async with self._working:
            due = set()
            while (identity := self._settling.take(now)) is not None:
                due.add(identity)
            due |= {identity for identity, one in self._cited.items() if one.refuges & due}
            documents = {identity: one for identity, one in self._cited.items() if identity in due}
            swept = self._swept & due
            self._swept -= due
            await self._look_at_files(documents, swept)
            work = [(identity, one, one.steps) for identity, one in documents.items()]
            for one in documents.values():
                one.steps = []
            found = await asyncio.to_thread(followed, work)
            found |= await self._elsewhere({i: one for i, one in documents.items() if one.is_lost}, swept)
            self._tell(found)

    async def _look_at_files(self, documents: Mapping[str, CitedDocument], swept: set[str]) -> None:
        """Sees what files hold whose documents are not open, and whether the others may still be read.

        What is not there any more, and was before, counts as swept.
        """
        asked = {i: one for i, one in documents.items() if i in swept or i not in self._open or one.is_lost}
        given = await self._documents.glances([one.uri for one in asked.values()])
        for (identity, one), text in zip(asked.items(), given, strict=True):
            if text is None:
                swept |= set() if one.is_lost else {identity}
                one.is_lost, one.sha = True, ""
                continue
            one.is_lost, one.refuges = False, frozenset()
            if identity not in self._open and text.sha != one.sha:
                one.sha = text.sha
                one.steps.append(partial(see, text.text.content))

    async def _elsewhere(self, lost: Mapping[str, CitedDocument], swept: set[str]) -> dict[Key, tuple[str, Stood]]:
        """How citations stand whose document is gone: everything is searched once, then what has their lines."""
        every = {identity: one for identity, one in lost.items() if identity in swept}
        rest = {identity: one for identity, one in lost.items() if identity not in swept}
        known = [self._name(refuge) for refuge in sorted(frozenset().union(*(one.refuges for one in rest.values())))]
        found: dict[Key, tuple[str, Stood]] = {}
        for some, paths in ((every, self._searched() if every else ()), (rest, known)):
            cited = {key: citation for one in some.values() for key, citation in one.cited.items()}
            located = await locate_lost([*cited.values()], self._documents, paths) if cited else []
            refuges: dict[str, set[str]] = {identity: set() for identity in some}
            for (key, citation), one in zip(cited.items(), located, strict=True):
                if one.snapshot is None or one.lines is None:
                    found[key] = "", Stood(citation.id, one.standing)
                    continue
                refuge = _identity(one.snapshot.uri)
                refuges[_identity(citation.snapshot.uri)].add(refuge)
                text = one.snapshot.text
                found[key] = refuge, _stood(citation.id, one.standing, one.snapshot.uri, one.lines, text)
            for identity, names in refuges.items():
                some[identity].refuges = frozenset(names)
        return found

    def _tell(self, found: Mapping[Key, tuple[str, Stood]]) -> None:
        news: dict[str, list[Stood]] = {}
        for key, (identity, given) in found.items():
            stood = given if given.uri is None else replace(given, uri=self._name(identity, given.uri))
            # An answer may have been dropped meanwhile.
            if key in self._told and stood != self._told[key]:
                self._told[key] = stood
                news.setdefault(key[0], []).append(stood)
        for answer_id, changed in news.items():
            self._events.standings(answer_id, changed)

    def _name(self, identity: str, otherwise: str | None = None) -> str:
        """A document as the client names it, where it has it open."""
        return self._open[identity][0] if identity in self._open else otherwise or identity


def _identity(uri: str) -> str:
    """What two spellings of one document have in common, as a name of it: a file's path, or the URI itself."""
    return path_of_uri(uri) or uri


def _stood(name: str, standing: Standing, uri: str, lines: LineRange, text: Text) -> Stood:
    return Stood(name, standing, uri, lines, text.line(lines.end - 1))


def _report_end(task: asyncio.Task[None]) -> None:
    """A task that ends by itself has met a fault of ours: it is said."""
    if not task.cancelled() and (fault := task.exception()) is not None:
        log.error("Citations are not followed any more: a fault.", exc_info=fault)
