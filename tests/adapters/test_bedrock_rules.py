"""The stand-in for Bedrock itself, without our client: what it takes, what it refuses, and the frames it writes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from bedrock_standin import CARDS, ModelCard, RefusedError, Say, Text, Think, Use, frames, redacted, signature
from bedrock_standin.parsing import parsed, service_model
from bedrock_standin.replies import answer, events
from bedrock_standin.rules import RULES, refuse_unless_taken
from botocore.eventstream import ChecksumMismatch, EventStreamBuffer
from botocore.parsers import EventStreamJSONParser, create_parser

ANY = CARDS["example.forced-v1"]
ANY_ONLY = CARDS["example.any-only-v1"]
PLAIN = CARDS["example.plain-v1"]
THINKING = CARDS["example.thinking-v1"]
ADAPTIVE = CARDS["us.anthropic.claude-sonnet-5-5"]
SMALL = CARDS["example.small-v1"]

READ = {"toolSpec": {"name": "read_range", "inputSchema": {"json": {"type": "object"}}}}
TOOLS = {"tools": [READ]}


def user(*content: Mapping[str, Any]) -> dict[str, Any]:
    return {"role": "user", "content": list(content)}


def assistant(*content: Mapping[str, Any]) -> dict[str, Any]:
    return {"role": "assistant", "content": list(content)}


def text(said: str) -> dict[str, Any]:
    return {"text": said}


def use(id_: str = "a", **more: Any) -> dict[str, Any]:
    return {"toolUse": {"toolUseId": id_, "name": "read_range", "input": {}, **more}}


def result(id_: str = "a", **more: Any) -> dict[str, Any]:
    return {"toolResult": {"toolUseId": id_, "content": [text("{}")], **more}}


def reasoning(said: str, signed: str) -> dict[str, Any]:
    return {"reasoningContent": {"reasoningText": {"text": said, "signature": signed}}}


def request(*messages: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    return {"messages": list(messages), **more}


def thinking(kind: str, budget: int = 0, most: int = 4_000) -> dict[str, Any]:
    how = {"type": kind, **({"budget_tokens": budget} if budget else {})}
    return {"additionalModelRequestFields": {"thinking": how}, "inferenceConfig": {"maxTokens": most}}


def calls(*content: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    """A conversation in which one call is answered by a message with this content."""
    return request(user(text("Where?")), assistant(use()), user(*content), **{"toolConfig": TOOLS, **more})


def chosen(kind: str, **more: Any) -> dict[str, Any]:
    return {"toolConfig": {**TOOLS, "toolChoice": {kind: more}}}


ASKED = user(text("Where?"))
SIGNED = reasoning("hm", signature("hm"))
POINT = {"cachePoint": {"type": "default"}}

# A row: a request that the service takes, one that it does not, each for the same model.
SAMPLES: dict[str, tuple[ModelCard, dict[str, Any], dict[str, Any]]] = {
    "starts with user": (ANY, request(ASKED), request(assistant(text("Yes?")), ASKED)),
    "roles alternate": (ANY, request(ASKED, assistant(text("Here.")), ASKED), request(ASKED, ASKED)),
    "ends with user": (ANY, request(ASKED), request(ASKED, assistant(text("It is")))),
    "content not empty": (ANY, request(ASKED), request(user())),
    "text not blank": (ANY, request(ASKED), request(user(text(" \n")))),
    "result's text not blank": (ANY, calls(result()), calls(result(content=[text("")]))),
    "an error says something": (ANY, calls(result(status="error")), calls(result(status="error", content=[]))),
    "role of tool blocks": (
        ANY,
        calls(result()),
        request(user(text("Where?"), use()), assistant(text("a")), ASKED, toolConfig=TOOLS),
    ),
    "every call answered": (ANY, calls(result()), calls(text("Well?"))),
    "every answer called for": (ANY, calls(result()), calls(result(), result("b"))),
    "ids once": (
        ANY,
        request(ASKED, assistant(use("a"), use("b")), user(result("a"), result("b")), toolConfig=TOOLS),
        request(ASKED, assistant(use("a"), use("a")), user(result("a")), toolConfig=TOOLS),
    ),
    "results first": (ANY, calls(result(), text("Go on.")), calls(text("Go on."), result())),
    "toolConfig for tool blocks": (ANY, calls(result()), request(ASKED, assistant(use()), user(result()))),
    "tool names once": (ANY, request(ASKED, toolConfig=TOOLS), request(ASKED, toolConfig={"tools": [READ, READ]})),
    "schema is an object": (
        ANY,
        request(ASKED, toolConfig=TOOLS),
        request(ASKED, toolConfig={"tools": [{"toolSpec": {"name": "a", "inputSchema": {"json": {"type": "array"}}}}]}),
    ),
    "input is an object": (
        ANY,
        calls(result()),
        request(ASKED, assistant(use(input="{")), user(result()), toolConfig=TOOLS),
    ),
    "chosen tool is known": (
        ANY,
        request(ASKED, **chosen("tool", name="read_range")),
        request(ASKED, **chosen("tool", name="grep")),
    ),
    "choice is taken": (ANY_ONLY, request(ASKED, **chosen("any")), request(ASKED, **chosen("tool", name="read_range"))),
    "sampling is taken": (
        ADAPTIVE,
        request(ASKED, inferenceConfig={"maxTokens": 5}),
        request(ASKED, inferenceConfig={"temperature": 0.0}),
    ),
    "further fields are taken": (
        THINKING,
        request(ASKED, **thinking("enabled", 1_024)),
        request(ASKED, additionalModelRequestFields={"top_k": 5}),
    ),
    "kind of thinking": (
        ADAPTIVE,
        request(ASKED, **thinking("adaptive")),
        request(ASKED, **thinking("enabled", 1_024)),
    ),
    "room to think": (
        THINKING,
        request(ASKED, **thinking("enabled", 1_024, 1_025)),
        request(ASKED, **thinking("enabled", 1_024, 1_024)),
    ),
    "thinking not forced": (
        THINKING,
        request(ASKED, **thinking("enabled", 1_024), toolConfig=TOOLS),
        request(ASKED, **thinking("enabled", 1_024), **chosen("any")),
    ),
    "thinking goes on": (
        THINKING,
        request(ASKED, assistant(SIGNED, use()), user(result()), toolConfig=TOOLS, **thinking("enabled", 1_024)),
        calls(result(), **thinking("enabled", 1_024)),
    ),
    "reasoning unchanged": (
        THINKING,
        request(ASKED, assistant(SIGNED, text("Here.")), ASKED),
        request(ASKED, assistant(reasoning("hm ", signature("hm")), text("Here.")), ASKED),
    ),
    "reasoning is taken": (
        CARDS["example.forgets-reasoning-v1"],
        request(ASKED, assistant(text("Here.")), ASKED),
        request(ASKED, assistant(SIGNED, text("Here.")), ASKED),
    ),
    "streams with tools": (PLAIN, request(ASKED), request(ASKED, toolConfig=TOOLS)),
    "status is taken": (PLAIN, request(ASKED), calls(result(status="error"))),
    "results stand alone": (PLAIN, request(ASKED), calls(result(), text("Go on."))),
    "calls stand alone": (
        PLAIN,
        request(ASKED),
        request(ASKED, assistant(text("So:"), use()), user(result()), toolConfig=TOOLS),
    ),
    "caching is taken": (
        THINKING,
        request(ASKED, system=[text("a"), POINT]),
        request(ASKED, system=[text("a"), POINT]),
    ),
    "few cache points": (
        THINKING,
        request(user(text("a"), *[POINT] * 4)),
        request(user(text("a"), *[POINT] * 5)),
    ),
    "input fits": (SMALL, request(ASKED), request(user(text("word " * 500)))),
}
# Rows whose two requests are the same, and the model differs.
REFUSING = {"caching is taken": ANY}
STREAMED = {"streams with tools"}


def check(body: Mapping[str, Any], card: ModelCard, *, stream: bool = False) -> None:
    taken = parsed("ConverseStream" if stream else "Converse", "example.forced-v1", json.dumps(body).encode())
    refuse_unless_taken(taken, card, stream=stream)


def test_each_row_has_a_source_and_two_samples() -> None:
    assert {rule.name for rule in RULES} == SAMPLES.keys()
    assert all(rule.source.startswith("https://") for rule in RULES)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_row_lets_pass_what_the_service_takes(rule: Any) -> None:
    card, accepted, _ = SAMPLES[rule.name]
    check(accepted, card, stream=rule.name in STREAMED)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_a_row_refuses_what_the_service_refuses_and_no_row_before_it_does(rule: Any) -> None:
    card, _, refused = SAMPLES[rule.name]
    card = REFUSING.get(rule.name, card)
    with pytest.raises(RefusedError) as refusal:
        check(refused, card, stream=rule.name in STREAMED)
    taken = parsed("Converse", "example.forced-v1", json.dumps(refused).encode())
    assert refusal.value.sentence == rule.check(taken, card, rule.name in STREAMED)
    assert refusal.value.status == rule.status


@pytest.mark.parametrize(
    ("body", "said"),
    [
        pytest.param(request(ASKED, top_k=5), r"extraneous key \[top_k\]", id="an unknown member"),
        pytest.param(
            request(user({"text": "a", "cachePoint": {"type": "default"}})), "exactly one", id="two of a union"
        ),
        pytest.param(request(user({"txt": "a"})), r"extraneous key \[txt\]", id="an unknown member, deep"),
        pytest.param(request({"content": [text("a")]}), "role", id="what is required is missing"),
        pytest.param(request({"role": "tool", "content": [text("a")]}), "enum value set", id="no value of an enum"),
        pytest.param(request(ASKED, inferenceConfig={"temperature": 1.5}), "at most 1", id="above a maximum"),
        pytest.param(request(ASKED, inferenceConfig={"maxTokens": 0}), "maxTokens", id="below a minimum"),
        pytest.param(request(ASKED, inferenceConfig={"maxTokens": "5"}), "maxTokens", id="another type"),
        pytest.param(calls(result("a b")), "regular expression pattern", id="no match of a pattern"),
        pytest.param(calls(result("a" * 65)), "at most 64", id="longer than a maximum"),
        pytest.param(
            request(ASKED, toolConfig={"tools": [{"toolSpec": {"name": "a.b", "inputSchema": {"json": {}}}}]}),
            "regular expression pattern",
            id="a dot in a tool's name",
        ),
        pytest.param(request(ASKED, toolConfig={"tools": []}), "tools", id="no tools in a list of tools"),
        pytest.param(request(ASKED, system=[text("")]), "system", id="an empty system text"),
        pytest.param(request(ASKED, messages=None), "messages", id="null"),
        pytest.param(
            request(ASKED, assistant({"reasoningContent": {"redactedContent": "!"}}), ASKED),
            "no base64",
            id="no base64",
        ),
    ],
)
def test_a_request_that_breaks_the_services_model_is_refused(body: Mapping[str, Any], said: str) -> None:
    with pytest.raises(RefusedError, match=said) as refusal:
        check(body, ANY)
    assert refusal.value.code == "ValidationException"


def test_a_body_that_is_no_json_is_refused() -> None:
    with pytest.raises(RefusedError) as refusal:
        parsed("Converse", "example.forced-v1", b"{")
    assert refusal.value.code == "SerializationException"


def test_a_blob_arrives_as_bytes() -> None:
    body = request(ASKED, assistant({"reasoningContent": {"redactedContent": "aGk="}}), ASKED)
    taken = parsed("Converse", "example.forced-v1", json.dumps(body).encode())

    assert taken["messages"][1]["content"] == [{"reasoningContent": {"redactedContent": b"hi"}}]
    assert taken["modelId"] == "example.forced-v1"


SAID = Say((Think("hm, ünïcode"), Think("secret", redacted=True), Text("It is here: 🙂"), Use("read_range", {"a": 1})))


def read_back(data: bytes, size: int) -> list[dict[str, Any]]:
    """What botocore makes of frames that come in pieces of some bytes."""
    shape = service_model().operation_model("ConverseStream").output_shape.members["stream"]
    buffer, found = EventStreamBuffer(), []
    for piece in frames.pieces(data, size):
        buffer.add_data(piece)
        found += [EventStreamJSONParser().parse(event.to_response_dict(), shape) for event in buffer]
    return found


@pytest.mark.parametrize("size", [1, 7, 61, 100_000])
def test_botocore_reads_the_frames_back_whatever_the_pieces(size: int) -> None:
    found = read_back(b"".join(frames.event(*one) for one in events(SAID)), size)

    def deltas(*path: str) -> list[Any]:
        values = []
        for event in found:
            value: Any = event.get("contentBlockDelta", {}).get("delta", {})
            for name in path:
                value = value.get(name, {}) if isinstance(value, dict) else {}
            if value:
                values.append(value)
        return values

    assert found[0] == {"messageStart": {"role": "assistant"}}
    assert "".join(deltas("text")) == "It is here: 🙂"
    assert "".join(deltas("reasoningContent", "text")) == "hm, ünïcode"
    assert deltas("reasoningContent", "signature") == [signature("hm, ünïcode")]
    assert deltas("reasoningContent", "redactedContent") == [redacted("secret")]
    assert json.loads("".join(deltas("toolUse", "input"))) == {"a": 1}
    assert found[-2] == {"messageStop": {"stopReason": "tool_use"}}
    assert found[-1]["metadata"]["usage"]["inputTokens"] == 100


def test_botocore_reads_an_exception_back() -> None:
    buffer = EventStreamBuffer()
    buffer.add_data(frames.exception("throttlingException", "Too many tokens."))
    (event,) = buffer

    told = event.to_response_dict()
    assert told["status_code"] == 400
    assert told["headers"][":exception-type"] == "throttlingException"
    assert json.loads(told["body"]) == {"message": "Too many tokens."}


def test_botocore_finds_a_spoilt_frame() -> None:
    buffer = EventStreamBuffer()
    buffer.add_data(frames.spoilt(frames.event("messageStop", {"stopReason": "end_turn"})))

    with pytest.raises(ChecksumMismatch):
        list(buffer)


def test_botocore_reads_a_whole_answer_back() -> None:
    shape = service_model().operation_model("Converse").output_shape
    response = {"status_code": 200, "headers": {}, "body": json.dumps(answer(SAID)).encode()}

    found = create_parser("rest-json").parse(response, shape)
    assert found["output"]["message"]["content"] == [
        {"reasoningContent": {"reasoningText": {"text": "hm, ünïcode", "signature": signature("hm, ünïcode")}}},
        {"reasoningContent": {"redactedContent": redacted("secret")}},
        {"text": "It is here: 🙂"},
        {"toolUse": {"toolUseId": "tooluse_1", "name": "read_range", "input": {"a": 1}}},
    ]
    assert found["stopReason"] == "tool_use"
