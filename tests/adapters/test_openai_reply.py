"""Replies put together from chunks, and chunks from bytes: what servers send, in whatever pieces."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai_standin import Call, Say
from openai_standin.replies import answer, chunks
from toolrag.adapters.openai_chat.reply import MAX_CALLS, MAX_CHARACTERS, ReplyParts
from toolrag.adapters.openai_chat.sse import MAX_EVENT_BYTES, BrokenStreamError, Events
from toolrag.chat import Reply
from toolrag.errors import ModelError

CALLS = (Call("read_range", {"path": "ä.py", "start": 1}, "a"), Call("read_range", {"path": "b.py"}, "b"))
READ = [("read_range", {"path": "ä.py", "start": 1}), ("read_range", {"path": "b.py"})]


def take_all(parts: ReplyParts, chunks: Iterable[Any]) -> None:
    for chunk in chunks:
        parts.take(chunk)


def put_together(*parts: Mapping[str, Any], used: tuple[str, ...] = ()) -> Reply:
    found = ReplyParts()
    text = "".join(found.take(one) for one in parts)
    reply = found.whole("auto", used)
    assert reply.text == text
    return reply


def chunk(delta: Mapping[str, Any], finish: str | None = None) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": dict(delta), "finish_reason": finish}]}


def fragment(**more: Any) -> dict[str, Any]:
    return chunk({"tool_calls": [more]})


END = chunk({}, "stop")


def calls_of(reply: Reply) -> list[tuple[str, object]]:
    return [(call.name, call.arguments) for call in reply.calls]


@pytest.mark.parametrize(
    "style", ["fragments", "whole", "no_index", "one_index", "same_id", "no_id", "object", "repeats_name"]
)
def test_calls_come_whole_in_every_style_of_a_server(style: Any) -> None:
    reply = put_together(*chunks(Say("I look.", CALLS, style=style), usage=True))

    assert calls_of(reply) == READ
    assert len({call.id for call in reply.calls}) == 2
    assert (reply.text, reply.stop, reply.input_tokens, reply.output_tokens) == ("I look.", "tool_use", 100, 20)


def test_an_answer_that_was_not_streamed_is_one_chunk() -> None:
    reply = put_together({**answer(Say("I look.", CALLS)), "done": True})

    assert (calls_of(reply), reply.text, reply.input_tokens) == (READ, "I look.", 100)


def test_a_call_is_believed_whatever_the_reason_of_the_end() -> None:
    assert put_together(*chunks(Say("", CALLS, stop="stop"), usage=False)).stop == "tool_use"
    assert put_together(*chunks(Say("", CALLS, stop="length"), usage=False)).stop == "length"
    assert put_together(chunk({"content": "Hm"}), chunk({}, "tool_calls")).calls == ()


@pytest.mark.parametrize(
    ("finish", "stop"),
    [
        ("stop", "end"),
        ("length", "length"),
        ("tool_calls", "tool_use"),
        ("content_filter", "refused"),
        ("eos", "end"),
        ("unheard_of", "other"),
    ],
)
def test_a_reason_of_the_end(finish: str, stop: str) -> None:
    assert put_together(chunk({"content": "a"}), chunk({}, finish)).stop == stop


def test_a_refusal_is_the_text_of_a_reply_that_is_refused() -> None:
    reply = put_together(chunk({"refusal": "I will"}), chunk({"refusal": " not."}), END)

    assert (reply.text, reply.stop) == ("I will not.", "refused")


@pytest.mark.parametrize(
    ("written", "arguments"),
    [
        pytest.param("", {}, id="nothing"),
        pytest.param(" ", {}, id="a blank"),
        pytest.param('{"a": ', '{"a": ', id="cut JSON"),
        pytest.param("[1]", "[1]", id="a list"),
        pytest.param("null", "null", id="null"),
        pytest.param('{"a": ' + "[" * 201, '{"a": ' + "[" * 201, id="brackets"),
        pytest.param("1" * 5000, "1" * 5000, id="a number too long to read"),
    ],
)
def test_arguments_that_are_no_object_stay_a_text(written: str, arguments: object) -> None:
    parts = fragment(index=0, id="a", function={"name": "grep", "arguments": written})

    assert calls_of(put_together(parts, END)) == [("grep", arguments)]


def test_ids_are_short_unique_and_new_to_the_conversation() -> None:
    parts = [
        fragment(index=place, id=id_, function={"name": "grep", "arguments": "{}"})
        for place, id_ in enumerate(["a", "used", "x" * 41, "call00002", None])
    ]
    reply = put_together(*parts, END, used=("used", "call00001"))

    assert [call.id for call in reply.calls] == ["a", "call00002", "call00003", "call00004", "call00005"]


def test_text_parts_of_a_list_are_text_and_thoughts_are_not() -> None:
    parts = [{"type": "thinking", "thinking": [{"text": "hm"}]}, {"type": "text", "text": "It is"}, {"type": "text"}, 7]
    reply = put_together(chunk({"content": parts, "reasoning_content": "hm"}), chunk({"content": " here."}), END)

    assert reply.text == "It is here."


def test_half_a_letter_is_replaced_in_each_piece_alike() -> None:
    assert put_together(chunk({"content": "a\ud83d"}), chunk({"content": "\ude42"}), END).text == "a\ufffd\ufffd"


@pytest.mark.parametrize(
    "odd",
    [
        pytest.param({}, id="nothing"),
        pytest.param({"choices": None, "usage": None}, id="nulls"),
        pytest.param({"choices": [{"delta": None}]}, id="no delta"),
        pytest.param({"choices": [{"delta": {"content": 7, "tool_calls": 7}}]}, id="numbers"),
        pytest.param({"choices": [{"delta": {"tool_calls": [7, None]}}]}, id="calls that are none"),
        pytest.param({"choices": [{"finish_reason": 7}], "usage": {"prompt_tokens": "a"}}, id="a reason that is none"),
        pytest.param({"choices": [], "usage": {"prompt_tokens": -1, "completion_tokens": True}}, id="odd counts"),
        pytest.param({"done": "yes"}, id="a server's own member"),
    ],
)
def test_what_means_nothing_is_passed_over(odd: dict[str, Any]) -> None:
    reply = put_together(chunk({"content": "a"}), odd, END)

    assert (reply.text, reply.calls, reply.input_tokens, reply.output_tokens) == ("a", (), 0, 0)


@pytest.mark.parametrize(
    "parts",
    [
        pytest.param([chunk({"content": "It is"})], id="no end"),
        pytest.param([], id="nothing at all"),
        pytest.param([fragment(index=0, function={"arguments": "{}"}), END], id="a call without a name"),
        pytest.param([{"choices": [7]}, END], id="a choice that is none"),
    ],
)
def test_a_reply_that_is_not_whole_is_cut(parts: list[dict[str, Any]]) -> None:
    with pytest.raises(ModelError) as error:
        put_together(*parts)
    assert error.value.code == "cut"


def test_a_reply_that_does_not_stop_is_cut() -> None:
    for endless in (
        chunk({"content": "x" * 1_000}),
        fragment(index=0, function={"name": "a", "arguments": "x" * 1_000}),
    ):
        parts = ReplyParts()
        with pytest.raises(ModelError, match="does not stop"):
            take_all(parts, [endless] * (MAX_CHARACTERS // 1_000 + 1))


def test_calls_without_end_are_cut() -> None:
    parts = ReplyParts()
    calls = [fragment(index=place, function={"name": "a", "arguments": ""}) for place in range(MAX_CALLS + 1)]
    with pytest.raises(ModelError):
        take_all(parts, calls)


def datas(*pieces: bytes, most: int = 10_000) -> list[str]:
    events = Events(most)
    return [data for piece in pieces for data in events.take(piece)] + list(events.end())


STREAM = 'data: {"a": "ä🙂"}\n\n: a comment\nevent: x\r\nid: 1\r\ndata:b\r\rdata: c\ndata: d\n\ndata: [DONE]'.encode()
DATAS = ['{"a": "ä🙂"}', "b", "c\nd", "[DONE]"]


@given(st.lists(st.integers(0, len(STREAM)), max_size=30))
def test_events_come_whole_however_their_bytes_are_cut(cuts: list[int]) -> None:
    places = [0, *sorted(cuts), len(STREAM)]
    pieces = [STREAM[start:end] for start, end in itertools.pairwise(places)]

    assert datas(*pieces) == DATAS


def test_each_byte_may_come_alone() -> None:
    assert datas(*(STREAM[at : at + 1] for at in range(len(STREAM)))) == DATAS


def test_a_mark_of_the_byte_order_is_no_text() -> None:
    assert datas(b"\xef\xbb\xbfdata: a\n\n") == ["a"]


@pytest.mark.parametrize(
    ("pieces", "most"),
    [
        pytest.param([b"data: \xff\n\n"], 100, id="no UTF-8"),
        pytest.param([b"data: a\n\n"] * 20, 100, id="more than a reply has"),
        pytest.param([b"x" * 100_000] * 30, 10_000_000, id="a line without end"),
        pytest.param([b"data: " + b"x" * 100_000 + b"\n"] * 30, 10_000_000, id="an event without end"),
    ],
)
def test_what_is_no_stream_of_events_is_refused(pieces: list[bytes], most: int) -> None:
    assert MAX_EVENT_BYTES < 3_000_000
    with pytest.raises(BrokenStreamError):
        datas(*pieces, most=most)


_NAMES = (
    "choices delta message content tool_calls function arguments name index id finish_reason usage prompt_tokens refusal"
).split()

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(_NAMES), inner, max_size=4),
    max_leaves=12,
)


@given(st.lists(st.dictionaries(st.sampled_from(_NAMES), json_values, max_size=4), max_size=6))
def test_no_chunk_breaks_what_puts_them_together(parts: list[dict[str, Any]]) -> None:
    """Whatever JSON comes: a whole reply that is JSON again, or a ModelError."""
    try:
        reply = put_together(*parts, {"choices": [{"delta": {}, "finish_reason": "stop"}]})
    except ModelError:
        return
    assert json.dumps([[call.id, call.name, call.arguments] for call in reply.calls])
