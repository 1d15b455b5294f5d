"""One client's server: its session, documents and settings, and what it does by itself. `methods` has the methods."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final

from lsprotocol import types
from pygls.capabilities import ServerCapabilitiesBuilder
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from toolrag import __version__, app
from toolrag.answer.extractive import MODEL
from toolrag.answer.prose import visible
from toolrag.config import Settings
from toolrag.errors import ConfigError, ModelError
from toolrag.lsp import cited, lifetime, log_lines, messages, shapes
from toolrag.lsp.commands import COMMANDS
from toolrag.lsp.editor_params import Client, Trace
from toolrag.lsp.progress import PhaseProgress, Work
from toolrag.lsp.protocol import Call, Protocol, report_fault
from toolrag.lsp.seam import Session
from toolrag.lsp.settings import SettingsFile, section, settings_of
from toolrag.lsp.sync import OpenDocuments
from toolrag.session.types import Events, Links, Stood

MakeSession = Callable[[Settings, Events], Session]

_ASKS_AT_ONCE: Final = 1
"""Asks that run side by side; others wait. Each holds the loop for 10 to 20 ms at a time, and what is said to take no
time waits for all of them: with ten asked at once, up to 59 ms when two ran, and 42 when one did."""

_CONVERSATIONS_AT_ONCE: Final = 4
"""Asks with a model that run side by side: they mostly wait for it."""

_MOST_SAID: Final = 300
"""Characters of what a client says of its model's failure."""

_CLOSE_SECONDS: Final = 5.0
"""How long a session may take to close before it is left to end with the process."""

log = logging.getLogger(__name__)


class Server(LanguageServer):
    """Belongs to one event loop, and to one connection."""

    protocol: Protocol
    client: Client
    session: Session
    """From `initialize` on."""

    def __init__(self, make_session: MakeSession, file: SettingsFile) -> None:
        super().__init__("toolrag", __version__, protocol_cls=Protocol)
        self.documents = OpenDocuments()
        self.settings = Settings()
        self._asking = asyncio.Semaphore(_ASKS_AT_ONCE)
        self._conversing = asyncio.Semaphore(_CONVERSATIONS_AT_ONCE)
        self._make_session = make_session
        self._file = file
        self._background: set[asyncio.Task[None]] = set()
        self._turn = asyncio.Lock()
        self._starting: asyncio.Task[None] | None = None
        self._closing: asyncio.Task[None] | None = None

    def asking_with(self, model: str | None) -> asyncio.Semaphore:
        """What an ask waits for. One without a model does not wait for those that wait for theirs."""
        return self._asking if (model or self.settings.model) == MODEL else self._conversing

    def begin(self, client: Client) -> types.InitializeResult:
        """Make the session, and start it behind the answer. Raises ConfigError for settings that cannot be used."""
        self.client = client
        self.settings, problems = settings_of(self._file.given, client.settings)
        self.session = self._make_session(self.settings, _Told(self))
        self.protocol.stage = "running"
        self.trace(client.trace)
        _report([*self._file.problems, *problems, *app.deny_problems(self.settings)])
        self._starting = self.in_turn(partial(self.session.start, client.folders), "Opening the folders")
        if client.process_id is not None and lifetime.is_running(client.process_id):
            # One that is not there has another machine's or container's number; the connection tells of its end.
            self.behind(partial(self._end_with, client.process_id), "Watching the editor's process")
        return types.InitializeResult(self._capabilities(), types.ServerInfo(self.name, self.version))

    def greet(self) -> None:
        """The client is ready to be asked: for its settings, and to watch files."""
        if self.client.watches_files:
            self.behind(self._watch_files, "Asking the editor to watch files")
        if self.client.answers_settings:
            self.behind(self._fetch_settings, "Asking the editor for settings")

    async def ready(self) -> Session:
        """The session, once it has its folders."""
        if self._starting is not None and not self._starting.done():
            await asyncio.wait([self._starting])
        return self.session

    def configure(self, settings: object) -> None:
        """Take up settings, or ask for them where the client says only that they changed."""
        if isinstance(settings, Mapping) and "toolrag" in settings:
            self._use(section(settings))
        elif self.client.answers_settings:
            self.behind(self._fetch_settings, "Asking the editor for settings")

    def trace(self, value: Trace) -> None:
        """How much the client wants to be told."""
        self.protocol.tracing = value != "off"
        log_lines.say_more(value == "verbose")

    def shut_down(self, call: Call) -> None:
        """End every other request, and begin to close the session."""
        self.protocol.stage = "shut down"
        self.protocol.cancel_all(but=call)
        self._close_session()

    async def close(self) -> None:
        """End everything, whatever state it is in."""
        self.protocol.cancel_all()
        for task in self._background:
            task.cancel()
        await self.protocol.tasks_ended()
        if self._background:
            await asyncio.wait(self._background, timeout=_CLOSE_SECONDS)
        closing = self._close_session()
        if closing is not None:
            await asyncio.wait([closing], timeout=_CLOSE_SECONDS)

    def behind(self, work: Work, what: str) -> asyncio.Task[None]:
        """Do something in the background; the log says what it was if it fails."""
        task = asyncio.create_task(work(), name=what)
        self._background.add(task)
        task.add_done_callback(self._background.discard)
        task.add_done_callback(_report_end)
        return task

    def in_turn(self, work: Work, what: str) -> asyncio.Task[None]:
        """The same, after everything else that was to be done in turn: what changes the session as a whole."""

        async def wait_and_work() -> None:
            async with self._turn:
                await work()

        return self.behind(wait_and_work, what)

    def _close_session(self) -> asyncio.Task[None] | None:
        if self._closing is None and self.protocol.stage != "new":
            self._closing = asyncio.create_task(self.session.close(), name="Closing")
            self._closing.add_done_callback(_report_end)
        return self._closing

    def _capabilities(self) -> types.ServerCapabilities:
        builder = ServerCapabilitiesBuilder(
            types.ClientCapabilities(),  # nothing that is offered depends on them
            set(self.protocol.fm.features),
            self.protocol.fm.feature_options,
            list(COMMANDS),
            types.TextDocumentSyncKind.Incremental,
            position_encoding=self.client.encoding,
        )
        capabilities: types.ServerCapabilities = builder.build()  # type: ignore[no-untyped-call]
        every = types.NotebookDocumentFilterWithNotebook("*")
        capabilities.notebook_document_sync = types.NotebookDocumentSyncOptions([every], save=True)
        if self.client.shows_texts and capabilities.workspace is not None:
            capabilities.workspace.text_document_content = types.TextDocumentContentOptions([cited.SCHEME])
        return capabilities

    async def _end_with(self, process_id: int) -> None:
        await lifetime.process_ended(process_id)
        self.protocol.ended.set()

    async def _watch_files(self) -> None:
        every = types.DidChangeWatchedFilesRegistrationOptions([types.FileSystemWatcher("**/*")])
        wanted = types.Registration("toolrag.watch", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, every)
        await self.protocol.ask_client(types.CLIENT_REGISTER_CAPABILITY, types.RegistrationParams([wanted]))

    async def _fetch_settings(self) -> None:
        wanted = types.ConfigurationParams([types.ConfigurationItem(section="toolrag")])
        answer = await self.protocol.ask_client(types.WORKSPACE_CONFIGURATION, wanted)
        if isinstance(answer, list) and answer and isinstance(answer[0], Mapping):
            self._use(section(answer[0]))

    def _use(self, editor: Mapping[str, object]) -> None:
        settings, problems = settings_of(self._file.given, editor)
        _report([*problems, *app.deny_problems(settings)])
        if settings != self.settings:
            self.settings = settings
            self.in_turn(partial(self.session.configure, settings), "Taking up the settings")


class _Told:
    """What the session tells by itself, told on."""

    def __init__(self, server: Server) -> None:
        self._protocol = server.protocol
        self._encoding = server.client.encoding
        self._phases = PhaseProgress(server.protocol, server.behind) if server.client.work_done_progress else None

    def progress(self, phase: str, done: int, total: int) -> None:
        if self._phases is not None:
            self._phases(phase, done, total)

    def log(self, level: int, sentence: str) -> None:
        log.log(level, "%s", sentence)

    async def converse(self, request: Mapping[str, object]) -> object:
        try:
            return await self._protocol.ask_client("toolrag/converse", request)
        except JsonRpcException as error:
            if error.code == messages.METHOD_NOT_FOUND:
                sentence = "This editor has no model of its own for toolrag. Choose bedrock:… or openai:…."
                raise ModelError("not_configured", sentence) from None
            said = visible(" ".join(str(error).split())[:_MOST_SAID])
            # Who says no once is not asked again: neither the user who consents to no model, nor one that is gone.
            for_good = error.code in (messages.CANCELLED, messages.REQUEST_FAILED)
            raise ModelError(
                "not_allowed" if for_good else "unavailable", f"The editor's model gave no reply: {said}"
            ) from None

    def standings(self, answer_id: str, citations: Sequence[Stood]) -> None:
        told = [cited.stood_wire(one, self._encoding) for one in citations]
        self._protocol.notify("toolrag/standings", {"answerId": answer_id, "citations": told})

    def unstanding(self, uri: str, links: Links | None) -> None:
        self._protocol.notify("textDocument/publishDiagnostics", shapes.diagnostics(uri, links, self._encoding))


def _report(problems: list[str]) -> None:
    for problem in problems:
        log.warning("%s", problem)


def _report_end(task: asyncio.Task[None]) -> None:
    """Say in the log how background work failed, if it did."""
    fault = None if task.cancelled() else task.exception()
    match fault:
        case None:
            return
        case ConfigError():
            log.error("%s", fault)
        case JsonRpcException():
            log.info("%s: the editor refused (%s).", task.get_name(), fault)
        case _:
            report_fault(fault, task.get_name())
