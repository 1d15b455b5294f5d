"""The server's text is the editor's after any edits, in every position encoding.

The reference keeps no lines: a text is a list of code units of the encoding, and each position is looked for from the
start. 200 sequences of edits are tried; TOOLRAG_SYNC_SEQUENCES tries more, TOOLRAG_SYNC_SEED the same ones again.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Mapping

import pytest
from toolrag.answer.wire import location_range
from toolrag.lsp.editor_params import Change
from toolrag.lsp.sync import OpenDocuments, SyncError
from toolrag.text import Form, LineRange, Position, PositionEncoding, Text, TextSnapshot

URI = "untitled:a"
N_SEQUENCES = int(os.environ.get("TOOLRAG_SYNC_SEQUENCES", "200"))
SEED = int(os.environ.get("TOOLRAG_SYNC_SEED", str(time.time_ns())))
ENCODINGS: tuple[PositionEncoding, ...] = ("utf-8", "utf-16", "utf-32")

CODECS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}
PIECES = (
    *"ab\t é\u00df日\U0001f600\U00010400\u0301\ufeff\u200d",
    *("\n", "\r\n", "\r", "\r\r\n", "\n\r"),
    *("\f", "\v", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"),
    *("def f():", "\U0001f468\u200d\U0001f469", "\ufeff# a mark"),
)


class Reference:
    """A text as units of an encoding, each `width` bytes."""

    def __init__(self, text: str, encoding: PositionEncoding) -> None:
        self.codec, self.width = CODECS[encoding]
        self.units = self.cut(text)

    def cut(self, text: str) -> list[bytes]:
        data = text.encode(self.codec)
        return [data[at : at + self.width] for at in range(0, len(data), self.width)]

    @property
    def text(self) -> str:
        return b"".join(self.units).decode(self.codec)

    def index(self, position: Position) -> int:
        """Of the unit at a position: walks over line ends, then over units, and back to where a character begins."""
        cr, lf = self.cut("\r")[0], self.cut("\n")[0]
        at = 0
        for _ in range(position.line):
            while at < len(self.units) and self.units[at] not in (cr, lf):
                at += 1
            if at == len(self.units):
                return at
            at += 2 if self.units[at : at + 2] == [cr, lf] else 1
        begin = at
        while at < len(self.units) and at - begin < position.character and self.units[at] not in (cr, lf):
            at += 1
        while at > begin and not self.begins_a_character(at):
            at -= 1
        return at

    def begins_a_character(self, at: int) -> bool:
        if at == len(self.units):
            return True
        value = int.from_bytes(self.units[at], "little")
        if self.width == 1:
            return value & 0xC0 != 0x80
        return self.width == 4 or not 0xDC00 <= value < 0xE000

    def lines(self) -> list[str]:
        """The text between line ends."""
        found, line = [], ""
        text = self.text
        for at, character in enumerate(text):
            if character == "\n" and text[at - 1 : at] == "\r":
                continue
            if character in "\r\n":
                found.append(line)
                line = ""
            else:
                line += character
        return [*found, line]

    def slice(self, cited: Mapping[str, object]) -> str:
        """What an editor shows for a range of the wire."""
        ends = [cited["start"], cited["end"]]
        first, last = (self.index(Position(**end)) for end in ends)  # type: ignore[arg-type] # line and character
        return b"".join(self.units[first:last]).decode(self.codec)

    def edit(self, change: Change) -> None:
        if change.at is None:
            self.units = self.cut(change.text)
        else:
            first, last = sorted(map(self.index, change.at))
            self.units[first:last] = self.cut(change.text)


def a_text(chance: random.Random, most: int) -> str:
    return "".join(chance.choices(PIECES, k=chance.randrange(most)))


def a_position(chance: random.Random, reference: Reference) -> Position:
    """Mostly within the text, sometimes past the end of a line or of the text."""
    n_lines = sum(reference.text.count(end) for end in "\r\n") + 1
    line = chance.choice((0, chance.randrange(n_lines + 1), n_lines - 1, n_lines + 5))
    return Position(line, chance.choice((0, chance.randrange(6), chance.randrange(20), 10_000)))


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_random_edits_make_the_reference_s_text(encoding: PositionEncoding) -> None:
    """Edits that run backwards, split characters and line ends, or lie past every end; one by one and in batches."""
    for number in range(N_SEQUENCES // len(ENCODINGS) + 1):
        seed = f"{SEED}/{encoding}/{number}"
        chance = random.Random(seed)
        text = a_text(chance, 40)
        reference = Reference(text, encoding)
        documents = OpenDocuments()
        documents.open(URI, text, 0)
        for version in range(1, chance.randrange(2, 25)):
            changes = []
            for _ in range(chance.choice((1, 1, 1, 4))):
                at = (a_position(chance, reference), a_position(chance, reference))
                change = Change(None if chance.random() < 0.03 else at, a_text(chance, 8))
                changes.append(change)
                reference.edit(change)
            after = documents.change(URI, changes, version, encoding).text
            again = f"TOOLRAG_SYNC_SEED={SEED} finds it again: {seed}, version {version}"
            assert after == reference.text, again
            line = chance.randrange(len(reference.lines()))
            snapshot = TextSnapshot(URI, "", URI, Text(after), Form(), "", "buffer", version, True)
            cited = location_range(snapshot, LineRange(line, line + 1), encoding)
            assert snapshot.text.line(line) == reference.lines()[line], again
            assert reference.slice(cited) == reference.lines()[line], again


def test_many_reference_lines() -> None:
    """The reference cuts lines by itself: it would not do to compare the server with itself."""
    reference = Reference("a\r\nb\rc\fd\u2028\ne\n", "utf-16")
    assert reference.lines() == ["a", "b", "c\fd\u2028", "e", ""]


def test_the_reference_knows_lines() -> None:
    """A check of the measure itself, on places that were counted by hand."""
    reference = Reference("a\x0c\U0001f600b\r\nc\rd\u2028e\n", "utf-16")
    places = {(0, 2): 2, (0, 3): 2, (0, 4): 4, (0, 99): 5, (1, 0): 7, (2, 2): 11, (2, 99): 12, (3, 0): 13, (9, 9): 13}
    assert {place: reference.index(Position(*place)) for place in places} == places


@pytest.mark.parametrize("separator", ["\f", "\v", "\x1c", "\x85", "\u2028", "\u2029"])
def test_what_ends_no_line_moves_no_edit(separator: str) -> None:
    documents = OpenDocuments()
    documents.open(URI, f"one{separator}one\ntwo\n", 1)
    change = Change((Position(1, 0), Position(1, 3)), "2")
    assert documents.change(URI, [change], 2, "utf-16").text == f"one{separator}one\n2\n"


@pytest.mark.parametrize(
    ("start", "end", "text"),
    [
        pytest.param((0, 2), (0, 1), "aXc\n", id="a reversed range is taken the right way round"),
        pytest.param((0, 1), (7, 0), "aX", id="a line past the end is the end of the text"),
        pytest.param((0, 99), (0, 99), "abcX\n", id="a character past the end is the end of its line"),
        pytest.param((9, 9), (8, 8), "abc\nX", id="both past the end"),
    ],
)
def test_ranges_an_editor_should_not_send(start: tuple[int, int], end: tuple[int, int], text: str) -> None:
    documents = OpenDocuments()
    documents.open(URI, "abc\n", 1)
    assert documents.change(URI, [Change((Position(*start), Position(*end)), "X")], 2, "utf-16").text == text


def test_line_ends_that_meet_become_one_and_come_apart_again() -> None:
    documents = OpenDocuments()
    documents.open(URI, "a\rb", 1)
    put = Change((Position(1, 0), Position(1, 0)), "\n")
    assert documents.change(URI, [put, put], 2, "utf-8").text == "a\r\n\nb"
    documents.open(URI, "a\r\nb", 3)
    assert documents.change(URI, [Change((Position(0, 1), Position(0, 1)), "\n")], 4, "utf-8").text == "a\n\r\nb"


def test_versions() -> None:
    """A lower one changes nothing; an equal one, or none, is what clients send that do not count."""
    documents = OpenDocuments()
    documents.open(URI, "a", 5)
    with pytest.raises(SyncError, match="has version 5 already; this is of version 4"):
        documents.change(URI, [Change(None, "b")], 4, "utf-16")
    assert documents.change(URI, [], 5, "utf-16").text == "a"
    assert documents.change(URI, [Change(None, "b")], None, "utf-16").text == "b"
    with pytest.raises(SyncError):
        documents.change(URI, [Change(None, "c")], 4, "utf-16")
    documents.open(URI, "again", 1)
    assert documents.change(URI, [], 1, "utf-16").text == "again"


def test_a_document_that_is_not_open_cannot_be_edited_or_closed() -> None:
    documents = OpenDocuments()
    documents.open(URI, "a", 1)
    documents.close(URI)
    with pytest.raises(SyncError, match="untitled:a is not open"):
        documents.change(URI, [Change(None, "b")], 2, "utf-16")
    with pytest.raises(SyncError, match="not open"):
        documents.close(URI)


def test_many_edits_in_a_large_text_cost_what_they_touch() -> None:
    """A word replaced on each of 20,000 lines, in one notification: about 0.1 s; edit by edit on the whole, minutes."""
    documents = OpenDocuments()
    documents.open(URI, "some line of text with a word in it\n" * 20_000, 1)
    changes = [Change((Position(line, 25), Position(line, 29)), "thing") for line in reversed(range(20_000))]
    began = time.perf_counter()
    after = documents.change(URI, changes, 2, "utf-16").text
    assert time.perf_counter() - began < 5
    assert after == "some line of text with a thing in it\n" * 20_000
