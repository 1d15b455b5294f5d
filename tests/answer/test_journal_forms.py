"""What passes the ports becomes JSON and comes back equal; a chat's attributes have OpenTelemetry's names."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolrag.answer.journal import events, forms
from toolrag.chat import Hint, Reply, Said, ToolCall, ToolResult, ToolSpec, Turn
from toolrag.errors import ModelError, ReadError
from toolrag.ports import Candidate, Place, Scope, Searched
from toolrag.symbols import Span
from toolrag.text import Form, LineRange, Text, TextSnapshot

words = st.text(st.characters(), max_size=6)
ranges = st.tuples(st.integers(0, 9), st.integers(0, 9)).map(lambda pair: LineRange(min(pair), max(pair)))
spans = st.builds(
    Span, words, words, st.sampled_from(["class", "method"]), ranges, ranges, st.integers(0, 9), st.none() | ranges
)
numbers = st.floats(allow_nan=False)
tuples = st.lists(words, max_size=3).map(tuple)
candidates = st.builds(
    Candidate, words, words, words, words, words, st.none() | spans, st.none() | spans, ranges, words, numbers, numbers,
    tuples,
)  # fmt: skip
places = st.builds(Place, words, words, words, words, st.integers(0, 9), st.none() | spans)
searched = st.builds(Searched, st.integers(0, 9), st.integers(0, 9), st.booleans(), tuples, tuples, st.booleans())
arguments = st.one_of(words, st.dictionaries(words, st.integers() | words, max_size=3))
calls = st.lists(st.builds(ToolCall, words, words, arguments), max_size=3).map(tuple)
replies = st.builds(
    Reply, words, calls, st.sampled_from(["end", "tool_use", "length", "refused", "other"]),
    st.sampled_from(["tool", "any", "auto", "none", "schema"]), st.integers(0, 9), st.integers(0, 9),
    st.none() | st.dictionaries(words, words, max_size=2),
)  # fmt: skip


def through_json(value: Any) -> Any:
    return json.loads(json.dumps(value))


@given(candidates, places, searched, st.builds(Scope, tuples, tuples), replies)
def test_values_of_the_ports_come_back_equal(
    candidate: Candidate, place: Place, looked: Searched, scope: Scope, reply: Reply
) -> None:
    assert forms.candidate_of(through_json(forms.candidate(candidate))) == candidate
    assert forms.place_of(through_json(forms.place(place))) == place
    assert forms.searched_of(through_json(forms.searched(looked))) == looked
    assert forms.scope_of(through_json(forms.scope(scope))) == scope
    assert forms.reply_of(through_json(forms.reply(reply))) == reply


@pytest.mark.parametrize(
    "snapshot",
    [
        TextSnapshot("file:///r/a", "r", "a", Text("a\r\nb\ud800"), Form("utf-16-le", True, "\r\n"), "0" * 40, "disk"),
        TextSnapshot("untitled:1", "", "untitled:1", Text(""), Form(), "1" * 40, "buffer", 7, dirty=True),
    ],
)
def test_snapshots_come_back_equal(snapshot: TextSnapshot) -> None:
    back = forms.snapshot_of(through_json(forms.snapshot(snapshot)), through_json(forms.text(snapshot)))
    assert back.text.content == snapshot.text.content
    assert (back.uri, back.root, back.path, back.form, back.sha, back.source, back.version, back.dirty) == (
        snapshot.uri, snapshot.root, snapshot.path, snapshot.form, snapshot.sha, snapshot.source, snapshot.version,
        snapshot.dirty,
    )  # fmt: skip


def test_errors_come_back_with_all_they_carry() -> None:
    read = ReadError("stale_blob", "It changed.", sha="1", lines={"start": 1, "end": 2})
    back = forms.read_error_of(through_json(forms.read_error(read)))
    assert back.wire() == read.wire()
    model = ModelError("throttled", "Too many.", after=1.5)
    again = forms.model_error_of(through_json(forms.model_error(model)))
    assert (again.code, again.message, again.after) == ("throttled", "Too many.", 1.5)


def test_a_chat_has_opentelemetry_s_names() -> None:
    """https://github.com/open-telemetry/semantic-conventions-genai: client inference, input and output messages."""
    call = ToolCall("c1", "read_range", {"path": "a.py"})
    reply = Reply("Let me see.", (call,), "tool_use", "any", 11, 7)
    messages = (Said("why?"), reply, Said("Go on.", (ToolResult("c1", '{"text": "x"}', False),)))
    turn = Turn("Be true.", messages, (ToolSpec("read_range", "Reads.", {"type": "object"}),), "tool", "read_range",
                (Hint("a.py", 1, 2, "f"),), 500, 30.0)  # fmt: skip
    asked = events.chat_request("bedrock:anthropic.claude", turn)
    assert asked.keys() == set(events.CHAT_REQUEST)
    assert asked["gen_ai.operation.name"] == "chat"
    assert (asked["gen_ai.provider.name"], asked["gen_ai.request.model"]) == ("aws.bedrock", "anthropic.claude")
    assert asked["gen_ai.input.messages"][0] == {"role": "user", "parts": [{"type": "text", "content": "why?"}]}
    assert asked["gen_ai.input.messages"][1]["parts"] == [
        {"type": "text", "content": "Let me see."},
        {"type": "tool_call", "id": "c1", "name": "read_range", "arguments": {"path": "a.py"}},
    ]
    told = asked["gen_ai.input.messages"][2]
    assert (told["role"], [part["type"] for part in told["parts"]]) == ("tool", ["tool_call_response", "text"])
    heard = events.chat_reply(["Let ", "me see."], reply, None)
    assert heard["gen_ai.response.finish_reasons"] == ["tool_call"]
    assert (heard["gen_ai.usage.input_tokens"], heard["gen_ai.usage.output_tokens"]) == (11, 7)
    assert (asked["toolrag.choice"], heard["toolrag.rung"]) == ("tool", "any")
    failed = events.chat_reply(["Let "], None, ModelError("cut", "It ended."))
    assert (failed["error.type"], failed["toolrag.streamed"]) == ("cut", "Let ")


def test_a_tool_call_tells_which_sha_was_expected_and_which_was_found() -> None:
    kind, attributes = events.execute_tool(
        ToolCall("c1", "read_range", "no JSON"), {"error": "stale_blob", "message": "It changed."}, "a" * 40, "b" * 40
    )
    assert kind == "execute_tool"
    assert attributes["gen_ai.operation.name"] == "execute_tool"
    assert (attributes["gen_ai.tool.call.arguments"], attributes["error.type"]) == ("no JSON", "stale_blob")
    assert (attributes["toolrag.sha.expected"], attributes["toolrag.sha.found"]) == ("a" * 40, "b" * 40)
