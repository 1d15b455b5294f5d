"""What a server answers instead of a reply, as a ModelError: one sentence that says what to do. Pure.

A server's own words are told where they help, in one line, bounded, and without what it was shown as a credential; not
those about keys, which repeat a part of one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from toolrag.adapters.openai_chat.reply import CUT
from toolrag.errors import ModelError

MAX_BODY_BYTES: Final = 64_000
"""Of an answer that is no reply."""
_SAID_CHARACTERS: Final = 300
_LONG: Final = re.compile(
    r"context[ _](length|window|size)|maximum context"
    r"|(prompt|input|request) is too (long|large)|too many (input )?tokens"
)
_NO_MODEL: Final = re.compile(r"model\b.{0,200}\b(not found|does not exist|not exist|unknown|not loaded|no access)")
_KEY_LIKE: Final = re.compile(r"\b(sk|key|pk|gsk|hf|xai)[-_][\w*.…-]{6,}|\bbearer\s+\S+", re.IGNORECASE)

TOO_LONG: Final = (
    "The question and what was read for it are longer than the model takes. Ask about less at once, "
    "set model to one with a larger context, or give it one where the server is started."
)
NOT_LET_IN: Final = "{server} does not take the key. Check openai.api_key or OPENAI_API_KEY."
WITHOUT_KEY: Final = "{server} wants a key. Set openai.api_key or OPENAI_API_KEY."
WANTS_LOGIN: Final = "{server} does not take the user and password that openai.base_url has."


@dataclass(frozen=True, slots=True)
class Said:
    """An error as a server tells it."""

    message: str
    """Its words; empty where it has none."""
    kind: str
    """Its code and type, lower case."""
    status: int
    """Its code where that is one of HTTP's, else 0."""

    @property
    def everything(self) -> str:
        """What a refusal is looked through for."""
        return f"{self.message} {self.kind}"


def said_by(body: bytes | Mapping[str, Any]) -> Said:
    """What a body tells: OpenAI's own form, `{"error": text}`, FastAPI's `detail`, or vLLM's without `error`."""
    if isinstance(body, Mapping):
        found: object = body
    else:
        try:
            found = json.loads(body)
        except (ValueError, RecursionError):
            return Said("", "", 0)
    error = found.get("error", found) if isinstance(found, Mapping) else found
    if isinstance(error, str):
        return Said(error, "", 0)
    if not isinstance(error, Mapping):
        return Said("", "", 0)
    message = error.get("message", error.get("detail", ""))
    if not isinstance(message, str):
        message = json.dumps(message)
    code = error.get("code")
    kinds = [str(error[name]) for name in ("code", "type", "param") if isinstance(error.get(name), str | int)]
    status = code if isinstance(code, int) and 400 <= code < 600 else 0
    return Said(message, " ".join(kinds).lower(), status)


@dataclass(frozen=True, slots=True)
class Shown:
    """What sentences may say of a server, and must not."""

    server: str
    authorization: str
    """What it was shown: never told."""
    is_local: bool

    def words(self, said: str) -> str:
        """A server's words as the end of a sentence, with a full stop; empty for none."""
        for secret in {self.authorization, self.authorization.partition(" ")[2]} - {""}:
            said = said.replace(secret, "…")
        line = " ".join("".join(one if one.isprintable() else " " for one in _KEY_LIKE.sub("…", said)).split())
        if len(line) > _SAID_CHARACTERS:
            return f"{line[: _SAID_CHARACTERS - 1]}…"
        return line if not line or line.endswith((".", "…", "!", "?")) else f"{line}."


def refusal(status: int, said: Said, shown: Shown, after: float | None) -> ModelError:
    """The ModelError for a status of 300 or more. `after`: what `Retry-After` says, in seconds."""
    server, words = shown.server, shown.words(said.message)
    told = f" It says: {words}" if words else ""
    everything = said.everything.lower()
    if status < 400:
        return ModelError(
            "not_configured",
            f"{server} wants to be asked at another address, which is not followed. Write that into openai.base_url.",
        )
    if status == 429 or "rate_limit" in said.kind:
        if "insufficient_quota" in said.kind or "billing" in said.kind:
            return ModelError("not_allowed", f"The account at {server} has no credit left.{told}")
        return ModelError("throttled", f"{server} has too many requests. Wait a little and ask again.", after=after)
    if status == 401:
        if not shown.authorization:
            return ModelError("not_configured", WITHOUT_KEY.format(server=server))
        form = WANTS_LOGIN if shown.authorization.startswith("Basic ") else NOT_LET_IN
        return ModelError("not_configured", form.format(server=server))
    if status == 413 or (status < 500 and _LONG.search(everything)):
        return ModelError("too_long", TOO_LONG)
    if status == 407:
        return ModelError("not_configured", "The proxy of the environment wants a login. Check HTTPS_PROXY.")
    if status == 408:
        return ModelError("timeout", f"{server} took too long. Ask again, or ask for less at once.")
    if status in (403, 404) or (status < 500 and _NO_MODEL.search(everything)):
        return ModelError(
            "not_allowed",
            f"{server} has no such model for you. Check its name after openai:, and openai.base_url, "
            f"which ends in /v1 for most servers.{told}",
        )
    if status >= 500:
        return ModelError("unavailable", f"{server} cannot answer at the moment (HTTP {status}).{told}", after=after)
    return ModelError("bad_request", f"{server} does not take the request (HTTP {status}).{told}")


def in_stream(chunk: Mapping[str, Any], shown: Shown) -> ModelError:
    """The ModelError for an error that came in place of a chunk."""
    said = said_by(chunk)
    if said.status:
        return refusal(said.status, said, shown, None)
    if _LONG.search(said.everything.lower()):
        return ModelError("too_long", TOO_LONG)
    if "rate_limit" in said.kind or "insufficient_quota" in said.kind:
        return refusal(429, said, shown, None)
    words = shown.words(said.message)
    return ModelError("cut", f"{CUT}{f' It says: {words}' if words else ''}")


def unreached(shown: Shown) -> ModelError:
    """The ModelError where nothing answers."""
    if shown.is_local:
        return ModelError(
            "unavailable",
            f"Nothing answers at {shown.server}. Start the server there, or set openai.base_url to another.",
        )
    return ModelError("unavailable", f"{shown.server} could not be reached. Check the network and openai.base_url.")
