"""The texts of open documents, kept as the editor has them: whole or edited piece by piece. Pure.

A text is held as its LSP lines, each with its end, so that an edit costs what it touches: an editor that replaces a
word in a large file sends hundreds of edits at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from toolrag.answer.edits import Edit, edits_of
from toolrag.lsp.editor_params import Change
from toolrag.lsp.members import ParamsError
from toolrag.text import LineRange, Position, PositionEncoding, Text


class SyncError(ParamsError):
    """An edit that cannot be made, though it is one: the document is not open, or has a newer version."""


@dataclass(frozen=True, slots=True)
class Edited:
    """A document after one notification."""

    text: str
    edits: tuple[Edit, ...]
    """What became of its lines, each on what the one before left."""


@dataclass(slots=True)
class _Document:
    lines: list[str]
    version: int | None


class OpenDocuments:
    """Documents by the URI the client uses. Not to be shared between threads."""

    def __init__(self) -> None:
        self._documents: dict[str, _Document] = {}

    def check_open(self, uri: str) -> None:
        """Raises SyncError when a document is not open."""
        self._document(uri)

    def open(self, uri: str, text: str, version: int | None) -> None:
        """A document opens. One that is open already gets this text: the editor knows better."""
        self._documents[uri] = _Document(list(_lines(text)), version)

    def change(self, uri: str, changes: Iterable[Change], version: int | None, encoding: PositionEncoding) -> Edited:
        """The whole text after edits, each made on the result of the one before.

        Positions past the end of a line or of the text mean that end; a reversed range is taken the right way round.
        An equal version is accepted, since some clients never count. Raises SyncError, and changes nothing, when the
        document is not open, or for a lower version: on this text the edit would make another than the editor's.
        """
        document = self._document(uri)
        if version is not None and document.version is not None and version < document.version:
            raise SyncError(f"{uri} has version {document.version} already; this is of version {version}.")
        edits: list[Edit] = []
        for change in changes:
            if change.at is None:
                n_lines, document.lines = len(document.lines), list(_lines(change.text))
                edits.append(Edit(LineRange(0, n_lines), tuple(map(_bare, document.lines))))
            else:
                edits += _edit(document.lines, *change.at, change.text, encoding)
        document.version = document.version if version is None else version
        return Edited("".join(document.lines), tuple(edits))

    def close(self, uri: str) -> None:
        """A document closes. Raises SyncError when it is not open."""
        self.check_open(uri)
        del self._documents[uri]

    def _document(self, uri: str) -> _Document:
        if uri not in self._documents:
            raise SyncError(f"{uri} is not open.")
        return self._documents[uri]


def _lines(text: str) -> Iterator[str]:
    """LSP lines, each with its end; the last has none."""
    starts = Text(text).starts
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        yield text[start:end]


def _bare(line: str) -> str:
    """A line without its end."""
    return line.removesuffix("\n").removesuffix("\r")


def _edit(lines: list[str], one: Position, other: Position, new: str, encoding: PositionEncoding) -> Iterator[Edit]:
    """Put `new` in place of what is between two positions, on the lines themselves."""
    (first, before), (last, after) = sorted((_place(lines, one, encoding), _place(lines, other, encoding)))
    at, start = first, before
    if first and before == 0:
        # A CR before may become one line end with an LF that is put after it.
        first -= 1
        before = len(lines[first])
    old = lines[first : last + 1]
    put = list(_lines(lines[first][:before] + new + lines[last][after:]))
    if last + 1 < len(lines):
        put.pop()  # what follows the last line end is the next line, which is there already
    lines[first : last + 1] = put
    # The line before, where it was taken along, is as it was but for its end.
    return edits_of(at, [*map(_bare, old[at - first :])], [*map(_bare, put[at - first :])], start, after)


def _place(lines: list[str], position: Position, encoding: PositionEncoding) -> tuple[int, int]:
    """A position as a line and an offset in it, in characters, held within the text."""
    if position.line >= len(lines):
        return len(lines) - 1, len(lines[-1])
    return position.line, Text(lines[position.line]).offset(Position(0, position.character), encoding)
