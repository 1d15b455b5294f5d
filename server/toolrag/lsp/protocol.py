"""JSON-RPC and LSP's life cycle over one connection: what is answered, with what, and in which order.

pygls keeps the registry of methods and the requests to the client. Reading, dispatching and errors are ours: pygls
gives params of its own making to handlers, leaves some requests without an answer, and sends tracebacks.

Each message is handled in a task of its own that has run up to its first await before the next message is taken.
So edits apply in order, and a request sees the documents as they were when it was sent.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
import time
import traceback
import uuid
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

from pygls.exceptions import JsonRpcException
from pygls.protocol import LanguageServerProtocol

from toolrag.errors import ConfigError
from toolrag.lsp import messages
from toolrag.lsp.connection import BUSY_BYTES, Connection
from toolrag.lsp.framing import Body, FramingError, Skipped
from toolrag.lsp.members import ParamsError
from toolrag.lsp.messages import Id, Invalid, Notification, Reply, Request

if TYPE_CHECKING:
    from cattrs import Converter
    from pygls.lsp.server import LanguageServer

Stage = Literal["new", "running", "shut down"]

log = logging.getLogger(__name__)


class Call:
    """A request under way. After it is closed, by its answer or by a cancel, nothing more is sent for it."""

    def __init__(self, protocol: Protocol, request: Request) -> None:
        self.id = request.id
        self.method = request.method
        self.began = time.monotonic()
        self.closed = False
        self.token: Id | None = None
        """Of its work-done progress."""
        self.before_close: Callable[[], None] | None = None
        """Sends what must come before the answer: the end of a progress."""

        self._protocol = protocol

    def notify(self, method: str, params: object) -> None:
        """Sends a notification that belongs to this request, unless it is over."""
        if not self.closed:
            self._protocol.notify(method, params)

    def close(self, answer: dict[str, object]) -> None:
        """Sends the answer, unless there was one. Raises what `json.dumps` does of a value that is not JSON."""
        if self.closed:
            return
        body = self._protocol.encoded(answer)
        if self.before_close is not None:
            self.before_close()
        self.closed = True
        self._protocol.finished(self, body)


class Protocol(LanguageServerProtocol):
    """One client's conversation. Belongs to one event loop."""

    def __init__(self, server: LanguageServer, converter: Converter) -> None:
        super().__init__(server, converter)
        self.stage: Stage = "new"
        self.tracing = False
        self.ended = asyncio.Event()
        """The client wants, or has come, to its end."""

        self.is_request: dict[str, bool] = {}
        """Every registered method, and whether it is answered."""

        self._connection: Connection | None = None
        self._calls: dict[Id, tuple[Call, asyncio.Task[None]]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def _register_builtin_features(self) -> None:
        """None of pygls' own: they keep a workspace that reads files, and splits lines elsewhere than LSP does."""

    async def listen(self, connection: Connection) -> None:
        """Handle messages until the client has gone, or says what is no message."""
        self._connection = connection
        try:
            while (item := await connection.receive()) is not None:
                self._take(item)
                await asyncio.sleep(0)  # what was just taken may change what is taken next: initialize does
                await connection.drain()
        except FramingError as error:
            log.warning("The client's stream cannot be read on: %s", error)
            self._send_data(messages.error(None, messages.PARSE_ERROR, f"The stream cannot be read on: {error}"))
        finally:
            self.ended.set()

    def cancel(self, identity: Id) -> None:
        """End a request at once, as `$/cancelRequest` wants; one that is over, or unknown, is passed over."""
        if identity in self._calls:
            call, task = self._calls[identity]
            call.close(messages.error(identity, messages.CANCELLED, "The request was cancelled."))
            task.cancel()

    def cancel_token(self, token: Id | None) -> None:
        """End the request whose work-done progress this is, as `window/workDoneProgress/cancel` wants."""
        for identity in [call.id for call, _ in self._calls.values() if token is not None and call.token == token]:
            self.cancel(identity)

    def cancel_all(self, but: Call | None = None) -> None:
        """End every request."""
        for identity, (call, _) in list(self._calls.items()):
            if call is not but:
                self.cancel(identity)

    async def tasks_ended(self) -> None:
        """Cancel whatever still runs and wait for it."""
        for task in self._tasks:
            task.cancel()
        while self._tasks:
            await asyncio.wait(self._tasks)

    @property
    def busy(self) -> bool:
        """The client is slow to read: what it can do without should not be sent."""
        return self._connection is None or self._connection.pending > BUSY_BYTES

    def notify(self, method: str, params: Any | None = None) -> None:
        """Sends a notification."""
        self._send_data(messages.notification(method, params))

    async def ask_client(self, method: str, params: object) -> object:
        """A request to the client, and its result. Raises JsonRpcException with the client's sentence.

        When the waiting is cancelled the client is told that nobody waits; a late reply is passed over.
        """
        identity = str(uuid.uuid4())
        try:
            return await asyncio.wrap_future(self.send_request(method, params, msg_id=identity))
        except asyncio.CancelledError:
            self.notify("$/cancelRequest", {"id": identity})
            raise

    def encoded(self, data: object) -> bytes:
        """A message as JSON, in ASCII: a lone surrogate of a buffer can be written no other way."""
        text = json.dumps(data, default=self._serialize_message, allow_nan=False, separators=(",", ":"))
        return text.encode("ascii")

    def finished(self, call: Call, body: bytes) -> None:
        """A request has its answer."""
        if call.id in self._calls and self._calls[call.id][0] is call:
            del self._calls[call.id]
        self._send_body(body)
        if self.tracing:
            took = f"{call.method} took {(time.monotonic() - call.began) * 1000:.0f} ms."
            self.notify("$/logTrace", {"message": took})

    def _send_data(self, data: Any) -> None:
        self._send_body(self.encoded(data))

    def _send_body(self, body: bytes) -> None:
        if self._connection is not None:
            self._connection.send(body)

    def _take(self, item: Body | Skipped) -> None:
        message = messages.read(item.data) if isinstance(item, Body) else Invalid(messages.INVALID_REQUEST, item.reason)
        match message:
            case Request():
                refused = self._refused(message)
                if refused is None:
                    self._start_call(message)
                else:
                    self._send_data(messages.error(message.id, *refused))
            case Notification():
                self._take_notification(message)
            case Reply():
                self._take_reply(message)
            case Invalid():
                self._send_data(messages.error(message.id, message.code, message.reason))

    def _refused(self, request: Request) -> tuple[int, str] | None:
        """Why a request may not be made now, with the code that LSP has for it."""
        if self.stage == "shut down":
            return messages.INVALID_REQUEST, "The server was shut down."
        if self.stage == "new" and request.method != "initialize":
            return messages.NOT_INITIALIZED, "The first request must be initialize."
        if self.stage == "running" and request.method == "initialize":
            return messages.INVALID_REQUEST, "The server is initialized already."
        if not self.is_request.get(request.method, False):
            kind = "is a notification" if request.method in self.is_request else "is no method of this server"
            return messages.METHOD_NOT_FOUND, f"{request.method} {kind}."
        if request.id in self._calls:
            return messages.INVALID_REQUEST, "Another request with this id is not answered yet."
        return None

    def _start_call(self, request: Request) -> None:
        call = Call(self, request)
        task = asyncio.create_task(self._run_call(call, request.params), name=request.method)
        self._calls[request.id] = call, task
        self._tasks.add(task)
        task.add_done_callback(partial(self._call_ended, call))

    async def _run_call(self, call: Call, params: object) -> None:
        value = self.fm.features[call.method](call, params)
        if inspect.isawaitable(value):
            value = await value
        call.close(messages.result(call.id, value))

    def _call_ended(self, call: Call, task: asyncio.Task[None]) -> None:
        """A request's task is over: what it left unanswered is answered here."""
        self._tasks.discard(task)
        if task.cancelled():
            call.close(messages.error(call.id, messages.CANCELLED, "The request was cancelled."))
            return
        fault = task.exception()
        if fault is not None:
            call.close(messages.error(call.id, *_said_of(fault, call.method)))

    def _take_notification(self, message: Notification) -> None:
        allowed = self.stage == "running" or message.method == "exit"
        if not allowed or self.is_request.get(message.method, True):
            log.debug("The notification %s was passed over.", message.method)
            return
        task = asyncio.create_task(self._run_notification(message), name=message.method)
        self._tasks.add(task)
        task.add_done_callback(partial(self._notification_ended, message.method))

    async def _run_notification(self, message: Notification) -> None:
        self.fm.features[message.method](message.params)

    def _notification_ended(self, method: str, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        fault = None if task.cancelled() else task.exception()
        if isinstance(fault, ParamsError):
            log.warning("The notification %s was passed over: %s", method, fault)
        elif fault is not None:
            _said_of(fault, method)

    def _take_reply(self, reply: Reply) -> None:
        """Give a reply to whoever waits for it, and may have stopped waiting."""
        waiting = self._request_futures.pop(reply.id, None)
        self._result_types.pop(reply.id, None)
        if waiting is None or waiting.done():
            log.debug("A reply came that nobody waits for.")
        elif reply.error is None:
            waiting.set_result(reply.result)
        else:
            waiting.set_exception(JsonRpcException(reply.error, reply.code))


def report_fault(fault: BaseException, where: str) -> None:
    """A fault of ours, for the log: where it was raised. What it says may hold source text, and is for debugging."""
    frames = "".join(traceback.format_tb(fault.__traceback__)).rstrip()
    log.error("%s failed (%s); this is a fault of toolrag.", where, type(fault).__name__, extra={"frames": frames})
    log.debug("What the fault says: %s", fault)


def _said_of(fault: BaseException, method: str) -> tuple[int, str]:
    """Code and sentence for what a handler raised. A fault of ours is logged, and not described."""
    match fault:
        case ParamsError() | ConfigError():
            return messages.INVALID_PARAMS, str(fault)
        case _:
            report_fault(fault, method)
            return messages.INTERNAL_ERROR, f"{method} failed by a fault of toolrag; its log says more."
