"""The arguments of a call as its schema has them, whatever a model wrote. Pure.

Taken for what they mean are whole numbers as texts ("12") or with a zero behind the point (12.0), `true` and `false` as
texts, and null for what may be left out. Anything else is told in one sentence.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from typing import Final

from toolrag.chat import ToolSpec

Value = str | int | bool

_WHOLE: Final = re.compile(r"\s*[+-]?[0-9]{1,10}\s*")
_MAX_NUMBER: Final = 10**9
_WORDS: Final = {"string": "a text", "integer": "a whole number, such as 12", "boolean": "true or false"}


class BadArgumentsError(ValueError):
    """What is wrong with the arguments of a call: one sentence, to the model."""


class Arguments:
    """Arguments that fit their schema."""

    def __init__(self, values: Mapping[str, Value]) -> None:
        self.values: Final = dict(values)

    def text(self, name: str) -> str:
        """A text; "" where it was left out."""
        value = self.values.get(name, "")
        assert isinstance(value, str)
        return value

    def number(self, name: str) -> int:
        """A whole number that must have been given."""
        value = self.values[name]
        assert isinstance(value, int)
        return value

    def flag(self, name: str) -> bool:
        """True only where it was given and is true."""
        return self.values.get(name, False) is True

    def query(self, name: str, limit: int) -> str:
        """A text that may be neither blank nor longer than `limit` characters. Raises BadArgumentsError."""
        text = self.text(name)
        if not text.strip():
            raise BadArgumentsError(f"{name} is empty; say what to look for.")
        if len(text) > limit:
            raise BadArgumentsError(f"{name} has {len(text):,} characters; at most {limit:,} are taken.")
        return text


def parse_arguments(spec: ToolSpec, given: object) -> Arguments:
    """The arguments of a call of this tool. Raises BadArgumentsError."""
    properties = spec.parameters["properties"]
    required = spec.parameters["required"]
    assert isinstance(properties, Mapping)
    assert isinstance(required, list)
    if not isinstance(given, Mapping):
        raise BadArgumentsError(f"The arguments are no JSON object; {_usage(spec.name, properties, required)}")
    values: dict[str, Value] = {}
    for name, value in sorted(given.items()):  # whatever order they came in: a journal keeps none
        if name not in properties:
            raise BadArgumentsError(f"There is no argument {_close(name, properties)}")
        if value is None and name not in required:
            continue
        kind = properties[name]["type"]
        meant = _meant(value, kind)
        if meant is None:
            raise BadArgumentsError(f"{name} must be {_WORDS[kind]}, not {_kind_of(value)}.")
        values[name] = meant
    missing = [name for name in required if name not in values]
    if missing:
        raise BadArgumentsError(f"{' and '.join(missing)} must be given; {_usage(spec.name, properties, required)}")
    return Arguments(values)


def _meant(value: object, kind: str) -> Value | None:
    """The value of this kind that is meant; None for none."""
    if kind == "string":
        return value if isinstance(value, str) else None
    if kind == "boolean":
        if isinstance(value, str):
            return {"true": True, "false": False}.get(value.strip().lower())
        return value if isinstance(value, bool) else None
    if isinstance(value, str) and _WHOLE.fullmatch(value):
        value = int(value)
    elif isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > _MAX_NUMBER:
        return None
    return value


def _kind_of(value: object) -> str:
    if value is None or isinstance(value, bool):
        return "null" if value is None else "true or false"
    if isinstance(value, str):
        return "a text" if value.strip() else "an empty text"
    if isinstance(value, int | float):
        return "this number"
    return "an object" if isinstance(value, Mapping) else "a list"


def _usage(tool: str, properties: Mapping[str, object], required: list[str]) -> str:
    may = [name for name in properties if name not in required]
    optional = f", and may take {', '.join(may)}" if may else ""
    return f"{tool} takes {', '.join(required)}{optional}."


def _close(name: object, properties: Mapping[str, object]) -> str:
    asked = str(name)[:40]
    close = difflib.get_close_matches(asked, properties, n=1)
    return f"{asked!r}; did you mean {close[0]}?" if close else f"{asked!r}; there are {', '.join(properties)}."
