"""What a run with a model has spent, held against its budget before each step (PROTOCOL section 2). Pure."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from toolrag.answer.reading import RangeReader
from toolrag.answer.types import Usage
from toolrag.chat import Message, Reply, ToolSpec
from toolrag.config import Budget
from toolrag.ports import Clock

CHARACTERS_A_TOKEN: Final = 4
"""Of English and code, about; used before a request, and for providers that do not say what they counted."""


class Spending:
    """One run's. Reads and bytes are the reader's own to count and to refuse."""

    def __init__(self, budget: Budget, clock: Clock, reader: RangeReader) -> None:
        self.budget: Final = budget
        self.turns = 0
        """Requests to the model, those that failed included."""
        self.tool_calls = 0
        self.input_tokens = 0
        self.output_tokens = 0
        self._clock = clock
        self._reader = reader
        self._began = clock.now()

    @property
    def turns_left(self) -> int:
        """Requests that may still be made."""
        return self.budget.turns - self.turns

    @property
    def tokens_left(self) -> int:
        """Tokens, of requests and replies together."""
        return self.budget.tokens - self.input_tokens - self.output_tokens

    def seconds_left(self) -> float:
        """By the clock now; not above 0 when the time is over."""
        return self.budget.seconds - (self._clock.now() - self._began)

    def asked(self, estimate: int) -> None:
        """A request of about so many tokens is made; `answered` puts the real number in its place."""
        self.turns += 1
        self.input_tokens += estimate

    def answered(self, estimate: int, reply: Reply) -> None:
        """It got a reply. What a provider counts below 1 is no count: it would give back what was spent."""
        if reply.input_tokens > 0:
            self.input_tokens += reply.input_tokens - estimate
        self.output_tokens += reply.output_tokens if reply.output_tokens > 0 else size_of([reply])

    def usage(self) -> Usage:
        """What was spent so far."""
        read = self._reader.usage(self._clock.now() - self._began)
        return replace(
            read,
            turns=self.turns,
            tool_calls=self.tool_calls,
            input_tokens=self.input_tokens,
            output_tokens=self.output_tokens,
        )


def size_of(messages: Sequence[Message], system: str = "", tools: Sequence[ToolSpec] = ()) -> int:
    """About how many tokens a request, or a part of it, is."""
    characters = len(system) + sum(len(json.dumps([one.description, one.parameters])) for one in tools)
    for message in messages:
        characters += len(message.text)
        if isinstance(message, Reply):
            characters += sum(len(call.name) + len(json.dumps(call.arguments)) for call in message.calls)
            characters += len(json.dumps(message.opaque)) if message.opaque is not None else 0
        else:
            characters += sum(len(result.text) for result in message.results)
    return -(-characters // CHARACTERS_A_TOKEN)
