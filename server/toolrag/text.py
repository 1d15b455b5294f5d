"""Text as an editor has it: LSP lines, positions in three encodings, and the hashes that name bytes and lines.

Pure. A line is an LSP line everywhere: it ends at CR LF, LF or CR and nowhere else (LSP 3.17, "Text Documents").
Absent on purpose: `str.splitlines`, which also breaks at form feeds, U+2028 and others, and any lossy decoding.
"""

from __future__ import annotations

import codecs
import hashlib
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal

PositionEncoding = Literal["utf-8", "utf-16", "utf-32"]
FileEncoding = Literal["utf-8", "utf-16-le", "utf-16-be"]
Newline = Literal["\n", "\r\n", "\r"]
Source = Literal["buffer", "disk"]

_LINE_END: Final = re.compile(r"\r\n|\n|\r")
_BOMS: Final[tuple[tuple[bytes, FileEncoding], ...]] = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


class NotTextError(ValueError):
    """The bytes are not text an editor would open as such; the message says why in a few words."""


@dataclass(frozen=True, slots=True)
class LineRange:
    """Lines `start` up to, not including, `end`; 0-based. People see `start + 1` to `end`."""

    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end:
            raise ValueError(f"not a line range: {self.start}..{self.end}")

    def __len__(self) -> int:
        return self.end - self.start

    def __contains__(self, other: LineRange) -> bool:
        return self.start <= other.start and other.end <= self.end

    def overlaps(self, other: LineRange) -> bool:
        """Whether the two share a line."""
        return self.start < other.end and other.start < self.end


@dataclass(frozen=True, slots=True)
class Position:
    """A place in a text: 0-based line, and `character` in units of a position encoding."""

    line: int
    character: int


@dataclass(frozen=True, slots=True)
class Form:
    """How a file writes its text: what turns a buffer into the bytes it would be saved as."""

    encoding: FileEncoding = "utf-8"
    bom: bool = False
    newline: Newline = "\n"
    """The line end used most in the file; `\\n` where it has none."""

    def encode(self, text: str) -> bytes:
        """The bytes of `text` as this file would be saved: one line end throughout, and its BOM.

        A lone surrogate, which an editor can hold but no file should, is written as its three WTF-8 bytes.
        """
        unified = _LINE_END.sub(self.newline, text)
        bom = next(mark for mark, name in _BOMS if name == self.encoding) if self.bom else b""
        return bom + unified.encode(self.encoding, "surrogatepass")


def decode(data: bytes) -> tuple[str, Form]:
    """The text of a file as an editor shows it, without its BOM, and the form it is written in.

    UTF-8, UTF-8 with a BOM, and UTF-16 with a BOM. One BOM is taken off; a second is text.
    Raises NotTextError for anything else, a NUL included: nothing is ever decoded lossily.
    """
    encoding: FileEncoding = "utf-8"
    bom = b""
    for mark, name in _BOMS:
        if data.startswith(mark):
            bom, encoding = mark, name
            break
    try:
        text = data[len(bom) :].decode(encoding)
    except UnicodeDecodeError as error:
        raise NotTextError(f"byte {len(bom) + error.start} is not {encoding.upper()}") from None
    if "\0" in text:
        raise NotTextError("it holds NUL characters")
    return text, Form(encoding, bool(bom), dominant_newline(text))


def dominant_newline(text: str) -> Newline:
    """The line end that occurs most; on a tie LF before CR LF before CR. `\\n` for a text of one line."""
    crlf = text.count("\r\n")
    lf = text.count("\n") - crlf
    cr = text.count("\r") - crlf
    if lf >= crlf and lf >= cr:
        return "\n"
    return "\r\n" if crlf >= cr else "\r"


def fold(text: str) -> str:
    """`text` with every line end as LF: two texts an editor takes for the same fold to the same."""
    return _LINE_END.sub("\n", text)


def blob_sha(data: bytes) -> str:
    """git's blob SHA-1 of the bytes, 40 hex digits: `git hash-object --no-filters` (gitformat-pack(5))."""
    digest = hashlib.sha1(b"blob %d\0" % len(data), usedforsecurity=False)
    digest.update(data)
    return digest.hexdigest()


def lines_sha(lines: Iterable[str]) -> str:
    """SHA-256 over lines given without their ends, joined by LF: 64 hex digits. It decides standings."""
    return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogatepass")).hexdigest()


class Text:
    """An immutable text with its line table. Lines are 0-based; a text has one line more than line ends."""

    def __init__(self, content: str) -> None:
        self.content: Final = content

    @cached_property
    def starts(self) -> list[int]:
        """The offset, in characters, at which each line begins."""
        return [0, *(match.end() for match in _LINE_END.finditer(self.content))]

    @property
    def n_lines(self) -> int:
        """Number of lines, counting the empty one after a final line end, as editors do."""
        return len(self.starts)

    def line(self, index: int) -> str:
        """One line without its end. Raises IndexError outside the text."""
        if not 0 <= index < self.n_lines:
            raise IndexError(f"line {index} of {self.n_lines}")
        start = self.starts[index]
        if index + 1 == self.n_lines:
            return self.content[start:]
        end = self.starts[index + 1] - 1
        if self.content[end] == "\n" and end > start and self.content[end - 1] == "\r":
            end -= 1
        return self.content[start:end]

    def lines(self, lines: LineRange) -> list[str]:
        """The lines of a range without their ends. Raises IndexError where the range leaves the text."""
        self._check(lines)
        return [self.line(index) for index in range(lines.start, lines.end)]

    def slice(self, lines: LineRange) -> str:
        """The exact characters of a range, line ends included. Raises IndexError outside the text."""
        self._check(lines)
        if not len(lines):
            return ""
        end = len(self.content) if lines.end == self.n_lines else self.starts[lines.end]
        return self.content[self.starts[lines.start] : end]

    def sha_of(self, lines: LineRange) -> str:
        """`lines_sha` of a range. Raises IndexError outside the text."""
        return lines_sha(self.lines(lines))

    def line_at(self, offset: int) -> int:
        """The line that holds a character offset."""
        return bisect_right(self.starts, offset) - 1

    def offset(self, position: Position, encoding: PositionEncoding) -> int:
        """The character offset of a position.

        As LSP has it: a character past the end of its line means the end of the line, a line past the end of the
        text means the end of the text. A position inside a character means its start.
        """
        if position.line >= self.n_lines:
            return len(self.content)
        line = self.line(max(position.line, 0))
        return self.starts[max(position.line, 0)] + _characters(line, max(position.character, 0), encoding)

    def position(self, offset: int, encoding: PositionEncoding) -> Position:
        """The position of a character offset; one within a line end is that line's end."""
        offset = min(max(offset, 0), len(self.content))
        index = self.line_at(offset)
        before = self.line(index)[: offset - self.starts[index]]
        return Position(index, units(before, encoding))

    def positions(self, offsets: Iterable[int], encoding: PositionEncoding) -> Iterator[Position]:
        """The positions of offsets that never fall, as `position` has them; no line is gone through twice."""
        index, at, end, character = -1, 0, 0, 0
        for offset in offsets:
            line = self.line_at(min(max(offset, 0), len(self.content)))
            if line != index:
                index, at, character = line, self.starts[line], 0
                end = at + len(self.line(line))
            to = max(at, min(offset, end))
            character += units(self.content[at:to], encoding)
            at = to
            yield Position(line, character)

    def replaced(self, start: Position, end: Position, new: str, encoding: PositionEncoding) -> Text:
        """The text after an incremental edit. A reversed range is taken the right way round, as editors do."""
        first, last = sorted((self.offset(start, encoding), self.offset(end, encoding)))
        return Text(self.content[:first] + new + self.content[last:])

    def _check(self, lines: LineRange) -> None:
        if lines.end > self.n_lines:
            raise IndexError(f"lines {lines.start}..{lines.end} of {self.n_lines}")


def units(text: str, encoding: PositionEncoding) -> int:
    """Length of `text` in units of a position encoding."""
    if encoding == "utf-32" or text.isascii():
        return len(text)
    if encoding == "utf-16":
        return len(text) + sum(character > "\uffff" for character in text)
    return len(text.encode("utf-8", "surrogatepass"))


def _characters(line: str, n_units: int, encoding: PositionEncoding) -> int:
    """How many characters of `line` fit into `n_units`; never more than the line has."""
    if encoding == "utf-32" or line.isascii():
        return min(n_units, len(line))
    used = 0
    for index, character in enumerate(line):
        used += units(character, encoding)
        if used > n_units:
            return index
    return len(line)


@dataclass(frozen=True)
class TextSnapshot:
    """One document's text at one moment, with what identifies it. What is read is always a snapshot."""

    uri: str
    """As the client gave it, or a file URI made here."""

    root: str
    """The name of the root the file lies in; empty for an open document outside every root."""

    path: str
    """Relative to the root, with `/`; the URI itself for a document outside every root."""

    text: Text
    form: Form
    sha: str
    """Blob SHA-1 of the bytes on disk, or of what the buffer would be saved as when `dirty`."""

    source: Source
    version: int | None = None
    """The editor's version; None when the text came from disk."""

    dirty: bool = False
    """The buffer's text is not the file's."""
