"""The stand-in itself: an HTTP server on loopback that any client of the API can talk to."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from http.server import ThreadingHTTPServer
from typing import Any

from http_standin import Arrived, Handler, Running

from openai_standin.profiles import OPENAI, Profile
from openai_standin.replies import HttpError, Say, Silence, Step, answer, chunks
from openai_standin.rules import RefusedError, functions_of, refuse_unless_taken

Brain = Callable[[Mapping[str, Any]], Step]
"""Given a request that the server takes, what its model says to it."""

PIECE_BYTES = 61
"""Chunks are longer: every one arrives in pieces, few end where a piece does, and some pieces end within a letter."""
PATH = "/v1/chat/completions"
MODEL = "example-model"
KEY = "sk-example-0123456789"


@dataclass(kw_only=True)
class Seen(Arrived):
    """A request that came."""

    path: str


class Standin(Running):
    """Answers with what the brain says, as the profile has it; `with` starts and stops it."""

    def __init__(self, brain: Brain, profile: Profile = OPENAI, *, key: str = "") -> None:
        """`key`: what a client has to show; empty for none."""
        self.brain = brain
        self.profile = profile
        self.key = key
        self.taken: list[Seen] = []
        """Requests that were handed to the brain."""
        self.refused: list[tuple[Seen, RefusedError]] = []
        """Requests that broke a rule, or were not of the kind that the profile takes."""
        self.broken: list[RefusedError] = []
        """Those that broke a rule of the API: a client that does no wrong has none here."""
        super().__init__(_Server(self))

    @property
    def server(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def base_url(self) -> str:
        return f"http://{self.server}/v1"

    def environment(self) -> dict[str, str]:
        """What a client's environment has to hold beside what every process needs."""
        return {"OPENAI_BASE_URL": self.base_url, **({"OPENAI_API_KEY": self.key} if self.key else {})}


class _Server(ThreadingHTTPServer):
    def __init__(self, standin: Standin) -> None:
        self.standin = standin
        super().__init__(("127.0.0.1", 0), _Handler)

    def finish_request(self, request: Any, client_address: Any) -> None:
        with suppress(OSError):  # a client may go at any moment
            _Handler(request, client_address, self)


class _Handler(Handler):
    server: _Server

    @property
    def stopping(self) -> threading.Event:
        return self.server.standin.stopping

    def do_POST(self) -> None:
        standin = self.server.standin
        body = self.rfile.read(int(self.headers["Content-Length"]))
        seen = Seen(path=self.path, headers=dict(self.headers), at=time.monotonic())
        try:
            self._check(seen, body)
            try:
                refuse_unless_taken(seen.request)
            except RefusedError as broken:
                standin.broken.append(broken)
                raise
            refusal = standin.profile.refuses(seen.request)
            if refusal is not None:
                raise refusal
        except RefusedError as refused:
            standin.refused.append((seen, refused))
            self._refuse(refused)
            return
        standin.taken.append(seen)
        self._answer(self._as_profiled(standin.brain(seen.request), seen.request), seen)

    def _check(self, seen: Seen, body: bytes) -> None:
        standin = self.server.standin
        if standin.key and self.headers["Authorization"] != f"Bearer {standin.key}":
            shown = str(self.headers["Authorization"])[7:]
            raise RefusedError(f"Incorrect API key provided: {shown}.", status=401, code="invalid_api_key")
        if seen.path.partition("?")[0] != PATH:
            raise RefusedError(f"Invalid URL (POST {seen.path})", status=404)
        try:
            found = json.loads(body.decode("utf-8"))
        except ValueError:
            found = None
        if not isinstance(found, dict):
            raise RefusedError("We could not parse the JSON body of your request.")
        seen.request = found

    def _as_profiled(self, step: Step, request: Mapping[str, Any]) -> Step:
        """What really comes of it: a server that obeys has a model that does, whatever the brain said."""
        if not isinstance(step, Say):
            return step
        profile = self.server.standin.profile
        choice = request.get("tool_choice", "auto")
        if request.get("response_format") and not profile.obeys_schema:
            return replace(step, text=step.text.replace("{", "(").replace("}", ")"))
        if not profile.obeys_choice and choice != "auto" and choice != "none":
            return replace(step, calls=(), text=step.text or ("" if step.refusal else "Hello!"))
        if profile.obeys_choice and choice == "none":
            return replace(step, calls=())
        if profile.obeys_choice and isinstance(choice, dict):
            known = [function["name"] for function in functions_of(request)]
            assert choice["function"]["name"] in known
        return step

    def _answer(self, step: Step, seen: Seen) -> None:
        if isinstance(step, HttpError):
            self._fail(step)
        elif isinstance(step, Silence) or (step.delay and self.is_left(seen, step.delay)):
            self.is_left(seen, None)
        elif seen.request.get("stream") and self.server.standin.profile.streams:
            self._stream(step, seen)
        else:
            data = json.dumps(answer(step)).encode()
            self.head(200, {"Content-Type": "application/json", "Content-Length": str(len(data))})
            self.wfile.write(data[:-40] if step.breaks in ("cut", "stall") else data)
            if step.breaks == "stall":
                self.is_left(seen, None)

    def _stream(self, say: Say, seen: Seen) -> None:
        self.head(200, {"Content-Type": "text/event-stream; charset=utf-8", "Transfer-Encoding": "chunked"})
        usage = bool((seen.request.get("stream_options") or {}).get("include_usage"))
        sent = _in_pieces(_written(say, usage=usage))
        self.stream(sent, seen, stalls=say.breaks in ("stall", "holds"), cut=say.breaks == "cut")

    def _refuse(self, refused: RefusedError) -> None:
        if refused.code == "plain":  # as LM Studio does
            self._fail(HttpError(refused.status, body=json.dumps({"error": refused.sentence}).encode()))
        else:
            self._fail(HttpError(refused.status, refused.sentence, refused.kind, refused.code))

    def _fail(self, error: HttpError) -> None:
        told = {"message": error.sentence, "type": error.kind, "param": None, "code": error.code}
        data = json.dumps({"error": told}).encode() if error.body is None else error.body
        headers = {"Content-Type": "application/json", "Content-Length": str(len(data)), **error.headers}
        self.head(error.status, headers)
        self.wfile.write(data)


def _written(say: Say, *, usage: bool) -> bytes:
    """The bytes of a stream, as far as they come."""
    events = [json.dumps(chunk, ensure_ascii=False) for chunk in chunks(say, usage=usage)]
    ends = [*events, "[DONE]"]
    if say.breaks == "no_done":
        ends = events
    elif say.breaks == "only_done":
        ends = [event for event in ends if '"finish_reason": null' in event or event == "[DONE]"]
    elif say.breaks == "holds":
        ends = events[:-1] if usage and say.tokens is not None else events
    elif say.breaks:
        ends = events[: say.after]
        ends += {
            "malformed": [events[say.after][:-9]],
            "no_json": ["[1]"],
            "error": [json.dumps({"error": dict(say.error)})],
        }.get(say.breaks, [])
    written = "".join(f"data: {event}\n\n" for event in ends)
    if say.breaks == "cut":
        written += f"data: {events[say.after]}"[:-20]
    return f": a comment, as keeps a connection open\n\n{written}".encode()


def _in_pieces(data: bytes) -> list[bytes]:
    return [data[start : start + PIECE_BYTES] for start in range(0, len(data), PIECE_BYTES)]
