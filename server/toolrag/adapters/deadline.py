"""A model whose every reply ends in time, however its provider dawdles."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from toolrag.chat import Reply, Turn
from toolrag.errors import ModelError
from toolrag.ports import ChatModel


class WithDeadline:
    """The same model. What goes past a turn's seconds is closed, also one that sends a letter a second."""

    def __init__(self, model: ChatModel) -> None:
        self._model = model

    @property
    def id(self) -> str:
        """As the model's."""
        return self._model.id

    async def reply(self, turn: Turn) -> AsyncGenerator[str | Reply, None]:
        """As the model's; ModelError `timeout` once the turn's seconds are over."""
        loop = asyncio.get_running_loop()
        ends = loop.time() + turn.seconds
        async with aclosing(self._model.reply(turn)) as pieces:
            while True:
                try:
                    # Around one piece at a time: whoever takes the pieces has time of their own.
                    async with asyncio.timeout_at(ends):
                        piece = await anext(pieces)
                except StopAsyncIteration:
                    return
                except TimeoutError:
                    sentence = (
                        f"The model gave no whole reply in {turn.seconds:.0f} s. Raise budget.seconds, or ask again."
                    )
                    raise ModelError("timeout", sentence) from None
                yield piece
