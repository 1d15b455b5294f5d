"""Doubles for journals: runs in memory, a model that says what a script says, and a small loop that listens to it."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import dataclass

from answer_doubles import CountingClock, MemoryRetriever
from doubles import MemoryDocuments
from parser_double import InlineParser
from toolrag.answer.journal import events
from toolrag.answer.journal.chain import Event, Sealed, seal
from toolrag.answer.journal.outside import Outside, Run, answer_by
from toolrag.answer.journal.recording import Recording
from toolrag.answer.journal.replay import Report, check, replay
from toolrag.answer.types import Answer
from toolrag.chat import Reply, ToolCall, Turn
from toolrag.config import Settings
from toolrag.errors import ModelError
from toolrag.ports import NO_JOURNAL, ChatModel, DocumentSource, Scope

FILES = {
    "shop/pricing.py": (
        "LIMIT = 3\n\n\n"
        "def discounted_price(price, discount=LIMIT):\n"
        '    """Take a discount off a price.\n\n    :raises ValueError: for a discount above 1\n    """\n'
        "    if discount > 1:\n"
        '        raise ValueError("a discount is a share")\n'
        "    return price * (1 - discount)\n"
    ),
    "shop/basket.py": (
        "from shop.pricing import discounted_price\n\n\n"
        "class Basket:\n"
        '    """What a customer wants to buy."""\n\n'
        "    def total(self):\n"
        '        """The sum of all discounted prices."""\n'
        "        return sum(discounted_price(price) for price in self.prices)\n"
    ),
    "notes.txt": "nothing of interest\n",
}
MODEL = "openai:small"
QUESTION = "what does discounted_price return?"


@dataclass(frozen=True)
class Taken:
    """A run that was taken down."""

    answer: Answer
    events: list[Event]
    sealed: Sealed


def outside(
    files: Mapping[str, str] | None = None,
    model: ChatModel | None = None,
    documents: DocumentSource | None = None,
    settings: Settings | None = None,
) -> Outside:
    """A run's ports, in memory."""
    given = FILES if files is None else files
    return Outside(
        MemoryRetriever(given),
        documents or MemoryDocuments(given),
        InlineParser(),
        CountingClock(),
        settings or Settings(),
        NO_JOURNAL,
        model,
    )


async def taken(real: Outside, question: str = QUESTION, run: Run = answer_by) -> Taken:
    """Run a run, and take it down."""
    start = events.run_start(
        question, Scope(), real.model_name, real.settings, asked=question, roots=["/nowhere"], version="0"
    )
    recording = Recording(start)
    answer = await run(recording.outside(real), question, Scope())
    made = recording.events(answer)
    return Taken(answer, made, seal(made))


async def again(sealed: Sealed, run: Run = answer_by) -> Report:
    """Replay it."""
    return await replay(check("0" * 16, sealed.lines, sealed.blobs.get), InlineParser(), run)


class ScriptedModel:
    """Says one reply after another, whatever it is asked, in pieces of three characters; a ModelError is raised."""

    def __init__(self, *script: Reply | ModelError) -> None:
        self._script = list(script)
        self.asked: list[Turn] = []

    @property
    def id(self) -> str:
        """As `ports.ChatModel.id`."""
        return MODEL

    async def reply(self, turn: Turn) -> AsyncGenerator[str | Reply, None]:
        """As `ports.ChatModel.reply`."""
        self.asked.append(turn)
        said = self._script.pop(0)
        if isinstance(said, ModelError):
            yield "half of "
            raise said
        for start in range(0, len(said.text), 3):
            yield said.text[start : start + 3]
        yield said


def says(text: str = "", *calls: tuple[str, Mapping[str, object]]) -> Reply:
    """A reply with some calls, as a provider gives it."""
    made = tuple(ToolCall(f"call_{at}", name, arguments) for at, (name, arguments) in enumerate(calls))
    return Reply(text, made, "tool_use" if calls else "end", "auto", 11, 7, {"signature": "s" * 20})


def changed(made: Sequence[Event], kind: str, change: Callable[[dict[str, object]], object], nth: int = 0) -> Sealed:
    """The journal with one event changed, and its chain made valid again."""
    copies = [Event(one.kind, json.loads(json.dumps(dict(one.attributes)))) for one in made]
    wanted = [one for one in copies if one.kind == kind][nth]
    assert isinstance(wanted.attributes, dict)
    change(wanted.attributes)
    return seal(copies)
