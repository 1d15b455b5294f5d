"""A regular expression that is matched line by line in linear time, whatever a model wrote. Pure.

RE2 (https://github.com/google/re2/wiki/Syntax) has no backtracking: a pattern takes time by its size times the text's.
Both are bounded: its program's size here, and a text's by whoever brings it in slices of `max_slice` bytes.
Many lines are searched at once: `^` and `$` are made to mean a line's ends, and nothing matches a line end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Protocol

MAX_PROGRAM: Final = 4_000
"""Instructions of a compiled pattern."""
MAX_MEMORY: Final = 1 << 20
"""Bytes that a pattern may take, with the states it makes while it searches; RE2 starts anew when they are used up."""
MAX_LINE: Final = 20_000
"""Bytes of a line that are searched; the index takes no file with a longer one (`config.IndexLimits`)."""
_SLICE_WORK: Final = 40_000_000
"""Bytes times instructions of one slice: about 30 ms at worst (0.7 ns each, measured with `b.{900}d` on a core)."""
_MAX_SLICE: Final = 262_144

_TOKEN: Final = re.compile(
    r"(?P<literal>\\Q.*?(?:\\E|\Z))|(?P<set>\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\])|(?P<escape>\\.)"
    r"|(?P<look>\(\?<?[=!]|\(\?>)|(?P<whole>\(\?[imsU]*-[imsU]*m)",
    re.DOTALL,
)
_TOO_LARGE: Final = "This pattern is too large; use smaller repetitions, or a shorter text that must occur."


class PatternError(ValueError):
    """A pattern that cannot be matched: one sentence, to the model, that says what to write instead."""


@dataclass(frozen=True, slots=True)
class LineMatch:
    """The first match in a line, in bytes of the slice."""

    line: int
    """Lines before this one in the slice."""
    line_start: int
    line_end: int
    start: int
    end: int


class _Found(Protocol):
    def span(self) -> tuple[int, int]: ...


class _Compiled(Protocol):
    """What is used of a pattern of RE2."""

    programsize: int

    def search(self, text: bytes, pos: int) -> _Found | None: ...


class LinePattern:
    """A pattern that lines are held against."""

    def __init__(self, pattern: str, ignore_case: bool) -> None:
        """Raises PatternError."""
        import re2  # type: ignore[import-untyped] # imported only where a model greps

        options = re2.Options()
        options.case_sensitive = not ignore_case
        options.never_nl = True
        options.log_errors = False
        options.max_mem = MAX_MEMORY
        try:
            self._compiled: _Compiled = re2.compile(b"(?m)" + _prepared(pattern).encode(), options=options)
        except re2.error as error:
            said = error.args[0] if error.args else b""
            raise PatternError(
                _sentence(said.decode("utf-8", "replace") if isinstance(said, bytes) else said)
            ) from None
        except UnicodeEncodeError:
            raise PatternError("The pattern holds half a character; write it without.") from None
        finally:
            re2.purge()  # it keeps the last 128 patterns, each with its memory
        self.program_size: Final = self._compiled.programsize
        """Instructions."""
        if self.program_size > MAX_PROGRAM:
            raise PatternError(_TOO_LARGE)
        self.max_slice: Final = max(MAX_LINE, min(_MAX_SLICE, _SLICE_WORK // self.program_size))
        """Bytes to search at once."""

    def matches(self, data: bytes) -> Iterator[LineMatch]:
        """The first match of each line that has one, in order; `data` is UTF-8 with `\\n` between lines."""
        at, line, counted = 0, 0, 0
        while at <= len(data):
            match = self._compiled.search(data, at)
            if match is None:
                return
            start, end = match.span()
            line += data.count(b"\n", counted, start)
            counted = start
            line_start = data.rfind(b"\n", 0, start) + 1
            line_end = data.find(b"\n", start)
            line_end = len(data) if line_end < 0 else line_end
            yield LineMatch(line, line_start, line_end, start, end)
            at = line_end + 1


def _prepared(pattern: str) -> str:
    """The pattern with `\\A` and `\\z` as a line's ends. Raises PatternError for what is no pattern for lines."""
    if "\n" in pattern or "\r" in pattern:
        raise PatternError("A pattern matches within one line; leave line ends out, or look for one line of them.")
    pieces: list[str] = []
    at = 0
    for token in _TOKEN.finditer(pattern):
        written = token[0]
        if token["look"]:
            raise PatternError(
                "Lookahead, lookbehind and atomic groups are not taken; match the text itself, and judge its "
                "surroundings by the lines you get."
            )
        if token["whole"]:
            raise PatternError("A pattern always matches line by line; leave the flag -m out.")
        if token["escape"]:
            if written[1] in "nr":
                raise PatternError("A pattern matches within one line; leave \\n and \\r out, or look for one line.")
            if written[1] in "123456789":
                raise PatternError("Back references such as \\1 are not taken; write out what is to occur twice.")
            written = {"\\A": "^", "\\z": "$", "\\Z": "$"}.get(written, written)
        pieces += [pattern[at : token.start()], written]
        at = token.end()
    return "".join([*pieces, pattern[at:]])


def _sentence(said: str) -> str:
    if "too large" in said or "repetition size" in said:
        return _TOO_LARGE
    return f"This is no pattern of RE2 ({said[:80]}); put a backslash before ( ) [ ] {{ }} . * + ? that are text."
