"""A ChatModel that follows a script, and asserts that it was asked as a provider has to be asked."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass

from toolrag.chat import Reply, Said, Turn
from toolrag.errors import ModelError


@dataclass(frozen=True, slots=True)
class Partly:
    """Text that comes before the reply breaks."""

    text: str
    error: ModelError


@dataclass(frozen=True, slots=True)
class Hold:
    """Text after which nothing more comes, until the reply is closed."""

    text: str = ""


Step = Reply | ModelError | Partly | Hold | Callable[[Turn], Reply]


class ScriptedModel:
    """Says one thing of its script a turn. Asked more often than that, or wrongly, it raises AssertionError.

    A function of the script is given the turn, and may raise ModelError. `pieces` is the most characters of a piece.
    """

    def __init__(self, *script: Step, name: str = "scripted:test", pieces: int = 5) -> None:
        self._script = list(script)
        self._id = name
        self._pieces = pieces
        self.turns: list[Turn] = []
        """Every turn that it was asked for, also those it answered with an error."""
        self.closed = 0
        """How many replies were closed, or cancelled, before their end."""

    @property
    def id(self) -> str:
        """As `ports.ChatModel.id`."""
        return self._id

    @property
    def left(self) -> int:
        """How many steps of the script were not asked for."""
        return len(self._script)

    async def reply(self, turn: Turn) -> AsyncGenerator[str | Reply, None]:
        """As `ports.ChatModel.reply`."""
        assert_askable(turn)
        self.turns.append(turn)
        assert self._script, f"asked for reply {len(self.turns)}, and the script has no more"
        step = self._script.pop(0)
        if isinstance(step, ModelError):
            raise step
        said = step if isinstance(step, Reply | Partly | Hold) else step(turn)
        try:
            for start in range(0, len(said.text), self._pieces):
                yield said.text[start : start + self._pieces]
                await asyncio.sleep(0)  # where a cancel reaches it, as in a provider
            if isinstance(said, Hold):
                await asyncio.Event().wait()
        except (GeneratorExit, asyncio.CancelledError):
            self.closed += 1
            raise
        if isinstance(said, Partly):
            raise said.error
        if isinstance(said, Reply):
            yield said


def assert_askable(turn: Turn) -> None:
    """Asserts what every provider relies on (`chat.Turn`, `chat.Said`)."""
    assert turn.messages, "no messages"
    assert turn.seconds > 0, f"no time left: {turn.seconds}"
    assert turn.max_tokens > 0, f"no tokens: {turn.max_tokens}"
    names = [tool.name for tool in turn.tools]
    assert len(set(names)) == len(names), f"a tool is given twice: {names}"
    for tool in turn.tools:
        assert tool.name, "a tool without a name"
        assert set(tool.name) <= set("abcdefghijklmnopqrstuvwxyz_"), f"a tool's name: {tool.name!r}"
        assert tool.description.strip(), f"{tool.name} has no description"
        assert tool.parameters.get("type") == "object", f"the parameters of {tool.name} are no object"
        json.dumps(tool.parameters)
    if turn.choice == "tool":
        assert turn.tool in names, f"the tool to be called, {turn.tool!r}, is none of {names}"
    if turn.choice == "any":
        assert names, "a call is wanted, and there is no tool"
    _assert_conversation(turn)


def _assert_conversation(turn: Turn) -> None:
    wanted: list[str] = []
    seen: set[str] = set()
    for place, message in enumerate(turn.messages):
        expected = Reply if place % 2 else Said
        assert isinstance(message, expected), f"message {place} is no {expected.__name__}"
        if isinstance(message, Said):
            told = [result.call_id for result in message.results]
            assert told == wanted, f"message {place} answers {told}, the calls were {wanted}"
            assert message.text.strip() or told, f"message {place} says nothing"
            for result in message.results:
                assert isinstance(json.loads(result.text), dict), f"a result is no JSON object: {result.text!r}"
        else:
            wanted = [call.id for call in message.calls]
            assert len({*seen, *wanted}) == len(seen) + len(wanted), f"a call's id comes twice: {wanted}"
            seen.update(wanted)
            assert all(call.name for call in message.calls), "a call without a name"
    assert isinstance(turn.messages[-1], Said), "the last message is the model's own"
