"""Take members out of a client's JSON, each as what it must be, or say in a sentence why that cannot be. Pure.

Members that are not asked for are not looked at; an optional one that is null counts as absent, since some clients'
languages cannot tell the two apart.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Final


class ParamsError(ValueError):
    """Params that are not what a method takes; `str(error)` is the sentence."""


class Members:
    """An object of the client's, and where it stands: `textDocument`, `scope`."""

    def __init__(self, value: object, name: str = "") -> None:
        if value == []:
            value = {}  # Lua has one empty table, and Neovim writes it as a list
        if not isinstance(value, Mapping):
            raise _wrong(name or "params", "an object", value)
        self.given: Final[Mapping[str, object]] = value
        self._prefix: Final = f"{name}." if name else ""

    def has(self, key: str) -> bool:
        """Whether a member is there, and not null."""
        return self.given.get(key) is not None

    def name(self, key: str) -> str:
        """A member as sentences name it."""
        return f"{self._prefix}{key}"

    def raw(self, key: str) -> object:
        """A member as it is; None where it is absent."""
        return self.given.get(key)

    def string(self, key: str) -> str:
        """A string, such as a document's text: whatever an editor holds."""
        value = self._required(key, "a string")
        if not isinstance(value, str):
            raise _wrong(self.name(key), "a string", value)
        return value

    def word(self, key: str, most: int | None = None) -> str:
        """A string of whole characters, which a path or a question is; at most so many of them."""
        value = self.string(key)
        if not _is_whole(value):
            raise ParamsError(f"{self.name(key)} holds half of a surrogate pair, which is no character.")
        if most is not None and len(value) > most:
            raise ParamsError(f"{self.name(key)} may have at most {most:,} characters, not {len(value):,}.")
        return value

    def optional_word(self, key: str) -> str | None:
        """The same, or None."""
        return self.word(key) if self.has(key) else None

    def whole(self, key: str, least: int | None = None, most: int | None = None) -> int:
        """A whole number within bounds, both included."""
        wanted = "a whole number"
        if least is not None:
            wanted += f" from {least} to {most}" if most is not None else f", {least} or more"
        value = self._required(key, wanted)
        number = _integer(value)
        if number is None or (least is not None and number < least) or (most is not None and number > most):
            raise _wrong(self.name(key), wanted, value)
        return number

    def optional_whole(self, key: str, least: int | None = None, most: int | None = None) -> int | None:
        """The same, or None."""
        return self.whole(key, least, most) if self.has(key) else None

    def optional_truth(self, key: str) -> bool | None:
        """True or false, or None."""
        value = self.raw(key)
        if value is not None and not isinstance(value, bool):
            raise _wrong(self.name(key), "true or false", value)
        return value

    def part(self, key: str) -> Members:
        """An object."""
        return Members(self._required(key, "an object"), self.name(key))

    def optional_part(self, key: str) -> Members | None:
        """An object, or None."""
        return self.part(key) if self.has(key) else None

    def parts(self, key: str) -> Iterator[Members]:
        """A list of objects."""
        for index, value in enumerate(self.items(key)):
            yield Members(value, f"{self.name(key)}[{index}]")

    def words(self, key: str) -> tuple[str, ...]:
        """A list of strings; empty where it is absent."""
        if not self.has(key):
            return ()
        named = Members({f"{key}[{index}]": value for index, value in enumerate(self.items(key))}, self._prefix[:-1])
        return tuple(named.word(name) for name in named.given)

    def token(self, key: str) -> int | str | None:
        """A progress token: a string, a whole number, or None."""
        value = self.raw(key)
        if value is None or isinstance(value, str):
            return value
        number = _integer(value)
        if number is None:
            raise _wrong(self.name(key), "a string or a whole number", value)
        return number

    def items(self, key: str) -> list[object]:
        """A list of whatever."""
        value = self._required(key, "a list")
        if not isinstance(value, list):
            raise _wrong(self.name(key), "a list", value)
        return value

    def _required(self, key: str, wanted: str) -> object:
        if key not in self.given:
            raise ParamsError(f"{self.name(key)} is missing; it must be {wanted}.")
        return self.given[key]


def _shown(value: object) -> str:
    """A JSON value as a sentence names it: never a string itself, which may be somebody's source."""
    match value:
        case str():
            return "a string"
        case Mapping():
            return "an object"
        case list():
            return "a list"
        case int() if not -(10**20) < value < 10**20:
            return "a number of that size"
        case _:
            return json.dumps(value)


def _wrong(name: str, wanted: str, value: object) -> ParamsError:
    return ParamsError(f"{name} must be {wanted}, not {_shown(value)}.")


def _integer(value: object) -> int | None:
    """A whole number, or None. JSON knows one kind of number: `3.0` is 3."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _is_whole(text: str) -> bool:
    return not any("\ud800" <= character <= "\udfff" for character in text)
