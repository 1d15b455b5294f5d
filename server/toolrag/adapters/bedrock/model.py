"""A model of Amazon Bedrock as a ChatModel. boto3 blocks, so each request has a thread, whose events come to the loop.

boto3 is imported on such a thread, with the first request. A thread may be left behind, blocked where it cannot be
woken (looking up a name, asking for credentials): it is a daemon, and its line is cut, so it sends nothing any more.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncGenerator, Mapping
from typing import TYPE_CHECKING, Any

from toolrag.adapters.bedrock.features import Features, known, learned, remembered
from toolrag.adapters.bedrock.reply import ReplyParts
from toolrag.adapters.bedrock.request import rung_of
from toolrag.adapters.capabilities import Capabilities
from toolrag.chat import Reply, Rung, Turn
from toolrag.config import BedrockSettings
from toolrag.errors import ModelError

if TYPE_CHECKING:
    from toolrag.adapters.bedrock.calling import Caller
    from toolrag.adapters.bedrock.line import Line

TOO_SLOW = "The model did not finish its reply in the time that was left. Ask again, or raise budget.seconds."


class BedrockModel:
    """As `ports.ChatModel`. Nothing is looked for, nor imported, before the first reply is asked for."""

    def __init__(self, model_id: str, settings: BedrockSettings, capabilities: Capabilities) -> None:
        """`model_id`: of a model or an inference profile, or an ARN, as the service takes it."""
        self._model_id = model_id
        self._settings = settings
        self._capabilities = capabilities
        self._caller: Caller | None = None
        self._lock = threading.Lock()

    @property
    def id(self) -> str:
        """As `ports.ChatModel.id`."""
        return f"bedrock:{self._model_id}"

    @property
    def _key(self) -> str:
        return f"bedrock {self._model_id}"

    async def reply(self, turn: Turn) -> AsyncGenerator[str | Reply, None]:
        """As `ports.ChatModel.reply`. What the model turns out not to take is left out, and remembered."""
        request = _Request(self, turn, remembered(known(self._model_id), self._capabilities.get(self._key)))
        used_ids = {call.id for one in turn.messages if isinstance(one, Reply) for call in one.calls}
        parts = ReplyParts()
        rung: Rung = "none"
        try:
            while (event := await request.next()) is not None:
                if "sent" in event:
                    rung = rung_of(event["sent"])
                elif "learned" in event:
                    self._capabilities.learn(self._key, **event["learned"])
                elif text := parts.take(event):
                    yield text
        finally:
            request.cut()
        yield parts.whole(rung, used_ids)

    def caller(self) -> Caller:
        """What makes requests; on a request's thread alone."""
        from toolrag.adapters.bedrock.calling import Caller

        with self._lock:
            if self._caller is None:
                self._caller = Caller(self._model_id, self._settings)
            return self._caller


class _Request:
    """One request: its thread, and the queue by which its events reach the loop."""

    def __init__(self, model: BedrockModel, turn: Turn, features: Features) -> None:
        self._model = model
        self._turn = turn
        self._features = features
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[Mapping[str, Any] | BaseException | None] = asyncio.Queue()
        self._lock = threading.Lock()
        self._line: Line | None = None
        self._is_cut = False
        self._ends_at: float | None = None

    async def next(self) -> Mapping[str, Any] | None:
        """`{"sent": request}` and `{"learned": facts}` of ours beside the service's events; None after the last.

        Raises ModelError, and whatever else the thread raised.
        """
        if self._ends_at is None:
            self._ends_at = self._loop.time() + self._turn.seconds
            threading.Thread(target=self._run, name="bedrock", daemon=True).start()
        try:
            # Not `wait_for`, which until Python 3.12 may lose a cancel that comes together with an event.
            async with asyncio.timeout_at(self._ends_at):
                item = await self._queue.get()
        except TimeoutError:
            raise ModelError("timeout", TOO_SLOW) from None
        if isinstance(item, BaseException):
            raise item
        return item

    def cut(self) -> None:
        """Ends the connection at once, if there is one, and sees to it that none is made any more."""
        with self._lock:
            self._is_cut = True
            if self._line is not None:
                self._line.cut()

    def _run(self) -> None:
        """What the thread does."""
        try:
            caller = self._model.caller()
            line = self._open()
            if line is not None:
                caller.call(self._turn, self._features, line, self._put, self._learn)
        except ModelError as error:
            self._put(error)
        except BaseException as error:  # a fault of ours: told here, and where the reply is awaited
            self._put(error)
            raise
        else:
            self._put(None)

    def _open(self) -> Line | None:
        """The line, unless whoever asked went while boto3 was being imported."""
        from toolrag.adapters.bedrock.line import Line

        with self._lock:
            if not self._is_cut:
                self._line = Line()
            return self._line

    def _learn(self, features: Features) -> None:
        self._put({"learned": learned(self._features, features)})

    def _put(self, item: Mapping[str, Any] | BaseException | None) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody is left to be told
            self._loop.call_soon_threadsafe(self._queue.put_nowait, item)
