"""The stand-in for servers of OpenAI's shape itself, without our client: what it takes, what it refuses, what it writes."""

from __future__ import annotations

import http.client
import json
from collections.abc import Mapping
from typing import Any

import pytest
from openai_standin import (
    ALTERNATES,
    AUTO_SILENTLY,
    IGNORES_CHOICE,
    NO_SCHEMA,
    NO_STREAM_OPTIONS,
    NO_TOOLS,
    OPENAI,
    REASONING,
    REFUSES_OBJECTS,
    WITHOUT_STREAMING,
    Call,
    HttpError,
    Profile,
    RefusedError,
    Say,
    Standin,
    following,
    reads_then_answers,
    said_to,
)
from openai_standin.replies import chunks
from openai_standin.rules import RULES, refuse_unless_taken
from openai_standin.server import PATH

READ = {"type": "function", "function": {"name": "read_range", "parameters": {"type": "object"}}}
USER = {"role": "user", "content": "Where?"}
SYSTEM = {"role": "system", "content": "Be exact."}


def tool(**more: Any) -> dict[str, Any]:
    return {"type": "function", "function": {**READ["function"], **more}}  # type: ignore[dict-item]


def call(id_: str = "a", name: str = "read_range", arguments: Any = "{}") -> dict[str, Any]:
    return {"id": id_, "type": "function", "function": {"name": name, "arguments": arguments}}


def called(*calls: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": None, "tool_calls": list(calls), **more}


def result(id_: str = "a", content: str = "{}") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": id_, "content": content}


def request(*messages: Mapping[str, Any], **more: Any) -> dict[str, Any]:
    return {"model": "example-model", "messages": list(messages) or [USER], **more}


def without(name: str) -> dict[str, Any]:
    return {key: value for key, value in request().items() if key != name}


def form(**schema: Any) -> dict[str, Any]:
    return {"response_format": {"type": "json_schema", "json_schema": schema}}


def named(name: str) -> dict[str, Any]:
    return {"tools": [READ], "tool_choice": {"type": "function", "function": {"name": name}}}


OBJECT = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
CLOSED = {**OBJECT, "additionalProperties": False}
ANSWERED = request(USER, called(call()), result())

# A row: a request that is taken, and one that is not.
SAMPLES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "known members": (request(max_tokens=5), request(max_output_tokens=5)),
    "a model": (request(), without("model")),
    "messages": (request(), without("messages")),
    "known roles": (request(SYSTEM, USER), request({"role": "model", "content": "Hi."}, USER)),
    "known members of a message": (request(USER), request({**USER, "tool_call_id": "a"})),
    "calls are whole": (ANSWERED, request(USER, called(call(arguments={})), result())),
    "content, or calls": (ANSWERED, request(USER, {"role": "assistant", "content": None}, USER)),
    "content says something": (request(USER), request({"role": "user", "content": " \n"})),
    "arguments are objects": (ANSWERED, request(USER, called(call(arguments="[1]")), result())),
    "ids of 40 letters": (
        request(USER, called(call("a" * 40)), result("a" * 40)),
        request(USER, called(call("a" * 41)), result("a" * 41)),
    ),
    "ids once": (
        request(USER, called(call(), call("b")), result(), result("b")),
        request(USER, called(call()), result(), called(call()), result()),
    ),
    "results follow calls": (ANSWERED, request(USER, result())),
    "every call answered": (ANSWERED, request(USER, called(call(), call("b")), result(), USER)),
    "the user has the last word": (ANSWERED, request(USER, {"role": "assistant", "content": "It is"})),
    "system first": (request(SYSTEM, USER), request(USER, SYSTEM, USER)),
    "tools are whole": (request(tools=[READ]), request(tools=[])),
    "names are names": (request(tools=[tool(name="read-range")]), request(tools=[tool(name="read range")])),
    "names once": (request(tools=[READ, tool(name="grep")]), request(tools=[READ, READ])),
    "parameters are objects": (request(tools=[READ]), request(tools=[tool(parameters={"type": "array"})])),
    "a choice has tools": (request(tools=[READ], tool_choice="auto"), request(tool_choice="auto")),
    "the choice is known": (request(**named("read_range")), request(**named("grep"))),
    "the format is whole": (request(**form(name="a", schema=OBJECT)), request(**form(schema=OBJECT))),
    "strict is strict": (
        request(**form(name="a", schema=CLOSED, strict=True)),
        request(**form(name="a", schema=OBJECT, strict=True)),
    ),
    "options have a stream": (
        request(stream=True, stream_options={"include_usage": True}),
        request(stream_options={"include_usage": True}),
    ),
    "tokens are counted": (request(max_tokens=1), request(max_tokens=0)),
}


def test_every_row_has_a_sample_and_a_source() -> None:
    assert [rule.name for rule in RULES] == list(SAMPLES)
    assert all(rule.source.startswith("https://") for rule in RULES)


@pytest.mark.parametrize("name", SAMPLES)
def test_a_row_takes_what_is_right_and_refuses_what_is_wrong(name: str) -> None:
    taken, refused = SAMPLES[name]
    rule = next(rule for rule in RULES if rule.name == name)

    refuse_unless_taken(taken)
    with pytest.raises(RefusedError) as error:
        refuse_unless_taken(refused)
    assert error.value.sentence == rule.check(refused), "another row refuses it"


@pytest.mark.parametrize(
    "wrong",
    [
        pytest.param(request(tools=[{"type": "function"}]), id="a tool without a function"),
        pytest.param(request(tools=[tool(examples=[])]), id="a tool with what none has"),
        pytest.param(request(USER, {"role": "assistant", "content": "a", "tool_calls": []}, USER), id="no calls"),
        pytest.param(request(USER, called(call(arguments="{")), result()), id="arguments that are cut"),
        pytest.param(request(USER, called({"id": "a", "function": {}}), result()), id="a call without a type"),
        pytest.param(request(USER, called(call(name="")), result()), id="a call without a name"),
        pytest.param(request(USER, called(call()), USER, result()), id="a result too late"),
        pytest.param(request(USER, called(call()), result(), result()), id="two results of one call"),
        pytest.param(request(tools=[READ], tool_choice="any"), id="another service's choice"),
        pytest.param(request(tools=[READ], tool_choice={"name": "read_range"}), id="a choice of no type"),
        pytest.param(request(response_format={"type": "json"}), id="no format"),
        pytest.param(request(response_format={"type": "json_schema"}), id="a format without a schema"),
        pytest.param(request(**form(name="a b", schema=OBJECT)), id="a format's name with a blank"),
        pytest.param(request(**form(name="a", schema={**CLOSED, "required": []}, strict=True)), id="strict, optional"),
        pytest.param(request(max_tokens=True), id="tokens that are no number"),
        pytest.param(request(max_tokens=5, max_completion_tokens=5), id="tokens twice"),
        pytest.param({"model": "m", "messages": []}, id="no message"),
        pytest.param({"model": "m", "messages": ["Where?"]}, id="a message that is a text"),
        pytest.param(request({"role": "user", "content": None}), id="a user who says nothing"),
    ],
)
def test_what_else_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(RefusedError):
        refuse_unless_taken(wrong)


def post(service: Standin, body: object, *, path: str = PATH, key: str = "") -> tuple[int, str]:
    connection = http.client.HTTPConnection(service.server, timeout=10)
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    connection.request("POST", path, data, headers)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, text


def events(text: str) -> list[Any]:
    data = [line[6:] for line in text.split("\n") if line.startswith("data: ")]
    assert data.pop() == "[DONE]"
    return [json.loads(one) for one in data]


STREAM = {"stream": True, "stream_options": {"include_usage": True}}


def test_a_stream_has_the_text_the_calls_and_the_usage() -> None:
    said = Say("It is 🙂.", (Call("read_range", {"path": "ä.py"}),), tokens=(7, 3))
    with Standin(following(said)) as service:
        status, text = post(service, request(tools=[READ], **STREAM))

    assert status == 200
    found = events(text)
    deltas = [one["choices"][0]["delta"] for one in found if one["choices"]]
    assert "".join(delta.get("content") or "" for delta in deltas) == "It is 🙂."
    fragments = [one["function"]["arguments"] for delta in deltas for one in delta.get("tool_calls", ())]
    assert json.loads("".join(fragments)) == {"path": "ä.py"}
    assert len(fragments) > 2
    assert [one["choices"][0]["finish_reason"] for one in found if one["choices"]][-1] == "tool_calls"
    assert found[-1]["usage"] == {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}


def test_without_a_stream_the_answer_is_json() -> None:
    with Standin(following(Say("Here.", tokens=(7, 3)))) as service:
        status, text = post(service, request())

    found = json.loads(text)
    assert (status, found["choices"][0]["message"]["content"]) == (200, "Here.")
    assert found["usage"]["total_tokens"] == 10


@pytest.mark.parametrize(
    ("profile", "asked", "status"),
    [
        pytest.param(OPENAI, request(**named("read_range")), 200, id="OpenAI takes a named tool"),
        pytest.param(REFUSES_OBJECTS, request(**named("read_range")), 400, id="LM Studio does not"),
        pytest.param(REFUSES_OBJECTS, request(tools=[READ], tool_choice="required"), 200, id="it takes required"),
        pytest.param(NO_SCHEMA, request(**form(name="a", schema=OBJECT)), 400, id="no schema"),
        pytest.param(NO_SCHEMA, request(**named("read_range")), 200, id="no schema, but a tool"),
        pytest.param(NO_STREAM_OPTIONS, request(**STREAM), 422, id="no options of a stream"),
        pytest.param(NO_STREAM_OPTIONS, request(stream=True), 200, id="a stream without options"),
        pytest.param(NO_TOOLS, request(tools=[READ]), 400, id="no tools"),
        pytest.param(NO_TOOLS, request(**form(name="a", schema=OBJECT)), 200, id="no tools, but a schema"),
        pytest.param(REASONING, request(max_tokens=5), 400, id="the old name of the tokens"),
        pytest.param(REASONING, request(max_completion_tokens=5), 200, id="the new name"),
        pytest.param(AUTO_SILENTLY, request(**form(name="a", schema=OBJECT), tools=[READ]), 400, id="both"),
        pytest.param(AUTO_SILENTLY, request(**form(name="a", schema=OBJECT)), 200, id="a schema alone"),
        pytest.param(ALTERNATES, request(USER, called(call()), result(), USER), 400, id="a user after a tool"),
        pytest.param(ALTERNATES, ANSWERED, 200, id="a tool at the end"),
    ],
)
def test_a_profile_refuses_what_such_a_server_refuses(profile: Profile, asked: dict[str, Any], status: int) -> None:
    with Standin(following(Say("Here.")), profile) as service:
        assert post(service, asked)[0] == status
        assert service.broken == []


@pytest.mark.parametrize(
    ("profile", "choice", "calls"),
    [
        pytest.param(OPENAI, "required", True, id="OpenAI calls"),
        pytest.param(OPENAI, "none", False, id="and is kept from it"),
        pytest.param(IGNORES_CHOICE, "required", False, id="Ollama is not forced"),
        pytest.param(IGNORES_CHOICE, "none", True, id="nor kept from it"),
        pytest.param(AUTO_SILENTLY, "required", False, id="llama.cpp is not forced"),
        pytest.param(IGNORES_CHOICE, "auto", True, id="it calls if it likes"),
    ],
)
def test_a_profile_obeys_a_choice_or_not(profile: Profile, choice: str, calls: bool) -> None:
    with Standin(following(Say("Hm.", (Call("read_range"),))), profile) as service:
        _, text = post(service, request(tools=[READ], tool_choice=choice))

    assert bool(json.loads(text)["choices"][0]["message"].get("tool_calls")) is calls


def test_a_server_that_does_not_stream_answers_with_json_all_the_same() -> None:
    with Standin(following(Say("Here.")), WITHOUT_STREAMING) as service:
        assert json.loads(post(service, request(**STREAM))[1])["object"] == "chat.completion"


def test_the_key_the_path_and_the_json_are_looked_at() -> None:
    with Standin(following(Say("Here."), Say("Here.")), key="sk-right") as service:
        assert post(service, request(), key="sk-wrong")[0] == 401
        assert post(service, request(), key="sk-right", path="/chat/completions")[0] == 404
        assert post(service, b"{", key="sk-right")[0] == 400
        assert post(service, request(), key="sk-right", path=f"{PATH}?api-version=1")[0] == 200
        assert len(service.refused) == 3


def test_an_error_has_openai_s_form_or_the_bytes_of_the_script() -> None:
    busy = HttpError(429, "Slow down.", "requests", "rate_limit_exceeded")
    with Standin(following(busy, HttpError(502, body=b"<html>"))) as service:
        status, text = post(service, request())
        told = {"message": "Slow down.", "type": "requests", "param": None, "code": "rate_limit_exceeded"}
        assert (status, json.loads(text)) == (429, {"error": told})
        assert post(service, request()) == (502, "<html>")


@pytest.mark.parametrize("style", ["whole", "no_index", "one_index", "same_id", "no_id", "object", "repeats_name"])
def test_a_style_is_not_openai_s(style: Any) -> None:
    calls = (Call("read_range", {"path": "a.py"}, "a"), Call("grep", {"text": "b"}, "b"))
    other = list(chunks(Say("", calls, style=style), usage=False))

    assert other != list(chunks(Say("", calls), usage=False))


def test_a_reading_model_reads_and_then_answers_from_what_it_was_told() -> None:
    brain = reads_then_answers(lambda asked: {"path": said_to(asked)}, lambda asked: f"Read {asked['messages'][-1]}")
    first = brain(request(USER, tools=[READ]))
    assert first == Say("I look first.", (Call("read_range", {"path": "Where?"}, "call_1"),))
    assert brain(request(USER, called(call()), result(content='{"error": "x"}'), tools=[READ])) != Say("Read")
    assert str(brain(request(USER, called(call()), result(), tools=[READ]))).startswith("Say(text=\"Read {'role'")
    assert brain(request(**form(name="a", schema=OBJECT))) == Say('{"path": "Where?"}')
