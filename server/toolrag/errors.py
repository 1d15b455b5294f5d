"""What can go wrong, as values. Pure.

    ToolragError
    ├── ConfigError   the user can mend it: a setting, an option, a root; the sentence names it     exit code 2
    └── ReadError     a read was refused; the model, or the caller, can mend it                      exit code 4

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
