"""The editor's own model as a ChatModel: each turn is one request to the editor (`editor_wire` has its shapes).

Replies come whole. What forces the model to call is the editor's to do, and what it really did is the reply's rung.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping

from toolrag.adapters.editor_wire import converse_request, reply_of
from toolrag.chat import Reply, Turn
from toolrag.errors import ModelError

Converse = Callable[[Mapping[str, object]], Awaitable[object]]
"""Makes the request, and gives what was answered. It raises ModelError itself for what the client said: no such method
is `not_configured`, a user who does not consent, or a model that is gone, `not_allowed`, a quota `throttled`. When it
is cancelled, it cancels the request at the client."""


class EditorModel:
    """As `ports.ChatModel`."""

    def __init__(self, converse: Converse) -> None:
        self._converse = converse

    @property
    def id(self) -> str:
        """As `ports.ChatModel.id`."""
        return "editor"

    async def reply(self, turn: Turn) -> AsyncGenerator[str | Reply, None]:
        """As `ports.ChatModel.reply`; all of the text is one piece."""
        try:
            async with asyncio.timeout(turn.seconds):
                answer = await self._converse(converse_request(turn))
        except TimeoutError:
            raise ModelError(
                "timeout",
                f"The editor's model gave no reply in {turn.seconds:.0f} s. Ask again, or raise budget.seconds.",
            ) from None
        reply = reply_of(answer, turn)
        if reply.text:
            yield reply.text
        yield reply
