"""What can go wrong, as values. Pure.

    ToolragError
    ├── ConfigError   the user can mend it: a setting, an option, a root; the sentence names it     exit code 2
    ├── ReadError     a read was refused; the model, or the caller, can mend it                      exit code 4
    └── ModelError    a model gave no whole reply; an answer with the reason `model_error`           exit code 5

A ReadError is data on the wire: `{error, message, …}`. Its message says what to do next, and never holds a path
outside the roots. Anything else that is raised is a fault of ours.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

ReadErrorCode = Literal[
    "path_denied",
    "secret_denied",
    "ignored",
    "not_found",
    "not_regular",
    "not_text",
    "stale_blob",
    "range_invalid",
    "too_large",
    "budget_spent",
    "permission",
    "changed_while_reading",
]


class ToolragError(Exception):
    """Base of every error a caller is meant to handle. `str(error)` is a sentence for a person."""


class ConfigError(ToolragError):
    """A setting, an option or a root that the user can put right."""


class ReadError(ToolragError):
    """A read that was refused.

    `code` is one of PROTOCOL section 1; `details` are further members of the wire form, JSON values
    (`sha`, `lines`, `totalLines`, `candidates`).
    """

    def __init__(self, code: ReadErrorCode, message: str, **details: object) -> None:
        super().__init__(message)
        self.code: ReadErrorCode = code
        self.message = message
        self.details: Mapping[str, object] = details

    def wire(self) -> dict[str, object]:
        """`{error, message, …details}`."""
        return {"error": self.code, "message": self.message, **self.details}


ModelErrorCode = Literal[
    "throttled",
    "unavailable",
    "timeout",
    "cut",
    "too_long",
    "bad_request",
    "not_allowed",
    "not_configured",
]


class ModelError(ToolragError):
    """A model that gave no whole reply, for a person: one sentence that says what to do next, without a credential.

    `throttled`: too many requests; `unavailable`: the service's fault, or none was reached; `timeout`: nothing came for
    too long; `cut`: the reply ended in its middle; `too_long`: more was sent than the model takes; `bad_request`: the
    service takes no such request; `not_allowed`: no such model for this user; `not_configured`: no region, credentials,
    key or address. The first four may go better at another time.
    """

    def __init__(self, code: ModelErrorCode, message: str, *, after: float | None = None) -> None:
        """`after`: the seconds that the service wants to be left alone, where it says so."""
        super().__init__(message)
        self.code: ModelErrorCode = code
        self.message = message
        self.after = after

    @property
    def may_pass(self) -> bool:
        """Whether the same request may get a reply later."""
        return self.code in ("throttled", "unavailable", "timeout", "cut")
