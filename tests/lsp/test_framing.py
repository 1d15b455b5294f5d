"""A stream of bytes is cut into messages wherever it is torn, and what is no message is answered, not waited for."""

from __future__ import annotations

import pytest
from toolrag.lsp.framing import Body, Frames, FramingError, Skipped, frame

FIRST, SECOND = '{"é": 1}'.encode(), b"[]"
STREAM = (
    b"Content-Length: %d\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n" % len(FIRST)
    + FIRST
    + b"content-length:2\r\n\r\n"
    + SECOND
)


def items(*pieces: bytes, **limits: int) -> list[Body | Skipped]:
    frames = Frames(**limits)
    found: list[Body | Skipped] = []
    for piece in pieces:
        frames.feed(piece)
        while (item := frames.take()) is not None:
            found.append(item)
    return found


@pytest.mark.parametrize("at", range(len(STREAM) + 1))
def test_a_stream_may_be_torn_anywhere(at: int) -> None:
    assert items(STREAM[:at], STREAM[at:]) == [Body(FIRST), Body(SECOND)]


def test_a_stream_may_come_byte_by_byte() -> None:
    assert items(*(STREAM[at : at + 1] for at in range(len(STREAM)))) == [Body(FIRST), Body(SECOND)]


def test_what_is_framed_here_is_read_here() -> None:
    assert items(frame(FIRST) + frame(b"")) == [Body(FIRST), Body(b"")]


@pytest.mark.parametrize("cut", [1, 7, 10_000])
def test_a_message_that_is_too_large_is_refused_at_once_and_the_next_is_read(cut: int) -> None:
    """The refusal does not wait for the body: a client may have claimed a length and have no more to send."""
    head, rest = b"Content-Length: 21\r\n\r\n", b"x" * 21 + frame(SECOND)
    refusal, *after = items(head, *(rest[at : at + cut] for at in range(0, len(rest), cut)), max_body_bytes=20)
    assert refusal == Skipped("A message may have at most 20 bytes; this one has 21.")
    assert after == [Body(SECOND)]
    assert items(head, max_body_bytes=20) == [refusal]
    assert items(b"Content-Length: 20\r\n\r\n" + b"x" * 20, max_body_bytes=20) == [Body(b"x" * 20)]


def test_another_encoding_is_refused_and_the_next_message_is_read() -> None:
    head = b"Content-Length: 4\r\nContent-Type: application/vscode-jsonrpc; charset=utf-16\r\n\r\n"
    assert items(head + b"[\0]\0" + frame(SECOND)) == [Skipped("A message must be written in UTF-8."), Body(SECOND)]
    assert items(head.replace(b"utf-16", b"utf8") + b"[12]") == [Body(b"[12]")]  # how LSP 2 wrote it


@pytest.mark.parametrize(
    ("stream", "said"),
    [
        pytest.param(b"POST / HTTP/1.1\r\nHost: localhost\r\n", "Name: value", id="a browser's request"),
        pytest.param(b"POST /a: HTTP/1.1\r\nContent-Length: 2\r\n\r\n[]", "Name: value", id="with a colon in it"),
        pytest.param(b'{"jsonrpc": "2.0"}\n', "Name: value", id="JSON without headers"),
        pytest.param(b'{"', "Name: value", id="its first bytes"),
        pytest.param(b"Content-Length: 2\n\n[]", "CR LF", id="bare line feeds"),
        pytest.param(b"\r\nContent-Length: 2\r\n\r\n[]", "Name: value", id="an empty line too many"),
        pytest.param(b"Content-Type: x\r\n\r\n[]", "needs a Content-Length", id="no length"),
        pytest.param(b"Content-Length: -2\r\n\r\n[]", "a number of bytes", id="a negative length"),
        pytest.param(b"Content-Length: 2_0\r\n\r\n[]", "a number of bytes", id="an underscore"),
        pytest.param(b"Content-Length: two\r\n\r\n[]", "a number of bytes", id="a word"),
        pytest.param(b"Content-Length: \xd9\xa2\r\n\r\n[]", "a number of bytes", id="a digit of another script"),
        pytest.param(b"Content-Length: " + b"9" * 5_000 + b"\r\n\r\n", "a number of bytes", id="5,000 digits"),
        pytest.param(b"Content-Length: 99999999999999\r\n\r\n[]", "cannot have", id="more than there can be"),
        pytest.param(b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n[]", "twice", id="two lengths"),
        pytest.param(b"A: " + b"x" * 9_000, "more than 8,192 bytes", id="a header without an end"),
        pytest.param(b"A: b\r\n" * 2_000, "more than 8,192 bytes", id="headers without an end"),
    ],
)
def test_a_stream_that_is_not_framed_ends_with_a_reason_and_not_in_waiting(stream: bytes, said: str) -> None:
    frames = Frames()
    frames.feed(frame(SECOND) + stream)
    assert frames.take() == Body(SECOND)
    for _ in range(2):
        with pytest.raises(FramingError, match=said):
            frames.take()
        frames.feed(frame(SECOND))
