"""Requests to one server through httpx. What goes wrong outside is a ModelError; a cancel closes the connection.

A client is made for each reply: no connection is left over that went stale meanwhile, and ending one ends no other.
"""

from __future__ import annotations

import asyncio
import email.utils
import json
import ssl
import time
from collections.abc import AsyncGenerator, Awaitable, Mapping
from contextlib import aclosing
from typing import Any, Final, TypeVar

import httpx

from toolrag.adapters.openai_chat.endpoint import BAD_ADDRESS, Endpoint
from toolrag.adapters.openai_chat.faults import MAX_BODY_BYTES, Said, Shown, in_stream, refusal, said_by, unreached
from toolrag.adapters.openai_chat.reply import CUT
from toolrag.adapters.openai_chat.request import Body, encoded
from toolrag.adapters.openai_chat.sse import BrokenStreamError, Events
from toolrag.errors import ModelError

MAX_BYTES: Final = 32_000_000
"""Of one answer: 4,000 tokens of a reply, each a chunk of 500 bytes, are 2 MB; thoughts may come before them."""
CONNECT_SECONDS: Final = 10.0
LINGER_SECONDS: Final = 3.0
"""How long what follows the end of a reply, its usage, is waited for where a server sends none and does not hang up."""

ABOUT_REQUESTS: Final = frozenset({400, 404, 422, 501})
"""Statuses by which servers say that they do not take a member of a request; OpenRouter says it with 404."""

T = TypeVar("T")
Chunk = Mapping[str, Any]


class RefusedError(Exception):
    """An answer that is no reply."""

    def __init__(self, status: int, said: Said, error: ModelError) -> None:
        """`error`: what it is where nothing can be left out to mend it."""
        super().__init__(error.message)
        self.about_request = said.everything if status in ABOUT_REQUESTS else ""
        """What it says of a request that it does not take; empty where the fault is another."""
        self.error = error


def ssl_context() -> ssl.SSLContext:
    """What certificates are checked with; `SSL_CERT_FILE` of the environment is heeded. Takes some milliseconds."""
    return httpx.create_ssl_context()


class Asking:
    """The requests of one reply; `async with` closes what is open."""

    def __init__(self, endpoint: Endpoint, context: ssl.SSLContext, read_seconds: float, seconds: float) -> None:
        """`read_seconds`: how long nothing may come; `seconds`: how long all may take.

        Raises ModelError `not_configured` for a proxy that cannot be used.
        """
        self._endpoint = endpoint
        self._shown = Shown(endpoint.server, endpoint.authorization, endpoint.is_local)
        self.is_over = False
        """Set by whoever takes the chunks when a reply is whole: what fails after that cannot spoil it."""
        self._seconds = seconds
        self._ends_at = asyncio.get_running_loop().time() + seconds
        silence = min(read_seconds, seconds)
        headers = {"Content-Type": "application/json", "Accept-Encoding": "identity", "User-Agent": "toolrag"}
        if endpoint.authorization:
            headers["Authorization"] = endpoint.authorization
        try:
            self._client = httpx.AsyncClient(
                headers=headers,
                timeout=httpx.Timeout(silence, connect=min(CONNECT_SECONDS, silence)),
                follow_redirects=False,
                trust_env=endpoint.may_be_proxied,
                verify=context,
            )
        except (ValueError, ImportError):
            raise ModelError(
                "not_configured",
                "The proxy of the environment cannot be used. Check HTTPS_PROXY, HTTP_PROXY and ALL_PROXY.",
            ) from None

    async def __aenter__(self) -> Asking:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.aclose()

    async def chunks(self, body: Body) -> AsyncGenerator[Chunk, None]:
        """The chunks of one answer; a whole answer is one, and `{"done": true}` says that no more comes.

        Raises RefusedError before the first chunk, and ModelError.
        """
        self.is_over = False
        try:
            request = self._client.build_request("POST", self._endpoint.url, content=encoded(body))
        except httpx.InvalidURL:
            raise ModelError("not_configured", BAD_ADDRESS) from None
        response = await self._in_time(self._send(request))
        try:
            if not response.is_success:
                raise await self._refused(response)
            is_stream = "json" not in response.headers.get("content-type", "").lower()
            async with aclosing(self._streamed(response) if is_stream else self._at_once(response)) as chunks:
                has_begun = False
                while (chunk := await self._next(chunks)) is not None:
                    if chunk.get("error") and not chunk.get("choices"):
                        error = in_stream(chunk, self._shown)
                        # Some servers stream first, and look at the request then.
                        raise error if has_begun else RefusedError(400, said_by(chunk), error)
                    has_begun = True
                    yield chunk
        finally:
            await response.aclose()

    async def _next(self, chunks: AsyncGenerator[Chunk, None]) -> Chunk | None:
        """The next chunk; None after the last."""
        try:
            return await self._in_time(anext(chunks, None), LINGER_SECONDS if self.is_over else None)
        except ModelError:
            if self.is_over:
                return None
            raise

    async def _send(self, request: httpx.Request) -> httpx.Response:
        try:
            return await self._client.send(request, stream=True)
        except httpx.HTTPError as error:
            raise self._fault(error, begun=False) from None

    async def _streamed(self, response: httpx.Response) -> AsyncGenerator[Chunk, None]:
        events = Events(MAX_BYTES)
        try:
            async for piece in response.aiter_raw():
                for data in events.take(piece):
                    if data.strip() == "[DONE]":
                        yield {"done": True}
                        return
                    yield _chunk(data)
            for data in events.end():
                yield {"done": True} if data.strip() == "[DONE]" else _chunk(data)
        except BrokenStreamError:
            raise ModelError("cut", CUT) from None
        except httpx.HTTPError as error:
            raise self._fault(error, begun=True) from None

    async def _at_once(self, response: httpx.Response) -> AsyncGenerator[Chunk, None]:
        """The one chunk of a server that does not stream."""
        data = await self._read(response, MAX_BYTES)
        try:
            found = json.loads(data)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise ModelError("cut", CUT)
        yield {**found, "done": True}

    async def _refused(self, response: httpx.Response) -> RefusedError:
        try:
            said = said_by(await self._in_time(self._read(response, MAX_BODY_BYTES)))
        except ModelError:  # the status says enough
            said = Said("", "", 0)
        status = response.status_code
        return RefusedError(status, said, refusal(status, said, self._shown, _after(response.headers)))

    async def _read(self, response: httpx.Response, most: int) -> bytes:
        data = bytearray()
        try:
            async for piece in response.aiter_raw():
                data += piece
                if len(data) > most:
                    raise ModelError("cut", CUT)
        except httpx.HTTPError as error:
            raise self._fault(error, begun=True) from None
        return bytes(data)

    async def _in_time(self, awaited: Awaitable[T], seconds: float | None = None) -> T:
        """Raises ModelError `timeout` when all that is left has passed, or so many seconds."""
        now = asyncio.get_running_loop().time()
        ends_at = self._ends_at if seconds is None else min(self._ends_at, now + seconds)
        try:
            async with asyncio.timeout_at(ends_at):
                return await awaited
        except TimeoutError:
            raise ModelError(
                "timeout",
                f"No whole reply came from {self._shown.server} in {self._seconds:.0f} s. "
                "Ask again, or raise budget.seconds.",
            ) from None

    def _fault(self, error: httpx.HTTPError, *, begun: bool) -> ModelError:
        """The ModelError for what httpx raises; its own words may hold the address, and are not told."""
        server = self._shown.server
        if isinstance(error, httpx.TimeoutException):
            if isinstance(error, httpx.ConnectTimeout):
                return ModelError("timeout", f"{server} did not take the connection in time. Check openai.base_url.")
            return ModelError(
                "timeout", f"Nothing came from {server} for too long. Ask again, or raise openai.read_seconds."
            )
        if isinstance(error, httpx.ProxyError):
            return ModelError("unavailable", f"The proxy of the environment did not reach {server}. Check HTTPS_PROXY.")
        if isinstance(error, httpx.ConnectError):
            if "CERTIFICATE_VERIFY_FAILED" in str(error):
                return ModelError(
                    "not_configured",
                    f"The certificate of {server} is not trusted here. "
                    "Set SSL_CERT_FILE to the file of your network's certificate authority.",
                )
            return unreached(self._shown)
        if isinstance(error, httpx.NetworkError | httpx.RemoteProtocolError):
            if begun:
                return ModelError("cut", CUT)
            return ModelError("cut", f"{server} closed the connection without an answer. Ask again.")
        return ModelError("bad_request", f"{server} cannot be asked ({type(error).__name__}). Check openai.base_url.")


def _chunk(data: str) -> Chunk:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise ModelError("cut", CUT)
    return found


def _after(headers: httpx.Headers) -> float | None:
    """The seconds of `Retry-After`, which may be a date; None for none that can be read."""
    value = headers.get("retry-after", "")
    if value.isascii() and value.isdecimal() and len(value) < 9:
        return float(value)
    try:
        date = email.utils.parsedate_to_datetime(value)
    except ValueError:
        return None
    return max(0.0, date.timestamp() - time.time())
