"""JSON-RPC 2.0 messages as values, and what is said of those that are none. Pure.

Absent on purpose: batches, which LSP does not have, and JSON that Python alone reads (`NaN`).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, NoReturn

Id = int | str

PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603
NOT_INITIALIZED: Final = -32002
CANCELLED: Final = -32800
REQUEST_FAILED: Final = -32803


@dataclass(frozen=True, slots=True)
class Request:
    """Wants an answer."""

    id: Id
    method: str
    params: object
    """As JSON gives it; None where it is absent."""


@dataclass(frozen=True, slots=True)
class Notification:
    """Wants none."""

    method: str
    params: object


@dataclass(frozen=True, slots=True)
class Reply:
    """The client's answer to a request of ours."""

    id: Id
    result: object
    error: str | None
    """The client's sentence; None when it did as asked."""
    code: int | None = None
    """Of its error, where it gave one."""


@dataclass(frozen=True, slots=True)
class Invalid:
    """No message: it is answered with an error."""

    code: int
    reason: str
    id: Id | None = None


Message = Request | Notification | Reply | Invalid


def read(body: bytes) -> Message:
    """The message in a body. Never raises."""
    try:
        value = json.loads(body.decode("utf-8"), parse_constant=_refuse)
    except UnicodeDecodeError:
        return Invalid(PARSE_ERROR, "The message is not UTF-8.")
    except (ValueError, RecursionError) as error:
        where = f" ({error.msg}, line {error.lineno})" if isinstance(error, json.JSONDecodeError) else ""
        return Invalid(PARSE_ERROR, f"The message is not JSON{where}.")
    if isinstance(value, list):
        return Invalid(INVALID_REQUEST, "Batches are not part of LSP; send one message at a time.")
    if not isinstance(value, dict):
        return Invalid(INVALID_REQUEST, "A message must be a JSON object.")
    return _read_object(value)


def _read_object(value: Mapping[str, object]) -> Message:
    has_id = "id" in value
    identity = _identity(value.get("id"))
    if value.get("jsonrpc") != "2.0":
        return Invalid(INVALID_REQUEST, 'A message must have "jsonrpc": "2.0".', identity)
    method = value.get("method")
    if isinstance(method, str):
        if not has_id:
            return Notification(method, value.get("params"))
        if identity is None:
            return Invalid(INVALID_REQUEST, "A request's id must be a whole number or a string.")
        return Request(identity, method, value.get("params"))
    if method is None and identity is not None and ("result" in value or "error" in value):
        error = value.get("error")
        said, code = (error.get("message"), error.get("code")) if isinstance(error, Mapping) else (None, None)
        number = code if isinstance(code, int) else None
        return Reply(identity, value.get("result"), None if error is None else str(said), number)
    return Invalid(INVALID_REQUEST, "A message must have a method, or the id and result of a reply.", identity)


def _identity(value: object) -> Id | None:
    """An id, or None for what is none. JSON knows one kind of number: `3.0` is 3."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int | str) and not isinstance(value, bool) else None


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


def result(identity: Id, value: object) -> dict[str, object]:
    """An answer."""
    return {"jsonrpc": "2.0", "id": identity, "result": value}


def error(identity: Id | None, code: int, reason: str) -> dict[str, object]:
    """An error. It has no `data`: what went wrong in here is for the log."""
    return {"jsonrpc": "2.0", "id": identity, "error": {"code": code, "message": reason}}


def notification(method: str, params: object) -> dict[str, object]:
    """A notification of ours."""
    return {"jsonrpc": "2.0", "method": method, "params": params}
