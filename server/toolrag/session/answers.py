"""The answers of a session that later questions may follow. Pure."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

from toolrag.answer.earlier import Earlier
from toolrag.answer.types import Answer
from toolrag.errors import ConfigError

MOST: Final = 50
"""Answers that are kept; each holds the texts it cites."""


class Answers:
    """The latest ones, by id."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, Earlier] = OrderedDict()

    def keep(self, answer: Answer) -> None:
        """An answer was given."""
        self._kept[answer.id] = Earlier.of(answer)
        self._kept.move_to_end(answer.id)
        while len(self._kept) > MOST:
            self._kept.popitem(last=False)

    def earlier(self, follows: str | None) -> Earlier | None:
        """What a question follows. Raises ConfigError when it is not kept."""
        if follows is None:
            return None
        if follows not in self._kept:
            sentence = f"follows names no answer of this session, of which the last {MOST} are kept. Ask without it."
            raise ConfigError(sentence)
        return self._kept[follows]
