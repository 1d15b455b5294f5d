"""Ports that say again what was taken down, to a run that asks the same. Pure; no I/O of any kind.

What is recorded is found by what was asked, the first of equal ones first. A run that asks for something else has
diverged: DivergedError, which no run catches.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from typing import Final, TypeVar

from toolrag.answer.journal import events, forms
from toolrag.answer.journal.chain import BrokenError, Event, canonical
from toolrag.answer.journal.events import Attributes
from toolrag.answer.journal.outside import Outside
from toolrag.chat import Reply, Turn
from toolrag.config import Settings
from toolrag.ports import NO_JOURNAL, Candidate, Place, Scope, SearchResult, SpanParser
from toolrag.text import TextSnapshot

Result = TypeVar("Result")

_ASKED: Final[Mapping[str, Sequence[str]]] = {
    "retrieval": (
        "gen_ai.operation.name",
        "gen_ai.retrieval.query.text",
        "gen_ai.retrieval.top_k",
        "toolrag.method",
        "toolrag.scope",
    ),
    "document": ("toolrag.path",),
    "documents": ("toolrag.paths",),
    "chat": events.CHAT_REQUEST,
}
"""By kind, the attributes that say what was asked."""


class DivergedError(Exception):
    """The run asks for what was not recorded; `event` is the first that it should have asked for, counted from 1."""

    def __init__(self, event: int, message: str) -> None:
        super().__init__(message)
        self.event = event
        self.message = message


class Tape:
    """What was recorded of one run, to be taken by what is asked."""

    def __init__(self, recorded: Sequence[Event]) -> None:
        """Raises BrokenError for events that no recording made."""
        self._events = recorded
        self._waiting: dict[tuple[str, str], deque[int]] = {}
        self.diverged: DivergedError | None = None
        """The first divergence, also where whoever asked has lost it."""
        self._left: dict[int, None] = {}
        for number, event in enumerate(recorded, 1):
            if event.kind in _ASKED:
                with_number(number, self._put, number, event)

    def _put(self, number: int, event: Event) -> None:
        asked = {name: event.attributes[name] for name in _ASKED[event.kind]}
        self._waiting.setdefault((event.kind, canonical(asked)), deque()).append(number)
        self._left[number] = None

    def take(self, kind: str, asked: Attributes, said: str) -> tuple[int, Attributes]:
        """The next event that answers this; `said` names the question for a person. Raises DivergedError."""
        waiting = self._waiting.get((kind, canonical(asked)))
        if not waiting:
            raise self.diverge(self._why(kind, asked, said))
        number = waiting.popleft()
        del self._left[number]
        return number, dict(self._events[number - 1].attributes)

    def once(self, kind: str) -> tuple[int, Attributes]:
        """The event of a kind that comes once. Raises BrokenError where there is none."""
        for number, event in enumerate(self._events, 1):
            if event.kind == kind:
                return number, dict(event.attributes)
        raise BrokenError(len(self._events), f"The journal has no {kind}.")

    def diverge(self, why: str, event: int | None = None) -> DivergedError:
        """A divergence to be raised, at an event or at the next that is left; the first one is kept."""
        at = event if event is not None else next(iter(self._left), len(self._events))
        error = DivergedError(at, why)
        self.diverged = self.diverged or error
        return error

    def _why(self, kind: str, asked: Attributes, said: str) -> str:
        left = next(iter(self._left), None)
        if left is None:
            return f"The run asks for more than was recorded: {said}."
        event = self._events[left - 1]
        if event.kind != kind:
            return f"The run asks for {said}; recorded was {_named(event)}."
        others = [name for name in _ASKED[kind] if canonical(asked[name]) != canonical(event.attributes[name])]
        if not others:
            return f"The run asks for {said} once more than was recorded."
        return f"The run asks for {said}; recorded was {_named(event)} ({', '.join(others)})."


def with_number(number: int, read: Callable[..., Result], *arguments: object) -> Result:
    """What a reader of recorded JSON gives. Raises BrokenError, with the event's number, for JSON that is none of ours.

    The chain may have been made valid again over anything at all.
    """
    try:
        return read(*arguments)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise BrokenError(number, f"Event {number} is not what a recording writes ({error!r}).") from None


def outside_of(tape: Tape, parser: SpanParser, settings: Settings, model: str) -> Outside:
    """The ports that replay a tape; a model only where the run had one. Raises BrokenError."""
    number, lexicon = tape.once("lexicon")
    at, clock = tape.once("clock")
    return Outside(
        ReplayingRetriever(tape, number, with_number(number, _lexicon, lexicon)),
        ReplayingDocuments(tape),
        parser,
        ReplayingClock(tape, at, with_number(at, lambda: [float(now) for now in clock["toolrag.now"]])),
        settings,
        NO_JOURNAL,
        None if model == "extractive" else ReplayingModel(tape, model),
    )


def _lexicon(attributes: Attributes) -> dict[str, dict[str, float]]:
    return {
        table: {word: float(value) for word, value in attributes[table].items()}
        for table in ("toolrag.idf", "toolrag.defines")
    }


class ReplayingDocuments:
    """A DocumentSource of recorded texts."""

    def __init__(self, tape: Tape) -> None:
        self._tape = tape

    async def snapshot(self, path: str) -> TextSnapshot:
        """As `ports.DocumentSource.snapshot`."""
        number, event = self._tape.take("document", {"toolrag.path": path}, f"the document {path}")
        if "toolrag.error" in event:
            raise with_number(number, forms.read_error_of, event["toolrag.error"])
        found: TextSnapshot = with_number(
            number, lambda: forms.snapshot_of(event["toolrag.snapshot"], event["toolrag.text"])
        )
        return found

    async def glances(self, paths: Sequence[str]) -> Sequence[TextSnapshot | None]:
        """As `ports.DocumentSource.glances`; a text in which nothing was looked at is empty."""
        said = f"a look through {len(paths):,} documents"
        number, event = self._tape.take("documents", {"toolrag.paths": canonical(list(paths))}, said)

        def made() -> list[TextSnapshot | None]:
            texts = event["toolrag.texts"]
            return [
                None if one is None else forms.snapshot_of(one, texts.get(str(at), ""))
                for at, one in enumerate(json.loads(event["toolrag.snapshots"]))
            ]

        found: list[TextSnapshot | None] = with_number(number, made)
        return found


class ReplayingRetriever:
    """A Retriever of recorded results."""

    def __init__(self, tape: Tape, number: int, lexicon: Mapping[str, Mapping[str, float]]) -> None:
        self._tape = tape
        self._number = number
        self._lexicon = lexicon

    async def search(self, query: str, limit: int, scope: Scope) -> SearchResult:
        """As `ports.Retriever.search`."""
        number, event = self._take("search", query, limit, scope)
        searched = with_number(number, lambda: forms.searched_of(event["toolrag.searched"]))
        return SearchResult(_candidates(number, event), searched)

    async def definitions(self, name: str, limit: int, scope: Scope) -> tuple[Candidate, ...]:
        """As `ports.Retriever.definitions`."""
        return _candidates(*self._take("definitions", name, limit, scope))

    async def references(self, name: str, limit: int, scope: Scope) -> tuple[Place, ...]:
        """As `ports.Retriever.references`."""
        number, event = self._take("references", name, limit, scope)
        found: tuple[Place, ...] = with_number(
            number, lambda: tuple(map(forms.place_of, event["gen_ai.retrieval.documents"]))
        )
        return found

    def files(self, scope: Scope) -> Sequence[str]:
        """As `ports.Retriever.files`."""
        number, event = self._take("files", "", 0, scope)
        found: list[str] = with_number(number, lambda: json.loads(event["toolrag.files"]))
        return found

    def defines(self, name: str) -> bool:
        """As `ports.Retriever.defines`."""
        return bool(self._looked_up("toolrag.defines", name))

    def idf(self, token: str) -> float:
        """As `ports.Retriever.idf`."""
        return self._looked_up("toolrag.idf", token)

    def _take(self, method: str, text: str, limit: int, scope: Scope) -> tuple[int, Attributes]:
        said = f"{method} of {text!r}" if text else method
        return self._tape.take("retrieval", events.retrieval(method, text, limit, scope), said)

    def _looked_up(self, table: str, word: str) -> float:
        if word not in self._lexicon[table]:
            raise self._tape.diverge(f"The run looks up {word!r}, which was not looked up then.", self._number)
        return self._lexicon[table][word]


def _candidates(number: int, event: Attributes) -> tuple[Candidate, ...]:
    found: tuple[Candidate, ...] = with_number(
        number, lambda: tuple(map(forms.candidate_of, event["gen_ai.retrieval.documents"]))
    )
    return found


class ReplayingClock:
    """A Clock that says what it said."""

    def __init__(self, tape: Tape, number: int, said: list[float]) -> None:
        self._tape = tape
        self._number = number
        self._said = deque(said)

    def now(self) -> float:
        """As `ports.Clock.now`."""
        if not self._said:
            raise self._tape.diverge("The run looks at the clock once more than was recorded.", self._number)
        return self._said.popleft()

    async def sleep(self, seconds: float) -> None:
        """As `ports.Clock.sleep`, without waiting: the clock goes by what was recorded."""


class ReplayingModel:
    """A ChatModel that says what it said when it is asked the very same."""

    def __init__(self, tape: Tape, name: str) -> None:
        self._tape = tape
        self._name = name

    @property
    def id(self) -> str:
        """As `ports.ChatModel.id`."""
        return self._name

    async def reply(self, turn: Turn) -> AsyncGenerator[str | Reply, None]:
        """As `ports.ChatModel.reply`."""
        said = f"a reply to {len(turn.messages):,} message{'' if len(turn.messages) == 1 else 's'}"
        number, event = self._tape.take("chat", events.chat_request(self._name, turn), said)
        for piece in with_number(number, _pieces, event):
            yield piece
        if "toolrag.error" in event:
            raise with_number(number, forms.model_error_of, event["toolrag.error"])
        if "gen_ai.output.messages" not in event:
            raise self._tape.diverge("The run listens on where it had stopped listening.", number)
        yield with_number(number, lambda: forms.reply_of(event["gen_ai.output.messages"][0]))


def _pieces(event: Attributes) -> list[str]:
    pieces = []
    start = 0
    for size in event["toolrag.pieces"]:
        pieces.append(event["toolrag.streamed"][start : start + size])
        start += size
    return pieces


def _named(event: Event) -> str:
    """What a recorded event asked, for a person."""
    match event.kind:
        case "document":
            return f"the document {event.attributes['toolrag.path']}"
        case "retrieval":
            return f"{event.attributes['toolrag.method']} of {event.attributes['gen_ai.retrieval.query.text']!r}"
        case "chat":
            return "another request to the model"
        case _:
            return "a look through documents"
