"""A model behind OpenAI's chat completions as a ChatModel: down the ladder by refusals, and to a schema in the end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from toolrag.adapters.capabilities import Capabilities
from toolrag.adapters.openai_chat.endpoint import Endpoint, endpoint
from toolrag.adapters.openai_chat.features import Features, after_refusal, learned, remembered
from toolrag.adapters.openai_chat.reply import ReplyParts, new_id
from toolrag.adapters.openai_chat.request import Body, chat_request, encoded, rung_of, schema_request
from toolrag.adapters.openai_chat.schema import Wanted, arguments_of, wanted
from toolrag.chat import Reply, ToolCall, Turn
from toolrag.config import OpenAISettings
from toolrag.errors import ModelError

if TYPE_CHECKING:
    from toolrag.adapters.openai_chat.asking import Asking

MAX_STEPS: Final = 12
"""More refusals than there are things to leave out are none of a ladder."""
TALK_CHARACTERS: Final = 600
"""So much text and no call says that a call that was forced does not come: the rest of the text is not waited for. A
small model on one's own machine would talk until the run's time is over."""
CHARACTERS_A_TOKEN: Final = 4
"""Of English and code, about: for a request whose tokens the server does not count, or did not come to count."""


class OpenAIModel:
    """As `ports.ChatModel`. Nothing is looked for, nor httpx imported, before the first reply is asked for."""

    def __init__(self, model: str, settings: OpenAISettings, capabilities: Capabilities) -> None:
        """`model`: as the server names it."""
        self._model = model
        self._settings = settings
        self._capabilities = capabilities
        self._context: Any = None

    @property
    def id(self) -> str:
        """As `ports.ChatModel.id`."""
        return f"openai:{self._model}"

    async def reply(self, turn: Turn) -> AsyncGenerator[str | Reply, None]:
        """As `ports.ChatModel.reply`. What the server turns out not to take is left out, and remembered.

        A call that is wanted and does not come is asked for once more as JSON that a schema holds, where the server
        takes that and the turn's tokens are enough for both requests; the usage is of both. The text is the first's.
        """
        capped = replace(turn, max_tokens=min(turn.max_tokens, self._settings.max_reply_tokens))
        there = endpoint(self._settings)
        if self._context is None:
            self._context = await asyncio.to_thread(_ssl_context)  # what is imported, and read, takes its time
        from toolrag.adapters.openai_chat.asking import Asking

        async with (
            Asking(there, self._context, self._settings.read_seconds, turn.seconds) as asking,
            aclosing(_Exchange(self, capped, turn.max_tokens, there, asking).run()) as pieces,
        ):
            async for piece in pieces:
                yield piece

    def known(self, there: Endpoint) -> Features:
        """What the server takes, as far as that was learned."""
        return remembered(self._capabilities.get(self._key(there)))

    def learn(self, there: Endpoint, before: Features, after: Features) -> None:
        """Remembers what changed."""
        if facts := learned(before, after):
            self._capabilities.learn(self._key(there), **facts)

    def request(self, turn: Turn, features: Features, wish: Wanted | None) -> Body:
        """The body of a request; `wish`: the call that is to come as JSON."""
        if wish is None:
            return chat_request(turn, self._model, features)
        return schema_request(turn, self._model, features, wish)

    def _key(self, there: Endpoint) -> str:
        return f"openai {there.base} {self._model}"


class _Exchange:
    """What is asked of a server for one reply, and answered."""

    def __init__(self, model: OpenAIModel, turn: Turn, room: int, there: Endpoint, asking: Asking) -> None:
        """`room`: the tokens that all of it may come to; `turn.max_tokens` is of one reply."""
        self._model = model
        self._room = room
        self._turn = turn
        self._there = there
        self._asking = asking
        self._features = model.known(there)
        self._n_sent = 0
        """Bytes of the last request."""
        self._used = {call.id for one in turn.messages if isinstance(one, Reply) for call in one.calls}

    async def run(self) -> AsyncGenerator[str | Reply, None]:
        """As `reply`."""
        wish = wanted(self._turn)
        features = self._features
        if wish is not None and features.schema and (features.straight or not features.tools):
            reply = await self._by_schema(wish)
            if reply is not None:
                if not reply.calls and reply.text:
                    yield reply.text
                yield reply
                return
        first: Reply | None = None
        most_text = TALK_CHARACTERS if wish is not None and features.schema else None
        async with aclosing(self._ask(None, most_text)) as pieces:
            async for piece in pieces:
                if isinstance(piece, Reply):
                    first = piece
                else:
                    yield piece
        assert first is not None
        if wish is not None and not first.calls and first.stop != "refused" and self._features.schema:
            first = self._counted(first)
            if first.input_tokens + first.output_tokens < self._room:
                second = await self._by_schema(wish)
                first = first if second is None else _both(first, self._counted(second))
        yield first

    def _counted(self, reply: Reply) -> Reply:
        """The reply with an estimate where the server counted nothing."""
        return replace(
            reply,
            input_tokens=reply.input_tokens or self._n_sent // CHARACTERS_A_TOKEN,
            output_tokens=reply.output_tokens or len(reply.text) // CHARACTERS_A_TOKEN,
        )

    async def _by_schema(self, wish: Wanted) -> Reply | None:
        """The call as JSON that the server holds to a schema, or what it said instead.

        None where it refuses that: this is learned, as is a server that takes the schema and does not hold to it.
        """
        reply: Reply | None = None
        try:
            async with aclosing(self._ask(wish)) as pieces:
                async for piece in pieces:  # the JSON is no text of the reply
                    if isinstance(piece, Reply):
                        reply = piece
        except _SchemaRefusedError:
            return None
        assert reply is not None
        if reply.stop == "refused":
            return reply
        arguments = arguments_of(reply.text, self._turn.hints)
        if arguments is None:
            if reply.stop != "length":  # JSON that was cut off was held to a schema, maybe
                self._learn(replace(self._features, schema=False, straight=False))
            return reply
        self._learn(replace(self._features, straight=True))
        call = ToolCall(new_id((), self._used), wish.tool.name, arguments)
        return replace(reply, text="", calls=(call,), stop="tool_use")

    async def _ask(self, wish: Wanted | None, most_text: int | None = None) -> AsyncGenerator[str | Reply, None]:
        """One reply, without what the server refuses to take. Raises ModelError, and _SchemaRefusedError.

        `most_text`: after so many characters and no call it is cut off, as one that ran out of tokens.
        """
        from toolrag.adapters.openai_chat.asking import RefusedError

        features = self._features
        for _ in range(MAX_STEPS):
            body = self._model.request(self._turn, features, wish)
            self._n_sent = len(encoded(body))
            parts = ReplyParts()
            try:
                async with aclosing(self._asking.chunks(body)) as chunks:
                    async for chunk in chunks:
                        self._learn(features)  # that it helped says that it was understood
                        if text := parts.take(chunk):
                            yield text
                        self._asking.is_over = parts.is_over
                        if most_text is not None and len(parts.text) > most_text and not parts.has_calls:
                            parts.finish = parts.finish or "length"
                            break
                        if parts.is_done:
                            break
            except RefusedError as refused:
                lower = after_refusal(features, body, refused.about_request)
                if lower is None or lower == features:
                    raise refused.error from None
                if wish is not None and not lower.schema:
                    self._learn(lower)
                    raise _SchemaRefusedError from None
                features = lower
            else:
                yield parts.whole(rung_of(body), self._used)
                return
        raise ModelError("bad_request", f"{self._there.server} refuses the request in whatever form it is made.")

    def _learn(self, features: Features) -> None:
        if features != self._features:
            self._model.learn(self._there, self._features, features)
            self._features = features


def _both(first: Reply, second: Reply) -> Reply:
    """Two requests as one reply: the second's call, if it has one."""
    with_call = second if second.calls else first
    return replace(
        first,
        calls=second.calls,
        stop=with_call.stop,
        rung=with_call.rung,
        input_tokens=first.input_tokens + second.input_tokens,
        output_tokens=first.output_tokens + second.output_tokens,
    )


class _SchemaRefusedError(Exception):
    """The server takes no `response_format` of the kind `json_schema`."""


def _ssl_context() -> Any:
    """On a thread: imports httpx, and reads the certificates."""
    from toolrag.adapters.openai_chat.asking import ssl_context

    return ssl_context()
