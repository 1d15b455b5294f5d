"""Lines, positions, hashes and decoding, each against git or a reference too plain to be wrong."""

from __future__ import annotations

import hashlib
import subprocess

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from toolrag.text import (
    Form,
    LineRange,
    NotTextError,
    Position,
    PositionEncoding,
    Text,
    blob_sha,
    decode,
    dominant_newline,
    fold,
    lines_sha,
    units,
)

ODD = "a\u00e9\u0e01\U0001f600 \t\n\r\f\v\x1c\x1d\x1e\x85\u2028\u2029\ufeff\u0301"
"""One of each: ASCII, two, three and four bytes of UTF-8, every line end and everything that only looks like one."""

odd_texts = st.text(st.sampled_from(ODD), max_size=40)
encodings: st.SearchStrategy[PositionEncoding] = st.sampled_from(("utf-8", "utf-16", "utf-32"))
CODECS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}


def slow_lines(text: str) -> list[tuple[str, str]]:
    """Each line with its end, a character at a time."""
    lines, line, at = [], "", 0
    while at < len(text):
        if text[at] in "\r\n":
            end = "\r\n" if text[at : at + 2] == "\r\n" else text[at]
            lines.append((line, end))
            line, at = "", at + len(end)
        else:
            line, at = line + text[at], at + 1
    return [*lines, (line, "")]


def slow_offset(text: str, position: Position, encoding: PositionEncoding) -> int:
    """A position's offset by cutting the encoded line; half a character at the cut is dropped."""
    lines = slow_lines(text)
    if position.line >= len(lines):
        return len(text)
    codec, width = CODECS[encoding]
    before = sum(len(line) + len(end) for line, end in lines[: position.line])
    cut = lines[position.line][0].encode(codec)[: position.character * width]
    return before + len(cut.decode(codec, "ignore"))


@given(odd_texts)
@example("")
@example("a\n\rb\r\r\nc\r\nd\ne\rf")
def test_the_line_table_is_that_of_a_plain_splitter(text: str) -> None:
    found = Text(text)
    expected = slow_lines(text)
    assert found.n_lines == len(expected)
    assert [found.line(index) for index in range(found.n_lines)] == [line for line, _ in expected]
    assert [found.slice(LineRange(at, at + 1)) for at in range(found.n_lines)] == [f"{a}{b}" for a, b in expected]
    assert found.slice(LineRange(0, found.n_lines)) == text
    assert fold(text) == "\n".join(line for line, _ in expected)


def test_mixed_line_ends_are_nine_lines() -> None:
    text = Text("1\n2\r\n3\r4\n\r6\r\r\n8\n9")
    assert text.lines(LineRange(0, 9)) == ["1", "2", "3", "4", "", "6", "", "8", "9"]
    assert text.n_lines == 9


@pytest.mark.parametrize("mark", "\f\v\x1c\x1d\x1e\x85\u2028\u2029")
def test_only_three_things_end_a_line(mark: str) -> None:
    assert Text(f"a{mark}b").n_lines == 1


def test_an_empty_text_has_one_line() -> None:
    assert (Text("").n_lines, Text("").line(0), Text("").slice(LineRange(0, 1))) == (1, "", "")


@pytest.mark.parametrize("outside", [LineRange(0, 3), LineRange(2, 3), LineRange(3, 3), LineRange(9, 9)])
def test_lines_and_slice_agree_on_what_is_outside(outside: LineRange) -> None:
    text = Text("a\nb")
    with pytest.raises(IndexError):
        text.lines(outside)
    with pytest.raises(IndexError):
        text.slice(outside)
    assert (text.lines(LineRange(2, 2)), text.slice(LineRange(2, 2))) == ([], "")
    for index in (-1, 2):
        with pytest.raises(IndexError):
            text.line(index)


@pytest.mark.parametrize(("start", "end"), [(-1, 0), (2, 1)])
def test_a_range_starts_in_the_text_and_does_not_run_backwards(start: int, end: int) -> None:
    with pytest.raises(ValueError, match="not a line range"):
        LineRange(start, end)


def test_ranges_contain_and_overlap() -> None:
    assert LineRange(2, 3) in LineRange(1, 4)
    assert LineRange(1, 5) not in LineRange(1, 4)
    assert LineRange(1, 3).overlaps(LineRange(2, 9))
    assert not LineRange(1, 3).overlaps(LineRange(3, 4))


@given(odd_texts, encodings, st.data())
def test_an_offset_becomes_a_position_and_the_same_offset_again(
    text: str, encoding: PositionEncoding, data: st.DataObject
) -> None:
    offset = data.draw(st.integers(0, len(text)))
    position = Text(text).position(offset, encoding)
    inside_an_end = text[offset - 1 : offset + 1] == "\r\n"
    assert Text(text).offset(position, encoding) == offset - inside_an_end
    assert position.line == len(slow_lines(text[:offset])) - 1 - inside_an_end


@given(odd_texts, encodings, st.lists(st.integers(-2, 45)).map(sorted))
def test_many_positions_at_once_are_each_its_own(text: str, encoding: PositionEncoding, offsets: list[int]) -> None:
    expected = [Text(text).position(offset, encoding) for offset in offsets]
    assert list(Text(text).positions(offsets, encoding)) == expected


@given(odd_texts, encodings, st.integers(0, 9), st.integers(0, 60))
def test_a_position_that_is_too_far_means_the_end_of_its_line_or_of_the_text(
    text: str, encoding: PositionEncoding, line: int, character: int
) -> None:
    position = Position(line, character)
    assert Text(text).offset(position, encoding) == slow_offset(text, position, encoding)


@pytest.mark.parametrize(("encoding", "length"), [("utf-8", 4), ("utf-16", 2), ("utf-32", 1)])
def test_a_position_inside_a_character_is_its_start(encoding: PositionEncoding, length: int) -> None:
    text = Text("x\U0001f600y")
    assert units("\U0001f600", encoding) == length
    assert [text.offset(Position(0, 1 + n), encoding) for n in range(length)] == [1] * length
    assert text.offset(Position(0, 1 + length), encoding) == 2


@given(odd_texts, odd_texts, encodings, *[st.integers(0, n) for n in (8, 30, 8, 30)])
def test_an_edit_is_that_of_a_slow_reference(
    text: str, new: str, encoding: PositionEncoding, line: int, character: int, end_line: int, end_character: int
) -> None:
    """Ranges that run backwards and past the ends too."""
    start, end = Position(line, character), Position(end_line, end_character)
    first, last = sorted(slow_offset(text, one, encoding) for one in (start, end))
    edited = Text(text).replaced(start, end, new, encoding)
    assert edited.content == text[:first] + new + text[last:]
    assert edited.n_lines == len(slow_lines(edited.content))


@pytest.mark.parametrize(
    ("data", "text", "form"),
    [
        pytest.param(b"", "", Form(), id="empty"),
        pytest.param(b"\xef\xbb\xbf", "", Form(bom=True), id="only a mark"),
        pytest.param("é\n".encode(), "é\n", Form(), id="UTF-8"),
        pytest.param("é\r\n".encode("utf-8-sig"), "é\r\n", Form(bom=True, newline="\r\n"), id="UTF-8 with a mark"),
        pytest.param(b"\xef\xbb\xbf\xef\xbb\xbfa", "\ufeffa", Form(bom=True), id="two marks"),
        pytest.param(b"\xff\xfe" + "é\r".encode("utf-16-le"), "é\r", Form("utf-16-le", True, "\r"), id="UTF-16 LE"),
        pytest.param(b"\xfe\xff" + "\U0001f600".encode("utf-16-be"), "\U0001f600", Form("utf-16-be", True), id="BE"),
    ],
)
def test_what_an_editor_opens_as_text_is_decoded_and_written_back_the_same(data: bytes, text: str, form: Form) -> None:
    assert decode(data) == (text, form)
    assert form.encode(text) == data


@pytest.mark.parametrize(
    "data",
    [
        pytest.param("# -*- coding: latin-1 -*-\né".encode("latin-1"), id="Latin-1 with a cookie"),
        pytest.param("日本語".encode("shift-jis"), id="Shift-JIS"),
        pytest.param("中文".encode("gb18030"), id="GB18030"),
        pytest.param("text".encode("utf-16-le"), id="UTF-16 without a mark"),
        pytest.param(b"a\0b", id="a NUL"),
        pytest.param(b"a" * 9_000 + b"\0", id="a NUL after 9,000 bytes"),
        pytest.param("text".encode("utf-32"), id="UTF-32"),
        pytest.param(b"\x00\x00\xfe\xff" + "text".encode("utf-32-be"), id="UTF-32 BE"),
        pytest.param(b"\xff\xfea\0b", id="half a UTF-16 unit"),
        pytest.param(b"\xff\xfe\x00\xd8", id="half a surrogate pair"),
        pytest.param("\ud800".encode("utf-8", "surrogatepass"), id="a surrogate in UTF-8"),
        pytest.param(b"PK\x03\x04\x14\x00\x08\x00", id="an archive"),
        pytest.param(b"\xc0\xaf", id="an overlong slash"),
    ],
)
def test_what_does_not_decode_is_not_text(data: bytes) -> None:
    with pytest.raises(NotTextError):
        decode(data)


def test_a_refusal_says_where() -> None:
    with pytest.raises(NotTextError, match="byte 4 is not UTF-8"):
        decode(b"\xef\xbb\xbfa\xff")


forms = st.builds(Form, st.just("utf-8"), st.booleans(), st.sampled_from(("\n", "\r\n", "\r"))) | st.builds(
    Form, st.sampled_from(("utf-16-le", "utf-16-be")), st.just(True), st.sampled_from(("\n", "\r\n", "\r"))
)


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")), forms)
def test_what_a_form_encodes_decodes_to_the_same_text_and_bytes(text: str, form: Form) -> None:
    if not form.bom:
        text = text.removeprefix("\ufeff")
    data = form.encode(text)
    again, found = decode(data)
    assert fold(again) == fold(text)
    assert found.encode(again) == data
    assert (found.encoding, found.bom) == (form.encoding, form.bom)
    assert len(slow_lines(text)) == 1 or found.newline == form.newline


def test_a_lone_surrogate_of_a_buffer_can_be_hashed() -> None:
    assert Form().encode("\ud800") == b"\xed\xa0\x80"
    assert len(Text("\ud800").sha_of(LineRange(0, 1))) == 64


@pytest.mark.parametrize("data", [b"", b"a\n", b"a\r\nb", b"\xef\xbb\xbfx", b"\0\xff" * 5_000])
def test_a_blob_sha_is_git_s(data: bytes) -> None:
    command = ["git", "hash-object", "--no-filters", "--stdin"]
    assert (
        blob_sha(data) == subprocess.run(command, input=data, capture_output=True, check=True).stdout.decode().strip()
    )


def test_line_ends_change_the_blob_and_not_the_lines() -> None:
    lf, crlf = Text("a\n\nb\n"), Text("a\r\n\r\nb\r\n")
    every = LineRange(0, 4)
    assert blob_sha(lf.content.encode()) != blob_sha(crlf.content.encode())
    assert lf.sha_of(every) == crlf.sha_of(every) == hashlib.sha256(b"a\n\nb\n").hexdigest()
    assert lf.sha_of(LineRange(0, 3)) == lines_sha(["a", "", "b"]) == hashlib.sha256(b"a\n\nb").hexdigest()


def test_nothing_is_normalised() -> None:
    composed, decomposed = Text("caf\u00e9"), Text("cafe\u0301")
    assert composed.sha_of(LineRange(0, 1)) != decomposed.sha_of(LineRange(0, 1))


@pytest.mark.parametrize(
    ("text", "newline"),
    [
        ("", "\n"),
        ("a", "\n"),
        ("a\r\nb\nc\r\n", "\r\n"),
        ("a\rb\rc\n", "\r"),
        ("a\r\nb\n", "\n"),
        ("a\r\nb\r", "\r\n"),
        ("a\rb\n", "\n"),
    ],
)
def test_the_line_end_used_most_wins_and_on_a_tie_the_plainer_one(text: str, newline: str) -> None:
    assert dominant_newline(text) == newline
