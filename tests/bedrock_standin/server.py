"""The stand-in itself: an HTTPS server on loopback that boto3 talks to as to the service."""

from __future__ import annotations

import json
import ssl
import threading
import time
import urllib.parse
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from http.server import ThreadingHTTPServer
from pathlib import Path
from types import MappingProxyType
from typing import Any

import trustme
from http_standin import Arrived, Handler, Running

from bedrock_standin import frames
from bedrock_standin.cards import CARDS
from bedrock_standin.parsing import RefusedError, invalid, parsed
from bedrock_standin.replies import HttpError, Say, Silence, Step, answer, events
from bedrock_standin.rules import refuse_unless_taken

Brain = Callable[[Mapping[str, Any]], Step]
"""Given a request that the service takes, what its model says to it."""

PIECE_BYTES = 61
"""Frames are longer: every one arrives in pieces, and few end where a piece does."""
_OPERATIONS = {"converse": "Converse", "converse-stream": "ConverseStream"}


@dataclass(kw_only=True)
class Seen(Arrived):
    """A request that came."""

    operation: str
    model_id: str


class Standin(Running):
    """Answers with what the brain says, and refuses what the service refuses; `with` starts and stops it."""

    def __init__(self, brain: Brain, folder: Path) -> None:
        """`folder`: for the certificate of its authority."""
        self.brain = brain
        self.taken: list[Seen] = []
        """Requests that were handed to the brain."""
        self.refused: list[tuple[Seen, RefusedError]] = []
        """Requests that broke a rule: a client that does no wrong has none here."""
        authority = trustme.CA()
        self._bundle = folder / "authority.pem"
        authority.cert_pem.write_to_path(str(self._bundle))
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        authority.issue_cert("localhost").configure_cert(self.context)
        super().__init__(_Server(self))

    @property
    def endpoint(self) -> str:
        return f"https://localhost:{self.port}"

    def environment(self, *, bearer: bool = False) -> dict[str, str]:
        """What a client's environment has to hold beside what every process needs; nothing else of AWS may be in it."""
        credentials = {"AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": "wJalrXUtnFEMIexample"}
        if bearer:
            credentials = {"AWS_BEARER_TOKEN_BEDROCK": "bedrock-api-key-example"}
        return {
            "AWS_ENDPOINT_URL_BEDROCK_RUNTIME": self.endpoint,
            "AWS_CA_BUNDLE": str(self._bundle),
            "AWS_REGION": "eu-central-1",
            "AWS_EC2_METADATA_DISABLED": "true",
            "AWS_CONFIG_FILE": str(self._bundle.with_name("no-config")),
            "AWS_SHARED_CREDENTIALS_FILE": str(self._bundle.with_name("no-credentials")),
            **credentials,
        }


class _Server(ThreadingHTTPServer):
    def __init__(self, standin: Standin) -> None:
        self.standin = standin
        super().__init__(("127.0.0.1", 0), _Handler)

    def finish_request(self, request: Any, client_address: Any) -> None:
        """On the connection's own thread, so that a slow handshake keeps nobody waiting."""
        # A client may go at any moment, also in the handshake.
        with suppress(OSError), self.standin.context.wrap_socket(request, server_side=True) as secure:
            _Handler(secure, client_address, self)


class _Handler(Handler):
    own_headers = MappingProxyType({"x-amzn-RequestId": "7f3c", "Connection": "close"})
    server: _Server

    @property
    def stopping(self) -> threading.Event:
        return self.server.standin.stopping

    def do_POST(self) -> None:
        standin = self.server.standin
        body = self.rfile.read(int(self.headers["Content-Length"]))
        _, _, model_id, action = (urllib.parse.unquote(part) for part in [*self.path.split("/"), "", "", ""][:4])
        seen = Seen(
            operation=_OPERATIONS.get(action, ""), model_id=model_id, headers=dict(self.headers), at=time.monotonic()
        )
        stream = seen.operation == "ConverseStream"
        try:
            self._check(seen, body, stream=stream)
        except RefusedError as refusal:
            standin.refused.append((seen, refusal))
            self._refuse(refusal.status, refusal.code, refusal.sentence, refusal.headers)
            return
        standin.taken.append(seen)
        self._answer(standin.brain(seen.request), seen, stream=stream)

    def _check(self, seen: Seen, body: bytes, *, stream: bool) -> None:
        card = CARDS.get(seen.model_id)
        if not self.headers["Authorization"]:
            raise RefusedError(403, "MissingAuthenticationTokenException", "Missing Authentication Token")
        if not seen.operation or card is None:
            raise invalid("The provided model identifier is invalid.")
        seen.request = parsed(seen.operation, seen.model_id, body)
        refuse_unless_taken(seen.request, card, stream=stream)

    def _answer(self, step: Step, seen: Seen, *, stream: bool) -> None:
        if isinstance(step, HttpError):
            self._refuse(step.status, step.code, step.sentence, step.headers)
        elif isinstance(step, Silence) or (step.delay and self.is_left(seen, step.delay)):
            self.is_left(seen, None)
        elif stream:
            self._stream(step, seen)
        else:
            data = json.dumps(answer(step)).encode()
            self.head(200, {"Content-Type": "application/json", "Content-Length": str(len(data))})
            self.wfile.write(data[:-40] if step.breaks in ("cut", "stall") else data)
            if step.breaks == "stall":
                self.is_left(seen, None)

    def _stream(self, say: Say, seen: Seen) -> None:
        self.head(200, {"Content-Type": "application/vnd.amazon.eventstream", "Transfer-Encoding": "chunked"})
        written = [frames.event(*one) for one in events(say)]
        if say.breaks in ("no_stop", "no_usage"):
            written = written[: -2 if say.breaks == "no_stop" else -1]
        elif say.breaks:
            written = written[: say.after + 1]
            last = written.pop()
            if say.breaks == "exception":
                written.append(frames.exception(*say.exception))
            elif say.breaks == "cut":
                written.append(last[: len(last) // 2])
            elif say.breaks == "bad_crc":
                written.append(frames.spoilt(last))
        sent = frames.pieces(b"".join(written), PIECE_BYTES)
        self.stream(sent, seen, stalls=say.breaks == "stall", cut=say.breaks == "cut")

    def _refuse(self, status: int, code: str, sentence: str, headers: Mapping[str, str]) -> None:
        data = json.dumps({"message": sentence}).encode()
        type_ = {"x-amzn-ErrorType": f"{code}:http://internal.amazon.com/coral/com.amazon.bedrock/"}
        self.head(status, {"Content-Type": "application/json", "Content-Length": str(len(data)), **type_, **headers})
        self.wfile.write(data)
