"""One request to Bedrock through boto3, on the thread that calls it. What it raises is a ModelError or a fault of ours.

Imported on that thread alone, since boto3 takes its time. A client is made for each request (2 ms): its read timeout is
the turn's own, no connection is left over that went stale meanwhile, and cutting one request cuts no other.
"""

from __future__ import annotations

import os
import threading
import urllib.parse
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from typing import Any, Final

import boto3
from botocore import exceptions as boto
from botocore.config import Config

from toolrag.adapters.bedrock.faults import BAD_ENDPOINT, FAULTS, NO_REGION, fault_of, may_teach, said_by
from toolrag.adapters.bedrock.features import Features, after_refusal
from toolrag.adapters.bedrock.line import Line
from toolrag.adapters.bedrock.reply import events_of
from toolrag.adapters.bedrock.request import converse_request
from toolrag.chat import Turn
from toolrag.config import BedrockSettings
from toolrag.errors import ModelError

CONNECT_SECONDS: Final = 10
MAX_STEPS: Final = 12
"""More refusals than there are steps down are none of a ladder."""

Take = Callable[[Mapping[str, Any]], None]
Learn = Callable[[Features], None]


class Caller:
    """Makes requests for one provider, from one Session: sessions hold credentials, which are renewed in them."""

    def __init__(self, model_id: str, settings: BedrockSettings) -> None:
        """Nothing is looked for yet: neither files nor credentials."""
        self._model_id = model_id
        self._settings = settings
        self._session: Any = None
        self._lock = threading.Lock()  # a Session is not for two threads at once

    def call(self, turn: Turn, features: Features, line: Line, take: Take, learn: Learn) -> None:
        """Asks, and hands on every event of the reply. `take` is given `{"sent": request}` before the first.

        Where the service refuses what a model does not take, the same turn is asked for one step further down; `learn`
        is told what the model takes, when that was answered. Raises ModelError.
        """
        try:
            client = self._client(turn)
            line.tap(client)
            with closing(client):
                self._ask(client, turn, features, line, take, learn)
        except FAULTS as error:
            raise fault_of(error) from None  # what boto3 says may hold an address or a key
        finally:
            line.close()

    def _ask(self, client: Any, turn: Turn, start: Features, line: Line, take: Take, learn: Learn) -> None:
        features = start
        for _ in range(MAX_STEPS):
            request = converse_request(turn, self._model_id, self._settings, features)
            begun = False
            try:
                for event in _events(client, request, stream=features.stream):
                    if not begun:
                        begun = True
                        take({"sent": request})
                        if features != start:  # that it helped says that it was understood
                            learn(features)
                    take(event)
            except boto.ClientError as error:
                lower = after_refusal(features, request, said_by(error)) if may_teach(error) else None
                if lower is None or begun or line.is_cut:
                    raise
                features = lower
            else:
                return
        raise ModelError("bad_request", "Amazon Bedrock refuses the request in whatever form it is made.")

    def _client(self, turn: Turn) -> Any:
        settings = self._settings
        with self._lock:
            if self._session is None:
                self._session = boto3.Session(profile_name=settings.profile or None)
            # boto3 reads AWS_DEFAULT_REGION and profiles; other SDKs, and Lambda, say AWS_REGION.
            region = settings.region or self._session.region_name or os.environ.get("AWS_REGION")
            if not region:
                raise ModelError("not_configured", NO_REGION)
            config = Config(
                connect_timeout=min(CONNECT_SECONDS, turn.seconds),
                read_timeout=min(settings.read_seconds, turn.seconds),
                retries={"total_max_attempts": 1, "mode": "standard"},  # who asks has a budget, and tries again
                user_agent_extra="toolrag",
            )
            try:
                return self._session.client(
                    "bedrock-runtime", region_name=region, endpoint_url=_endpoint(settings), config=config
                )
            except boto.InvalidRegionError:
                raise
            except ValueError:  # the address that the environment or a profile names
                raise ModelError("not_configured", BAD_ENDPOINT) from None


def _endpoint(settings: BedrockSettings) -> str | None:
    if not settings.endpoint:
        return None
    try:
        address = urllib.parse.urlsplit(settings.endpoint)
        good = address.scheme == "https" and bool(address.hostname) and address.username is None
    except ValueError:
        good = False
    if not good:
        raise ModelError("not_configured", BAD_ENDPOINT)
    return settings.endpoint


def _events(client: Any, request: Mapping[str, Any], *, stream: bool) -> Iterator[Mapping[str, Any]]:
    if not stream:
        yield from events_of(client.converse(**request))
        return
    with closing(client.converse_stream(**request)["stream"]) as events:
        yield from events
