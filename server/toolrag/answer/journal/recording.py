"""Ports that take down what they are asked and what they say. Pure; awaits the ports they stand before.

A run is not held up: what passes is kept as it is, and becomes JSON when the run has ended. Absent on purpose: the
parser, which gives the same for the same text, and any look at a setting or a header.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import replace

from toolrag.answer import wire
from toolrag.answer.journal import events
from toolrag.answer.journal.chain import Event
from toolrag.answer.journal.events import Attributes, Made
from toolrag.answer.journal.outside import Outside
from toolrag.answer.types import Answer
from toolrag.chat import Reply, Turn
from toolrag.errors import ModelError, ReadError
from toolrag.ports import Candidate, ChatModel, Clock, DocumentSource, Place, Retriever, Scope, SearchResult
from toolrag.text import Text, TextSnapshot


class Recording:
    """One run, taken down. Belongs to one event loop until the run has ended, then to whoever asks for its events."""

    def __init__(self, start: Made) -> None:
        self._said: list[Callable[[], Made]] = [lambda: start]
        self._idf: dict[str, float] = {}
        self._defines: dict[str, bool] = {}
        self._now: list[float] = []

    def record(self, kind: str, fields: Mapping[str, object]) -> None:
        """As `ports.Journal.record`."""
        self._said.append(lambda: (kind, dict(fields)))

    def later(self, made: Callable[[], Made]) -> None:
        """An event of values that do not change: it is made when the run has ended."""
        self._said.append(made)

    def outside(self, real: Outside) -> Outside:
        """The ports for the run: the real ones, told on, and this recording as its journal."""
        return Outside(
            retriever=RecordedRetriever(real.retriever, self, self._idf, self._defines),
            documents=RecordedDocuments(real.documents, self),
            parser=real.parser,
            clock=RecordedClock(real.clock, self._now),
            settings=real.settings,
            journal=self,
            model=None if real.model is None else RecordedModel(real.model, self),
            watch=real.watch,
            earlier=real.earlier,
        )

    def events(self, answer: Answer | None = None) -> list[Event]:
        """All of the run; without an answer it is not finished. Raises what JSON that is none raises."""
        made = [one() for one in self._said]
        made += [events.lexicon(self._idf, self._defines), events.clock(self._now)]
        if answer is not None:
            made.append(events.run_end(wire.answer(answer)))
        return [Event(kind, attributes) for kind, attributes in made]


class RecordedDocuments:
    """A DocumentSource that is taken down."""

    def __init__(self, real: DocumentSource, recording: Recording) -> None:
        self._real = real
        self._recording = recording

    async def snapshot(self, path: str) -> TextSnapshot:
        """As `ports.DocumentSource.snapshot`."""
        try:
            found = await self._real.snapshot(path)
        except ReadError as error:
            refusal = error  # the name ends with this block, and the event is made later
            self._recording.later(lambda: events.document(path, refusal))
            raise
        self._recording.later(lambda: events.document(path, found))
        return found

    async def glances(self, paths: Sequence[str]) -> Sequence[TextSnapshot | None]:
        """As `ports.DocumentSource.glances`.

        Very many are looked through for few that matter, so a text is kept once its lines are looked at. Of one that
        was searched by its `content` alone, and in vain, only what it was is kept: a replay has an empty text there,
        in which nothing is found either.
        """
        asked = tuple(paths)
        found = [
            None if one is None else replace(one, text=Text(one.text.content))  # no line of it was looked at so far
            for one in await self._real.glances(asked)
        ]

        def made() -> Made:
            kept = {at: one.text.content for at, one in enumerate(found) if one is not None and has_lines(one.text)}
            return events.documents(asked, found, kept)

        self._recording.later(made)
        return found


def has_lines(text: Text) -> bool:
    """Whether a line of a text was ever looked at: its line table, which takes a pass over it, was made."""
    return "starts" in vars(text)


class RecordedRetriever:
    """A Retriever that is taken down. What a name or token is said to be first, it stays for this run."""

    def __init__(self, real: Retriever, recording: Recording, idf: dict[str, float], defines: dict[str, bool]) -> None:
        self._real = real
        self._recording = recording
        self._idf = idf
        self._defines = defines

    async def search(self, query: str, limit: int, scope: Scope) -> SearchResult:
        """As `ports.Retriever.search`."""
        found = await self._real.search(query, limit, scope)
        self._later("search", query, limit, scope, lambda: events.candidates(found.candidates, found.searched))
        return found

    async def definitions(self, name: str, limit: int, scope: Scope) -> tuple[Candidate, ...]:
        """As `ports.Retriever.definitions`."""
        found = await self._real.definitions(name, limit, scope)
        self._later("definitions", name, limit, scope, lambda: events.candidates(found))
        return found

    async def references(self, name: str, limit: int, scope: Scope) -> tuple[Place, ...]:
        """As `ports.Retriever.references`."""
        found = await self._real.references(name, limit, scope)
        self._later("references", name, limit, scope, lambda: events.places(found))
        return found

    def files(self, scope: Scope) -> Sequence[str]:
        """As `ports.Retriever.files`."""
        found = tuple(self._real.files(scope))
        self._later("files", "", 0, scope, lambda: events.files(found))
        return found

    def defines(self, name: str) -> bool:
        """As `ports.Retriever.defines`."""
        if name not in self._defines:
            self._defines[name] = self._real.defines(name)
        return self._defines[name]

    def idf(self, token: str) -> float:
        """As `ports.Retriever.idf`."""
        if token not in self._idf:
            self._idf[token] = self._real.idf(token)
        return self._idf[token]

    def _later(self, method: str, text: str, limit: int, scope: Scope, found: Callable[[], Attributes]) -> None:
        self._recording.later(lambda: ("retrieval", {**events.retrieval(method, text, limit, scope), **found()}))


class RecordedClock:
    """A Clock that is taken down."""

    def __init__(self, real: Clock, said: list[float]) -> None:
        self._real = real
        self._said = said

    def now(self) -> float:
        """As `ports.Clock.now`."""
        now = self._real.now()
        self._said.append(now)
        return now

    async def sleep(self, seconds: float) -> None:
        """As `ports.Clock.sleep`."""
        await self._real.sleep(seconds)


class RecordedModel:
    """A ChatModel that is taken down: what a provider sends along, such as headers, never comes this far."""

    def __init__(self, real: ChatModel, recording: Recording) -> None:
        self._real = real
        self._recording = recording

    @property
    def id(self) -> str:
        """As `ports.ChatModel.id`."""
        return self._real.id

    async def reply(self, turn: Turn) -> AsyncGenerator[str | Reply, None]:
        """As `ports.ChatModel.reply`; what came is kept also where the run stops listening or is cancelled."""
        pieces: list[str] = []
        reply: Reply | None = None
        failed: ModelError | None = None
        coming = self._real.reply(turn)
        try:
            async for one in coming:
                if isinstance(one, str):
                    pieces.append(one)
                else:
                    reply = one
                yield one
        except ModelError as error:
            failed = error
            raise
        finally:
            close = getattr(coming, "aclose", None)
            if close is not None:
                await close()  # who closes this iterator means the request
            self._recording.later(
                lambda: (
                    "chat",
                    {**events.chat_request(self.id, turn), **events.chat_reply(pieces, reply, failed)},
                )
            )
