"""What becomes of the events of a reply, however a model or the service ends it."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

import pytest
from bedrock_standin import Say, Text, Think, Use, redacted, signature
from bedrock_standin.replies import answer, events
from toolrag.adapters.bedrock.reply import MAX_BRACKETS, ReplyParts, events_of
from toolrag.chat import Reply, ToolCall
from toolrag.errors import ModelError


def streamed(say: Say) -> list[Mapping[str, Any]]:
    """The events as botocore gives them: blobs are bytes."""
    found = []
    for name, members in events(say):
        reasoning = members.get("delta", {}).get("reasoningContent", {})
        if "redactedContent" in reasoning:
            reasoning["redactedContent"] = redacted("hidden")
        found.append({name: members})
    return found


def whole(given: list[Mapping[str, Any]], used_ids: frozenset[str] = frozenset()) -> Reply:
    parts = ReplyParts()
    for event in given:
        parts.take(event)
    return parts.whole("auto", used_ids)


SAY = Say((Think("hm"), Text("I look."), Think("hidden", redacted=True), Use("read_range", {"path": "a"})), cached=30)


def test_reasoning_keeps_its_place_and_its_signature() -> None:
    reply = whole(streamed(SAY))

    assert reply.text == "I look."
    assert reply.calls == (ToolCall("tooluse_1", "read_range", {"path": "a"}),)
    assert reply.opaque == [
        {"reasoning": {"text": "hm", "signature": signature("hm")}},
        {"text": 7},
        {"redacted": base64.b64encode(redacted("hidden")).decode()},
        {"call": True},
    ]


def test_an_answer_that_was_not_streamed_is_the_same_reply() -> None:
    said = Say((Think("hm"), Text("I look."), Use("read_range", {"path": "a"})), tokens=(5, 6))

    assert whole(list(events_of(answer(said)))) == whole(streamed(said))


def test_tokens_read_from_a_cache_count_as_input() -> None:
    reply = whole(streamed(SAY))

    assert (reply.input_tokens, reply.output_tokens) == (130, 20)


def test_a_reply_without_reasoning_brings_nothing_of_its_own() -> None:
    assert whole(streamed(Say((Text("Here."),)))).opaque is None


@pytest.mark.parametrize(
    ("reason", "stop"),
    [
        ("end_turn", "end"),
        ("stop_sequence", "end"),
        ("tool_use", "tool_use"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("guardrail_intervened", "refused"),
        ("content_filtered", "refused"),
        ("malformed_tool_use", "other"),
        ("malformed_model_output", "other"),
        ("a_new_one", "other"),
    ],
)
def test_every_reason_to_stop_has_its_meaning(reason: str, stop: str) -> None:
    assert whole(streamed(Say((Text("So."),), stop=reason))).stop == stop


@pytest.mark.parametrize("text", ["", " \n"])
def test_a_context_that_was_full_before_a_word_is_too_long(text: str) -> None:
    with pytest.raises(ModelError) as error:
        whole(streamed(Say((Text(text),) if text else (), stop="model_context_window_exceeded")))
    assert error.value.code == "too_long"


@pytest.mark.parametrize(
    "given",
    [
        pytest.param([], id="nothing"),
        pytest.param(streamed(SAY)[:-2], id="no messageStop"),
        pytest.param(
            [
                {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"toolUse": {"input": "{}"}}}},
                {"messageStop": {"stopReason": "tool_use"}},
            ],
            id="a call that never began",
        ),
        pytest.param(list(events_of({})), id="an answer without anything in it"),
    ],
)
def test_what_is_not_whole_is_cut(given: list[Mapping[str, Any]]) -> None:
    with pytest.raises(ModelError) as error:
        whole(given)
    assert error.value.code == "cut"


def test_a_reply_whose_usage_never_came_is_whole() -> None:
    reply = whole(streamed(SAY)[:-1])

    assert (reply.text, reply.input_tokens, reply.output_tokens) == ("I look.", 0, 0)


@pytest.mark.parametrize(
    ("written", "arguments"),
    [
        pytest.param('{"a": [1]}', {"a": [1]}, id="an object"),
        pytest.param("", {}, id="none"),
        pytest.param('{"a": ', '{"a": ', id="half an object"),
        pytest.param("[1]", "[1]", id="a list"),
        pytest.param("null", "null", id="null"),
        pytest.param("path: a.py", "path: a.py", id="no JSON"),
        pytest.param("{" * 100_000, "{" * 100_000, id="deeper than a parser goes"),
        pytest.param(
            "[" * MAX_BRACKETS + "]" * MAX_BRACKETS, "[" * MAX_BRACKETS + "]" * MAX_BRACKETS, id="as deep as is read"
        ),
    ],
)
def test_arguments_are_an_object_or_the_text_that_the_model_wrote(written: str, arguments: Any) -> None:
    reply = whole(streamed(Say((Use("read_range", written),))))

    assert reply.calls[0].arguments == arguments


def test_ids_that_come_twice_are_made_different() -> None:
    say = Say((Use("a", id="x"), Use("b", id="x"), Use("c", id="y"), Use("d", id="")))
    ids = [call.id for call in whole(streamed(say), frozenset({"y", "call"})).calls]

    assert ids == ["x", "x-2", "y-2", "call-2"]


def test_a_long_id_stays_within_what_the_service_takes() -> None:
    say = Say((Use("a", id="x" * 64), Use("b", id="x" * 64)))

    assert all(len(call.id) <= 64 for call in whole(streamed(say)).calls)


def test_blocks_may_come_interleaved_and_unknown_events_are_passed_over() -> None:
    def delta(place: int, **what: Any) -> dict[str, Any]:
        return {"contentBlockDelta": {"contentBlockIndex": place, "delta": what}}

    reply = whole(
        [
            {"somethingNew": {}},
            delta(1, text="b"),
            delta(0, text="a"),
            delta(1, citation={"title": "x"}),
            delta(0, text="A"),
            {"messageStop": {"stopReason": "end_turn"}},
        ]
    )
    assert reply.text == "aAb"
