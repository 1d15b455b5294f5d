"""A model behind OpenAI's chat completions, against the stand-in: the ladder, the schema, keys and addresses."""

from __future__ import annotations

import asyncio
import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from openai_bench import (
    ARGUMENTS,
    AS_JSON,
    CALL,
    GREP,
    SAID,
    TALK,
    TURN,
    Serve,
    ask,
    asked,
    choices,
    fails,
    model,
    requests,
)
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
    HttpError,
    Profile,
    Say,
    Step,
)
from openai_standin.server import KEY
from toolrag.adapters.capabilities import FILE, Capabilities
from toolrag.chat import Reply, Said, ToolResult

NAMED = {"type": "function", "function": {"name": "read_range"}}


@pytest.mark.parametrize(
    ("profile", "script", "rung", "sent"),
    [
        pytest.param(OPENAI, (CALL, CALL), "tool", [NAMED, NAMED], id="a tool can be named"),
        pytest.param(REFUSES_OBJECTS, (CALL, CALL), "any", ["required"] * 2, id="any can be forced"),
        pytest.param(IGNORES_CHOICE, (TALK, AS_JSON, AS_JSON), "schema", [NAMED, "schema", "schema"], id="ignored"),
        pytest.param(AUTO_SILENTLY, (TALK, AS_JSON, AS_JSON), "schema", [NAMED, "schema", "schema"], id="silently"),
        pytest.param(NO_SCHEMA, (TALK, TALK), "tool", [NAMED, NAMED], id="ignored, and no schema"),
        pytest.param(NO_STREAM_OPTIONS, (CALL, CALL), "tool", [NAMED, NAMED], id="no stream_options"),
        pytest.param(REASONING, (CALL, CALL), "tool", [NAMED, NAMED], id="no max_tokens"),
        pytest.param(WITHOUT_STREAMING, (CALL, CALL), "tool", [NAMED, NAMED], id="no streaming"),
        pytest.param(NO_TOOLS, (TALK, AS_JSON, AS_JSON), "schema", [None, "schema", "schema"], id="no tools"),
    ],
)
def test_what_a_server_takes_is_found_within_one_reply_and_the_next_begins_there(
    serve: Serve, tmp_path: Path, profile: Profile, script: tuple[Step, ...], rung: str, sent: list[object]
) -> None:
    service = serve(profile, *script)
    path = tmp_path / "state" / FILE
    first = ask(model(service, Capabilities(path)))
    n_refused = len(service.refused)
    second = ask(model(service, Capabilities(path)))  # another process

    assert (first.rung, second.rung) == (rung, rung)
    assert choices(service) == sent
    assert len(service.refused) == n_refused
    assert service.broken == []
    if profile is not NO_SCHEMA:
        assert [call.arguments["path"] for reply in (first, second) for call in reply.calls] == ["a.py", "a.py"]  # type: ignore[index]


def test_a_call_that_does_not_come_is_asked_for_once_more_as_json(serve: Serve) -> None:
    service = serve(IGNORES_CHOICE, TALK, AS_JSON)
    reply = ask(model(service))

    assert [(call.name, call.arguments) for call in reply.calls] == [
        ("read_range", {**ARGUMENTS, "expect_sha": "aaa"}),
    ]
    assert (reply.text, reply.stop, reply.rung) == ("Hello!", "tool_use", "schema")
    assert (reply.input_tokens, reply.output_tokens) == (150, 10)
    schema = requests(service)[1]["response_format"]["json_schema"]
    assert schema == {
        "name": "read_range",
        "strict": True,
        "schema": {
            "type": "object",
            "properties": {
                "path": {"type": "string", "enum": ["a.py", "b.py"]},
                "start": {"type": "integer"},
                "end": {"type": "integer"},
                "expect_sha": {"type": "string", "enum": ["aaa", "bbb"]},
            },
            "required": ["path", "start", "end", "expect_sha"],
            "additionalProperties": False,
        },
    }
    assert "tools" not in requests(service)[1]


def test_a_model_that_talks_where_it_was_to_call_is_not_heard_out(serve: Serve) -> None:
    """The rest of its talk would take the run's time. What was sent and said is counted, since the server did not."""
    service = serve(IGNORES_CHOICE, Say("Once upon a time. " * 5_000, breaks="stall", after=100), AS_JSON)
    reply = ask(model(service))

    assert [call.name for call in reply.calls] == ["read_range"]
    assert 600 < len(reply.text) < 700
    assert service.taken[0].closed.wait(1)
    assert reply.output_tokens == len(reply.text) // 4 + 7
    assert reply.input_tokens == len(json.dumps(requests(service)[0], ensure_ascii=False)) // 4 + 50


def test_a_model_that_may_talk_is_heard_out(serve: Serve) -> None:
    said = "Once upon a time. " * 200
    turn = replace(TURN, choice="auto", tool="")
    for profile, asked_for in ((IGNORES_CHOICE, turn), (NO_SCHEMA, TURN)):
        service = serve(profile, Say(said), *([Say(said)] if profile is NO_SCHEMA else []))
        of = model(service)
        if profile is NO_SCHEMA:
            ask(of, asked_for)  # which finds that there is no schema
        assert ask(of, asked_for).text == said


def test_a_second_request_is_not_made_where_the_turn_has_no_tokens_for_it(serve: Serve) -> None:
    service = serve(IGNORES_CHOICE, replace(TALK, tokens=(690, 10)), TALK)
    reply = ask(model(service), replace(TURN, max_tokens=700))

    assert (len(service.taken), reply.calls, reply.input_tokens) == (1, (), 690)


def test_a_cap_of_replies_does_not_keep_a_call_from_being_asked_for(serve: Serve) -> None:
    service = serve(IGNORES_CHOICE, TALK, AS_JSON)

    assert ask(model(service, max_reply_tokens=50)).rung == "schema"
    assert [one["max_tokens"] for one in requests(service)] == [50, 50]


def test_another_tool_is_asked_for_by_its_own_parameters(serve: Serve) -> None:
    service = serve(IGNORES_CHOICE, TALK, Say('{"text": "x"}'))
    reply = ask(model(service), replace(TURN, tool="grep"))

    assert [(call.name, call.arguments) for call in reply.calls] == [("grep", {"text": "x"})]
    assert requests(service)[1]["response_format"]["json_schema"] == {"name": "grep", "schema": GREP.parameters}


def test_any_call_is_asked_for_as_a_read(serve: Serve) -> None:
    service = serve(IGNORES_CHOICE, TALK, AS_JSON, TALK, Say('{"text": "x"}'))

    assert ask(model(service), replace(TURN, choice="any", tool="")).calls[0].name == "read_range"
    other = replace(TURN, choice="any", tool="", tools=(GREP,))
    assert ask(model(service), other).calls[0].name == "grep"


def test_a_sha_of_another_file_is_left_out_of_the_call(serve: Serve) -> None:
    service = serve(IGNORES_CHOICE, TALK, Say(json.dumps({**ARGUMENTS, "expect_sha": "bbb"})))

    assert ask(model(service)).calls[0].arguments == ARGUMENTS


@pytest.mark.parametrize("choice", ["auto", "answer"])
def test_a_turn_that_need_not_call_is_asked_once(serve: Serve, choice: Any) -> None:
    service = serve(IGNORES_CHOICE, TALK)

    assert ask(model(service), replace(TURN, choice=choice, tool="")).text == "Hello!"
    assert choices(service) == ["none" if choice == "answer" else "auto"]


def test_a_refusal_is_not_asked_again_for_a_call(serve: Serve) -> None:
    service = serve(IGNORES_CHOICE, Say("", refusal="I will not."))
    reply = ask(model(service))

    assert (reply.stop, reply.text, reply.calls) == ("refused", "I will not.", ())
    assert len(service.taken) == 1


def test_a_server_that_takes_a_schema_and_does_not_hold_to_it_is_asked_for_none_again(serve: Serve) -> None:
    profile = replace(IGNORES_CHOICE, obeys_schema=False)
    service = serve(profile, TALK, AS_JSON, TALK)
    capabilities = Capabilities(None)
    reply = ask(model(service, capabilities))

    assert (reply.text, reply.calls, reply.rung) == ("Hello!", (), "tool")
    assert (reply.input_tokens, reply.output_tokens) == (150, 10), "what was spent is told"
    assert ask(model(service, capabilities)).calls == ()
    assert choices(service) == [NAMED, "schema", NAMED]


def test_a_schema_that_no_longer_helps_is_forgotten(serve: Serve) -> None:
    """A server that was changed: its reply is a text, which is shown, and the ladder begins anew."""
    service = serve(IGNORES_CHOICE, TALK, AS_JSON, Say("Now I talk."), TALK)
    capabilities = Capabilities(None)
    ask(model(service, capabilities))
    reply = ask(model(service, capabilities))

    assert (reply.text, reply.calls, reply.rung) == ("Now I talk.", (), "schema")
    assert ask(model(service, capabilities)).text == "Hello!"
    assert choices(service) == [NAMED, "schema", "schema", NAMED]


def test_json_that_ran_out_of_tokens_is_no_call_and_teaches_nothing(serve: Serve) -> None:
    service = serve(IGNORES_CHOICE, TALK, Say('{"path": "a.p', stop="length"), TALK, AS_JSON)
    capabilities = Capabilities(None)

    assert ask(model(service, capabilities)).calls == ()
    assert ask(model(service, capabilities)).rung == "schema"


def test_a_model_without_tools_is_told_in_words_what_it_called(serve: Serve) -> None:
    service = serve(NO_TOOLS, TALK, AS_JSON, SAID)

    async def converse() -> Reply:
        one = model(service)
        first = await asked(one)
        told = (ToolResult(first.calls[0].id, '{"text": "x = 1"}', False),)
        turn = replace(TURN, messages=(*TURN.messages, first, Said("", told)), choice="auto", tool="")
        return await asked(one, turn)

    assert asyncio.run(converse()).text == "It is here."
    last = requests(service)[-1]
    assert [message["role"] for message in last["messages"]] == ["system", "user", "assistant", "user"]
    assert "read_range" in last["messages"][2]["content"]
    assert "x = 1" in last["messages"][3]["content"]
    assert not {"tools", "tool_choice"} & set(last)


def test_a_server_that_wants_no_user_after_a_tool_has_the_text_in_the_result(serve: Serve) -> None:
    service = serve(ALTERNATES, CALL, SAID)

    async def converse() -> Reply:
        one = model(service)
        first = await asked(one)
        told = (ToolResult(first.calls[0].id, "{}", False),)
        turn = replace(TURN, messages=(*TURN.messages, first, Said("Last turn.", told)), choice="answer", tool="")
        return await asked(one, turn)

    assert asyncio.run(converse()).text == "It is here."
    assert requests(service)[-1]["messages"][-1]["content"] == "{}\n\nLast turn."


def test_what_did_not_help_is_not_learned(serve: Serve) -> None:
    capabilities = Capabilities(None)
    refusal = HttpError(400, "tool_choice, stream_options, stream: this is not it.")
    service = serve(OPENAI, *[refusal] * 12)

    assert fails(model(service, capabilities)).code == "bad_request"
    assert capabilities.get(f"openai {service.base_url} example-model") == {}
    assert len(service.taken) < 12


def test_a_refusal_that_is_streamed_takes_a_step_too(serve: Serve) -> None:
    told = {"message": "tool_choice is not supported", "type": "BadRequestError", "code": 400}
    service = serve(OPENAI, Say("", breaks="error", after=0, error=told), CALL)

    assert ask(model(service)).rung == "any"


def test_what_was_learned_of_one_server_is_not_believed_of_another(serve: Serve) -> None:
    capabilities = Capabilities(None)
    ignoring, obeying = serve(IGNORES_CHOICE, TALK, AS_JSON), serve(OPENAI, CALL)

    assert ask(model(ignoring, capabilities)).rung == "schema"
    assert ask(model(obeying, capabilities)).rung == "tool"


def test_what_was_learned_is_checked_when_it_is_read(serve: Serve) -> None:
    service = serve(OPENAI, CALL)
    capabilities = Capabilities(None)
    capabilities.learn(
        f"openai {service.base_url} example-model", choice="never", schema="no", stream=0, tokens=["x"], unheard=1
    )

    assert ask(model(service, capabilities)).rung == "tool"


def test_the_key_goes_to_the_server_and_into_no_file(serve: Serve, tmp_path: Path) -> None:
    service = serve(IGNORES_CHOICE, TALK, AS_JSON, key=KEY)
    path = tmp_path / "state" / FILE
    ask(model(service, Capabilities(path), api_key=KEY))

    assert service.taken[0].headers["Authorization"] == f"Bearer {KEY}"
    assert KEY not in path.read_text("utf-8")


def test_the_environment_says_where_the_server_is_and_what_its_key(serve: Serve) -> None:
    service = serve(OPENAI, CALL, key=KEY)
    with mock.patch.dict(os.environ, service.environment()):
        assert ask(model(service, base_url="")).calls


def test_the_settings_go_before_the_environment(serve: Serve) -> None:
    service = serve(OPENAI, CALL, key=KEY)
    other = {"OPENAI_BASE_URL": "http://127.0.0.1:1/v1", "OPENAI_API_KEY": "sk-other"}
    with mock.patch.dict(os.environ, other):
        assert ask(model(service, api_key=KEY)).calls


def test_a_proxy_of_the_environment_is_not_asked_for_a_server_on_this_machine(serve: Serve) -> None:
    service = serve(OPENAI, CALL)
    with mock.patch.dict(os.environ, {"HTTP_PROXY": "http://127.0.0.1:1", "ALL_PROXY": "http://127.0.0.1:1"}):
        assert ask(model(service)).calls
