"""Write moved citations as they are now, and leave every other character as it is. Pure: text in, text out."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Final

from toolrag.answer import wire
from toolrag.answer.checking import CheckedAnswer, CheckedText
from toolrag.answer.wire import Json

Span = tuple[int, int]
"""Character offsets, the second exclusive."""

_BLANKS: Final = re.compile(r"[ \t\r\n]*")
_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*+"', re.DOTALL)
_STEP: Final = re.compile(r'"(?:[^"\\]|\\.)*+"|[\[\]{}]', re.DOTALL)
_SCALAR: Final = re.compile(r"[^\s,\[\]{}]+")


def mended_text(text: str, checked: Iterable[CheckedText]) -> str:
    """A text whose moved citations name the lines where theirs stand. The pin is of the lines, so it stays true."""
    return _replaced(
        text,
        [
            (one.written.lines_at, one.written.with_lines(one.lines))
            for one in checked
            if one.verdict == "moved" and one.lines is not None
        ],
    )


def mended_answer(text: str, checked: CheckedAnswer) -> str:
    """A saved answer, as JSON text, whose moved citations carry their place now and are `verified` there.

    What is written anew: `lines`, `location`, `sha` (a citation's path, sha and lines belong to one text) and
    `standing`; `path` and `root` where another file took over the lines. `text` is JSON that `check_answer` accepted.
    """
    changes: list[tuple[Span, str]] = []
    top = _members(text, _skip_blanks(text, 0))
    for span, one in zip(_elements(text, top["citations"][0]), checked.citations, strict=True):
        snapshot, lines = one.located.snapshot, one.located.lines
        if one.located.standing == "moved" and snapshot is not None and lines is not None:
            # Saved by the command line, which counts in UTF-16; an answer does not say so.
            place = {"uri": snapshot.uri, "range": wire.location_range(snapshot, lines, "utf-16")}
            new: Json = {"location": place, "lines": wire.lines(lines), "sha": snapshot.sha, "standing": "verified"}
            if one.located.is_elsewhere:
                new |= {"path": snapshot.path, "root": snapshot.root}
            changes += _changes(text, span[0], new)
    return _replaced(text, changes)


def _changes(text: str, at: int, new: Json) -> Iterator[tuple[Span, str]]:
    """What to write where, so that the JSON object at `at` has these values in the members that it has."""
    members = _members(text, at)
    for name, value in new.items():
        if name not in members:
            continue
        span = members[name]
        if isinstance(value, dict):
            yield from _changes(text, span[0], value)
        elif json.loads(text[slice(*span)]) != value:
            yield span, json.dumps(value)


def _replaced(text: str, changes: Iterable[tuple[Span, str]]) -> str:
    pieces: list[str] = []
    at = 0
    for (start, end), new in sorted(changes):
        pieces += [text[at:start], new]
        at = end
    return "".join([*pieces, text[at:]])


def _members(text: str, at: int) -> dict[str, Span]:
    """Where the value of each member of the JSON object at `at` stands; of two of one name the last, as parsers do.

    The text has been parsed: what is no object has no members.
    """
    members: dict[str, Span] = {}
    if text[at] != "{":
        return members
    at = _skip_blanks(text, at + 1)
    while text[at] != "}":
        name = _STRING.match(text, at)
        assert name
        start = _skip_blanks(text, text.index(":", name.end()) + 1)
        end = _value_end(text, start)
        members[json.loads(name[0], strict=False)] = (start, end)
        at = _after_comma(text, end)
    return members


def _elements(text: str, at: int) -> Iterator[Span]:
    at = _skip_blanks(text, at + 1)
    while text[at] != "]":
        end = _value_end(text, at)
        yield at, end
        at = _after_comma(text, end)


def _after_comma(text: str, at: int) -> int:
    at = _skip_blanks(text, at)
    return _skip_blanks(text, at + 1) if text[at] == "," else at


def _skip_blanks(text: str, at: int) -> int:
    found = _BLANKS.match(text, at)
    assert found
    return found.end()


def _value_end(text: str, at: int) -> int:
    """Where the JSON value that begins at `at` ends; brackets are counted, so that depth costs no stack."""
    if text[at] not in '"[{':
        scalar = _SCALAR.match(text, at)
        assert scalar
        return scalar.end()
    depth = 0
    for step in _STEP.finditer(text, at):
        if step[0] in ("{", "["):
            depth += 1
        elif step[0] in ("}", "]"):
            depth -= 1
        if depth == 0:
            return step.end()
    raise AssertionError("JSON that was parsed has an end to every value")
