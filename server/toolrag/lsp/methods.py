"""Every method of the language server on one screen: what it takes, and the few lines that hand it on.

What is longer stands elsewhere: params in `params` and `editor_params`, texts in `sync`, answers in the session.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from toolrag.answer import wire
from toolrag.answer.extractive import MODEL
from toolrag.answer.types import Answer
from toolrag.errors import ReadError
from toolrag.lsp import cited, commands, editor_params, notebook_params, params, shapes, showing, syncing
from toolrag.lsp.members import ParamsError
from toolrag.lsp.progress import AskProgress
from toolrag.lsp.protocol import Call
from toolrag.lsp.server import Server
from toolrag.session.types import Ask
from toolrag.text import TextSnapshot


async def _ask(server: Server, call: Call, given: params.Ask) -> Answer:
    progress = AskProgress(call, given.work_done_token, given.partial_result_token, server.client.encoding)
    wanted = Ask(given.question, given.uri, given.selection, given.scope, given.model, given.budget, given.follows)
    session = await server.ready()
    async with server.asking_with(given.model):
        return await session.ask(wanted, progress)


async def _explain(server: Server, call: Call, given: params.Explain) -> Answer:
    encoding = server.client.encoding
    progress = AskProgress(call, given.work_done_token, given.partial_result_token, encoding)
    session = await server.ready()
    async with server.asking_with(given.model):
        return await session.explain(given.uri, given.position, encoding, given.model, progress)


async def _hover(server: Server, _: Call, given: editor_params.Hover) -> object:
    session, client = await server.ready(), server.client
    found = await session.hover(given.uri, given.position, client.encoding, client.hover_form, client.command_links)
    return None if found is None else shapes.hover(found, client.hover_form)


async def _document_link(server: Server, _: Call, uri: str) -> object:
    links = await (await server.ready()).links(uri)
    return [] if links is None else shapes.document_links(links, server.client.encoding)


async def _definition(server: Server, _: Call, given: editor_params.Hover) -> object:
    session, encoding = await server.ready(), server.client.encoding
    found = await session.written_at(given.uri, given.position, encoding)
    return None if found is None else shapes.location(found, encoding)


async def _symbols(server: Server, _: Call, query: str) -> object:
    found = await (await server.ready()).symbols(query)
    return [shapes.symbol(one, server.client.encoding) for one in found]


async def _search(server: Server, _: Call, given: params.Search) -> object:
    return wire.search_result(await (await server.ready()).search(given.query, given.limit, given.scope))


async def _read_range(server: Server, _: Call, given: params.ReadRange) -> object:
    session = await server.ready()
    try:
        return (await session.read_range(given.path, given.start, given.end, given.expect_sha)).wire()
    except ReadError as error:  # data: it says what to do next
        return error.wire()


async def _locate(server: Server, _: Call, given: params.Locate) -> object:
    session, encoding = await server.ready(), server.client.encoding
    try:
        return await session.locate(given.citation, encoding)
    except ValueError as error:
        raise ParamsError(str(error)) from None


async def _verify(server: Server, _: Call, given: params.Verify) -> object:
    session, encoding = await server.ready(), server.client.encoding
    try:
        if given.text is not None:
            return await session.verify_text(given.text, encoding)
        return await session.verify_answer(given.answer, encoding)
    except ValueError as error:
        raise ParamsError(str(error)) from None


async def _replay(server: Server, _: Call, given: params.Replay) -> object:
    session, encoding = await server.ready(), server.client.encoding
    async with server.asking_with(MODEL):
        return await session.replay(given.run, given.verify, encoding)


async def _clear_journals(server: Server, _: Call, __: None) -> object:
    return await (await server.ready()).clear_journals()


def _status(server: Server, _: Call, __: None) -> object:
    return server.session.status()


async def _reindex(server: Server, _: Call, __: None) -> None:
    await (await server.ready()).reindex()


def _execute_command(server: Server, call: Call, given: editor_params.Command) -> object:
    method, raw = commands.request_of(given)
    is_shown = method in SHOWN and showing.is_wanted(server.client, raw)
    wanted = SHOWN[method] if is_shown else (REQUESTS | BY_COMMAND_ALONE)[method]
    return wanted.run(server, call, wanted.parse(raw))


async def _cited(server: Server, _: Call, given: params.Cited) -> object:
    return cited.text_wire(given.answer_id, given.id, await _cited_text(server, given.answer_id, given.id))


async def _text_content(server: Server, _: Call, uri: str) -> object:
    return {"text": (await _cited_text(server, *cited.ids_in(uri))).text.content}


async def _cited_text(server: Server, answer_id: str, citation_id: str) -> TextSnapshot:
    try:
        return await (await server.ready()).cited(answer_id, citation_id)
    except ReadError as error:
        raise ParamsError(error.message) from None


def _initialize(server: Server, _: Call, given: editor_params.Client) -> object:
    return server.begin(given)


def _shutdown(server: Server, call: Call, _: object) -> None:
    server.shut_down(call)


def _initialized(server: Server, _: object) -> None:
    server.greet()


def _exit(server: Server, _: object) -> None:
    server.protocol.ended.set()


def _did_change_folders(server: Server, given: editor_params.FoldersChanged) -> None:
    server.in_turn(lambda: server.session.change_folders(given.added, given.removed), "Changing the folders")


def _did_change_configuration(server: Server, settings: object) -> None:
    server.configure(settings)


def _did_change_watched_files(server: Server, uris: tuple[str, ...]) -> None:
    server.session.files_changed(uris)


def _cancel_request(server: Server, identity: params.Token | None) -> None:
    if identity is not None:
        server.protocol.cancel(identity)


def _cancel_progress(server: Server, token: params.Token | None) -> None:
    server.protocol.cancel_token(token)


def _set_trace(server: Server, value: editor_params.Trace) -> None:
    server.trace(value)


@dataclass(frozen=True, slots=True)
class Method:
    """How a method's params are read, and what then handles them."""

    parse: Callable[[object], Any]
    run: Callable[..., object]


REQUESTS: Final[dict[str, Method]] = {
    "initialize": Method(editor_params.initialize, _initialize),
    "shutdown": Method(editor_params.anything, _shutdown),
    "toolrag/ask": Method(params.ask, showing.told(_ask)),
    "toolrag/explain": Method(params.explain, showing.told(_explain)),
    "toolrag/search": Method(params.search, _search),
    "toolrag/readRange": Method(params.read_range, _read_range),
    "toolrag/locate": Method(params.locate, _locate),
    "toolrag/verify": Method(params.verify, _verify),
    "toolrag/replay": Method(params.replay, _replay),
    "toolrag/status": Method(params.nothing, _status),
    "textDocument/hover": Method(editor_params.hover, _hover),
    "textDocument/definition": Method(editor_params.hover, _definition),
    "textDocument/documentLink": Method(editor_params.document_uri, _document_link),
    "workspace/symbol": Method(editor_params.symbols, _symbols),
    "workspace/executeCommand": Method(editor_params.command, _execute_command),
    "toolrag/cited": Method(params.cited, _cited),
    "workspace/textDocumentContent": Method(editor_params.text_uri, _text_content),
}

BY_COMMAND_ALONE: Final[dict[str, Method]] = {
    "toolrag/reindex": Method(params.nothing, _reindex),
    "toolrag/clearJournals": Method(params.nothing, _clear_journals),
}

SHOWN: Final[dict[str, Method]] = {
    "toolrag/ask": Method(params.ask, showing.told(_ask, is_shown=True)),
    "toolrag/explain": Method(params.explain, showing.told(_explain, is_shown=True)),
}
"""By command, in an editor that is to show the answer."""

NOTIFICATIONS: Final[dict[str, Method]] = {
    "initialized": Method(editor_params.anything, _initialized),
    "exit": Method(editor_params.anything, _exit),
    "textDocument/didOpen": Method(editor_params.opened, syncing.did_open),
    "textDocument/didChange": Method(editor_params.changed, syncing.did_change),
    "textDocument/didSave": Method(editor_params.document_uri, syncing.did_save),
    "textDocument/didClose": Method(editor_params.document_uri, syncing.did_close),
    "notebookDocument/didOpen": Method(notebook_params.opened, syncing.did_open_notebook),
    "notebookDocument/didChange": Method(notebook_params.changed, syncing.did_change_notebook),
    "notebookDocument/didSave": Method(notebook_params.saved, syncing.did_save_notebook),
    "notebookDocument/didClose": Method(notebook_params.closed, syncing.did_close_notebook),
    "workspace/didChangeWorkspaceFolders": Method(editor_params.folders_changed, _did_change_folders),
    "workspace/didChangeConfiguration": Method(editor_params.settings_changed, _did_change_configuration),
    "workspace/didChangeWatchedFiles": Method(editor_params.files_changed, _did_change_watched_files),
    "$/cancelRequest": Method(editor_params.request_id, _cancel_request),
    "window/workDoneProgress/cancel": Method(editor_params.progress_token, _cancel_progress),
    "$/setTrace": Method(editor_params.trace, _set_trace),
}


def register(server: Server) -> None:
    """Give a server all its methods."""
    for table, answered in ((REQUESTS, True), (NOTIFICATIONS, False)):
        for name, method in table.items():
            server.protocol.is_request[name] = answered
            server.feature(name)(_handler(server, method, answered))


def _handler(server: Server, method: Method, answered: bool) -> Callable[..., object]:
    # Without annotations: pygls puts the server before the arguments of a handler whose first one could be a server.
    if answered:
        return lambda call, raw: method.run(server, call, method.parse(raw))
    return lambda raw: method.run(server, method.parse(raw))
