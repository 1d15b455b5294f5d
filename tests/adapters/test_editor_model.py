"""The editor's own model: what it is asked, and what of its answers is believed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from editor_double import EditorClient, faults, wire_of
from hypothesis import given
from hypothesis import strategies as st
from toolrag.adapters.editor_model import EditorModel
from toolrag.adapters.editor_wire import MAX_CALLS, MAX_CHARACTERS, converse_request, reply_of
from toolrag.chat import Reply, Said, ToolCall, ToolResult, ToolSpec, Turn
from toolrag.errors import ModelError

READ = ToolSpec("read_range", "Reads lines.", {"type": "object", "properties": {"path": {"type": "string"}}})
GREP = ToolSpec("grep", "Finds lines.", {"type": "object", "properties": {}})
CALLED = Reply("", (ToolCall("a", "read_range", {"path": "ä.py"}), ToolCall("b", "grep", "{")), "tool_use", "any")
TOLD = Said("Go on.", (ToolResult("a", "{}", False), ToolResult("b", '{"error": "x"}', True)))
TURN = Turn("Be exact.", (Said("Where?"), CALLED, TOLD), (READ, GREP), "any", max_tokens=700)
FIRST = replace(TURN, messages=(Said("Where?"),))


def test_a_turn_is_asked_as_the_protocol_has_it() -> None:
    request = converse_request(TURN)

    assert request == {
        "messages": [
            {"role": "user", "text": "Be exact."},
            {"role": "user", "text": "Where?"},
            {
                "role": "assistant",
                "text": "",
                "toolCalls": [
                    {"id": "a", "name": "read_range", "input": {"path": "ä.py"}},
                    {"id": "b", "name": "grep", "input": {"unparsed": "{"}},
                ],
            },
            {
                "role": "user",
                "text": "Go on.",
                "toolResults": [
                    {"callId": "a", "text": "{}", "isError": False},
                    {"callId": "b", "text": '{"error": "x"}', "isError": True},
                ],
            },
        ],
        "tools": [
            {"name": "read_range", "description": "Reads lines.", "inputSchema": READ.parameters},
            {"name": "grep", "description": "Finds lines.", "inputSchema": GREP.parameters},
        ],
        "mustCall": True,
        "maxTokens": 700,
    }
    assert faults(json.loads(json.dumps(request))) == []


@pytest.mark.parametrize(
    ("turn", "must_call", "n_tools", "rung"),
    [
        pytest.param(replace(FIRST, choice="tool", tool="grep"), "grep", 2, "tool", id="a named tool"),
        pytest.param(FIRST, True, 2, "any", id="any"),
        pytest.param(replace(FIRST, choice="auto"), None, 2, "auto", id="either"),
        pytest.param(replace(FIRST, choice="answer"), None, 0, "none", id="an answer"),
        pytest.param(replace(TURN, choice="answer"), None, 2, "auto", id="an answer, and calls before it"),
        pytest.param(replace(FIRST, choice="auto", tools=()), None, 0, "none", id="no tools"),
    ],
)
def test_a_choice_is_what_must_be_called(turn: Turn, must_call: object, n_tools: int, rung: str) -> None:
    request = converse_request(turn)

    assert request.get("mustCall") == must_call
    assert isinstance(request["tools"], list)
    assert len(request["tools"]) == n_tools
    assert reply_of(wire_of(CALLED), turn).rung == rung


def test_blank_texts_are_not_sent() -> None:
    turn = replace(TURN, system=" ", messages=(Said(""), Reply("\n", (), "end", "auto"), Said(" ")))

    assert [message["text"] for message in converse_request(turn)["messages"]] == ["(empty)"] * 3  # type: ignore[attr-defined]


def test_what_the_model_was_really_made_to_do_is_the_rung() -> None:
    for forced, rung in (("tool", "tool"), ("any", "any"), ("auto", "auto"), ("schema", "any"), (7, "any")):
        assert reply_of({**wire_of(CALLED), "forced": forced}, FIRST).rung == rung


def test_an_answer_becomes_a_reply() -> None:
    answer = {
        "text": "I look.",
        "toolCalls": [
            {"id": "c", "name": "read_range", "input": {"path": "b.py"}},
            {"id": "a", "name": "grep"},
            {"name": "grep", "input": "{"},
            {"id": "c", "name": "grep", "input": [1]},
        ],
        "stop": "end",
        "usage": {"inputTokens": 7, "outputTokens": 3},
        "more": "is passed over",
    }
    reply = reply_of(answer, TURN)

    assert [(call.name, call.arguments) for call in reply.calls] == [
        ("read_range", {"path": "b.py"}),
        ("grep", {}),
        ("grep", "{"),
        ("grep", "[1]"),
    ]
    assert len({"a", "b", *(call.id for call in reply.calls)}) == 6, "ids are new to the conversation"
    assert (reply.text, reply.stop, reply.input_tokens, reply.output_tokens) == ("I look.", "tool_use", 7, 3)


@pytest.mark.parametrize(
    ("answer", "code", "why"),
    [
        pytest.param(None, "bad_request", "no object", id="nothing"),
        pytest.param([], "bad_request", "no object", id="a list"),
        pytest.param({"toolCalls": []}, "cut", "did not say how", id="no stop"),
        pytest.param({"toolCalls": [], "stop": 7}, "cut", "did not say how", id="a stop that is a number"),
        pytest.param({"stop": "end"}, "bad_request", "toolCalls", id="no calls"),
        pytest.param({"stop": "end", "toolCalls": {}}, "bad_request", "toolCalls", id="calls that are no list"),
        pytest.param({"stop": "end", "toolCalls": [7]}, "bad_request", "toolCalls[0]", id="a call that is a number"),
        pytest.param({"stop": "end", "toolCalls": [{"name": ""}]}, "bad_request", "toolCalls[0]", id="a nameless call"),
        pytest.param({"stop": "end", "toolCalls": [], "text": 7}, "bad_request", "text", id="a text that is a number"),
        pytest.param(
            {"stop": "end", "toolCalls": [], "text": "x" * (MAX_CHARACTERS + 1)}, "bad_request", "larger", id="too much"
        ),
        pytest.param(
            {"stop": "end", "toolCalls": [{"name": "a"}] * (MAX_CALLS + 1)}, "bad_request", "toolCalls", id="too many"
        ),
    ],
)
def test_junk_is_an_error_with_a_sentence(answer: object, code: str, why: str) -> None:
    with pytest.raises(ModelError) as error:
        reply_of(answer, TURN)
    assert error.value.code == code
    assert why in error.value.message
    assert error.value.message.endswith(".")


def test_an_unheard_of_stop_and_odd_counts_are_believed_in_nothing() -> None:
    reply = reply_of(
        {"toolCalls": [], "text": None, "stop": "x", "usage": {"inputTokens": -1, "outputTokens": True}}, TURN
    )

    assert (reply.text, reply.stop, reply.input_tokens, reply.output_tokens) == ("", "other", 0, 0)


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from("text toolCalls stop usage forced id name input".split()), inner, max_size=5
            )
        ),
        max_leaves=15,
    )
)
def test_no_answer_breaks_what_checks_it(answer: Any) -> None:
    try:
        reply = reply_of(answer, TURN)
    except ModelError:
        return
    assert isinstance(answer, dict)
    assert json.dumps([[call.id, call.name, call.arguments] for call in reply.calls])


def test_what_the_client_said_is_passed_on() -> None:
    said = ModelError("not_configured", "This editor has no model of its own.")

    async def converse(_: Mapping[str, object]) -> object:
        raise said

    async def ask() -> list[object]:
        return [piece async for piece in EditorModel(converse).reply(TURN)]

    with pytest.raises(ModelError) as error:
        asyncio.run(ask())
    assert error.value is said


def test_a_client_that_does_not_answer_is_cancelled_when_the_turn_is_over() -> None:
    client = EditorClient(ModelError("timeout", "As the script says."))

    async def ask() -> None:
        async for _ in EditorModel(client.converse).reply(replace(FIRST, seconds=0.1)):
            raise AssertionError("it said something")

    with pytest.raises(ModelError) as error:
        asyncio.run(ask())
    assert (error.value.code, client.cancelled) == ("timeout", 1)
