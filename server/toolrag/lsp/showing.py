"""Answers on a document of their own, for editors that have nothing else to show them with."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from lsprotocol import types

from toolrag.answer import wire
from toolrag.answer.types import Answer
from toolrag.lsp.editor_params import Client
from toolrag.lsp.members import Members
from toolrag.lsp.protocol import Call
from toolrag.lsp.server import Server

Asking = Callable[[Server, Call, Any], Awaitable[Answer]]


def told(asking: Asking, *, is_shown: bool = False) -> Callable[[Server, Call, Any], Awaitable[object]]:
    """What hands on an answer in the wire's names, and asks the client to show it where that is wanted."""

    async def run(server: Server, call: Call, given: Any) -> object:
        answer = await asking(server, call, given)
        if is_shown:
            server.behind(partial(_show, server, answer), "Showing an answer")
        return wire.answer(answer, server.client.encoding)

    return run


def is_wanted(client: Client, given: object) -> bool:
    """Whether a command's answer is to be shown: `show`, else what the client said of all. Raises ParamsError."""
    show = Members(given).optional_truth("show")
    return client.shows_documents and (client.show_answers if show is None else show)


async def _show(server: Server, answer: Answer) -> None:
    """Raises ConfigError where the document cannot be written, and JsonRpcException where the client refuses."""
    uri = await server.session.shown(answer)
    wanted = types.ShowDocumentParams(uri, external=False, take_focus=True)
    await server.protocol.ask_client(types.WINDOW_SHOW_DOCUMENT, wanted)
