"""What a turn becomes for chat completions: built from the turn alone, and taken by the stand-in's table of rules."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from openai_standin.rules import refuse_unless_taken
from toolrag.adapters.openai_chat.features import ALL, Features, after_refusal, learned, remembered
from toolrag.adapters.openai_chat.request import chat_request, encoded, rung_of, schema_request
from toolrag.adapters.openai_chat.schema import arguments_of, wanted
from toolrag.chat import EMPTY, Hint, Reply, Said, ToolCall, ToolResult, ToolSpec, Turn

GOLDEN = Path(__file__).parent.parent / "golden" / "openai_request.json"
READ = ToolSpec(
    "read_range",
    "Reads lines of a file.",
    {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
)
SEARCH = ToolSpec("search_code", "Finds passages.", {"type": "object", "properties": {"query": {"type": "string"}}})
HINTS = (Hint("src/naïve.py", 1, 9, "aaa"), Hint("src/naïve.py", 20, 30, "aaa"))
HISTORY = (
    Said("Where is `naïve` parsed? 🔎"),
    Reply(
        "I look first.",
        (ToolCall("t1", "read_range", {"path": "src/naïve.py"}), ToolCall("t2", "read_range", '{"path": ')),
        "tool_use",
        "auto",
        opaque=[{"of": "another provider"}],
    ),
    Said("", (ToolResult("t1", '{"text": "def naïve():"}', False), ToolResult("t2", '{"error": "not_found"}', True))),
    Reply("", (ToolCall("t3", "search code", {"query": "\ud83d\ude42 \udcff"}),), "tool_use", "auto"),
    Said("Go on.", (ToolResult("t3", "{}", False),)),
    Reply(" \n", (), "end", "auto"),
    Said("Well?"),
)
TURN = Turn("Be exact.", HISTORY, (READ, SEARCH), "tool", "read_range", HINTS, max_tokens=700)


def sent(turn: Turn = TURN, features: Features = ALL) -> dict[str, Any]:
    """The body as it goes out, which breaks no rule."""
    found = json.loads(encoded(chat_request(turn, "example-model", features)))
    refuse_unless_taken(found)
    assert isinstance(found, dict)
    return found


def sent_for_schema(turn: Turn = TURN, features: Features = ALL) -> dict[str, Any]:
    wish = wanted(turn)
    assert wish is not None
    found = json.loads(encoded(schema_request(turn, "example-model", features, wish)))
    refuse_unless_taken(found)
    assert isinstance(found, dict)
    return found


def test_a_turn_is_sent_as_it_was_when_this_was_last_looked_at() -> None:
    """Both forms, whole. After a change that is meant: write the golden file anew from what is shown."""
    assert {"chat": sent(), "schema": sent_for_schema()} == json.loads(GOLDEN.read_text("utf-8"))


def test_a_schema_s_request_begins_as_one_in_words_so_that_a_server_need_not_read_it_anew() -> None:
    in_words, held = sent(TURN, replace(ALL, tools=False))["messages"], sent_for_schema()["messages"]

    assert held[:-1] == in_words[:-1]
    assert held[-1]["content"].startswith(in_words[-1]["content"])


def test_every_call_has_its_result_in_order_and_the_text_comes_last() -> None:
    roles = [(one["role"], one.get("tool_call_id")) for one in sent()["messages"]]

    assert roles == [
        ("system", None),
        ("user", None),
        ("assistant", None),
        ("tool", "t1"),
        ("tool", "t2"),
        ("assistant", None),
        ("tool", "t3"),
        ("user", None),
        ("assistant", None),
        ("user", None),
    ]


@pytest.mark.parametrize(
    ("arguments", "written"),
    [
        pytest.param({"a": "ä"}, '{"a": "ä"}', id="an object"),
        pytest.param({}, "{}", id="none"),
        pytest.param('{"a": [1]}', '{"a": [1]}', id="a text that is an object"),
        pytest.param("[1]", '{"unparsed": "[1]"}', id="a list"),
        pytest.param('{"a": ', '{"unparsed": "{\\"a\\": "}', id="cut JSON"),
        pytest.param("", '{"unparsed": ""}', id="an empty text"),
        pytest.param("[" * 100_000, json.dumps({"unparsed": "[" * 100_000}), id="brackets"),
    ],
)
def test_arguments_go_back_as_a_json_object(arguments: Any, written: str) -> None:
    said = Reply("", (ToolCall("a", "grep", arguments),), "tool_use", "auto")
    turn = replace(TURN, messages=(Said("Where?"), said, Said("", (ToolResult("a", "{}", False),))))

    assert sent(turn)["messages"][2]["tool_calls"][0]["function"]["arguments"] == written


def test_blank_texts_are_never_sent() -> None:
    turn = replace(TURN, system=" ", messages=(Said(" "), Reply("\n", (), "end", "auto"), Said("")))

    assert [one["content"] for one in sent(turn)["messages"]] == [EMPTY] * 3
    said = [one["content"] for one in sent_for_schema(turn)["messages"]]
    assert said[:2] == [EMPTY] * 2
    assert said[2].startswith(f"{EMPTY}\n\nNow call the tool read_range")


@pytest.mark.parametrize(
    ("choice", "taken", "expected", "rung"),
    [
        pytest.param("answer", "tool", "none", "none", id="only an answer"),
        pytest.param("auto", "tool", "auto", "auto", id="either"),
        pytest.param("any", "tool", "required", "any", id="any call"),
        pytest.param(
            "tool", "tool", {"type": "function", "function": {"name": "read_range"}}, "tool", id="a named one"
        ),
        pytest.param("tool", "any", "required", "any", id="a named one, where only any is taken"),
        pytest.param("any", "any", "required", "any", id="any, where any is taken"),
        pytest.param("tool", "auto", "auto", "auto", id="a named one, where none can be forced"),
        pytest.param("any", "auto", "auto", "auto", id="any, where none can be forced"),
        pytest.param("tool", "unsent", None, "auto", id="where a choice is not taken at all"),
        pytest.param("answer", "unsent", None, "auto", id="an answer, where a choice is not taken at all"),
    ],
)
def test_a_choice_is_the_strictest_that_is_taken(choice: Any, taken: Any, expected: object, rung: str) -> None:
    found = sent(replace(TURN, choice=choice), replace(ALL, choice=taken))

    assert found.get("tool_choice") == expected
    assert rung_of(found) == rung
    assert len(found["tools"]) == 2


def test_without_tools_there_is_no_choice() -> None:
    found = sent(replace(TURN, messages=(Said("Where?"),), tools=(), choice="auto", tool=""))

    assert not {"tools", "tool_choice"} & set(found)
    assert rung_of(found) == "none"


def test_what_is_not_taken_is_left_out() -> None:
    plain = Features("auto", usage=False, stream=True, tokens="max_completion_tokens")
    found = sent(TURN, plain)

    assert (found["stream"], found["max_completion_tokens"]) == (True, 700)
    assert not {"stream_options", "max_tokens", "temperature"} & set(found)
    assert not {"stream_options", "stream"} & set(sent(TURN, replace(ALL, stream=False)))


def test_a_history_in_words_says_every_call_and_result() -> None:
    text = json.dumps(sent(TURN, replace(ALL, tools=False)), ensure_ascii=False)

    for part in ("I look first.", "read_range", "src/naïve.py", "def naïve():", "not_found", "Go on.", "Well?"):
        assert part in text
    assert {one["role"] for one in json.loads(text)["messages"]} == {"system", "user", "assistant"}


def test_a_model_that_wrote_half_a_letter_breaks_no_request() -> None:
    assert "🙂 \ufffd" in encoded(chat_request(TURN, "m", ALL)).decode()


REFUSALS = [
    pytest.param(
        "Invalid tool_choice type: 'object'. Supported string values: none, auto", {"choice": "any"}, id="LM Studio"
    ),
    pytest.param("`tool choice` is unsupported", {"choice": "any"}, id="in two words"),
    pytest.param(
        "No endpoints found that support the provided 'tool_choice' value.", {"choice": "any"}, id="OpenRouter"
    ),
    pytest.param("No endpoints found that support tool use.", {"tools": False}, id="OpenRouter, no tools"),
    pytest.param("registry.ollama.ai/library/gemma:2b does not support tools", {"tools": False}, id="Ollama, no tools"),
    pytest.param("stream_options: extra fields not permitted", {"usage": False}, id="stream_options"),
    pytest.param(
        "Use 'max_completion_tokens' instead of 'max_tokens'.", {"tokens": "max_completion_tokens"}, id="tokens"
    ),
    pytest.param("Cannot use tools with stream", {"stream": False}, id="no stream"),
    pytest.param("Unexpected role 'user' after role 'tool'", {"mixed": False}, id="Mistral"),
    pytest.param("The model does not exist", None, id="something else"),
    pytest.param("", None, id="nothing"),
]


@pytest.mark.parametrize(("said", "change"), REFUSALS)
def test_a_refusal_takes_one_thing_away(said: str, change: dict[str, Any] | None) -> None:
    lower = after_refusal(ALL, chat_request(TURN, "m", ALL), said)

    assert lower == (None if change is None else replace(ALL, **change))


def test_the_ladder_ends() -> None:
    features, seen = ALL, []
    while (lower := after_refusal(features, chat_request(TURN, "m", features), "tool_choice")) is not None:
        features = lower
        seen.append(features.choice)
    assert seen == ["any", "auto", "unsent"]


def test_what_a_request_does_not_have_cannot_have_been_refused() -> None:
    bare = {"model": "m", "messages": []}
    words = "tool_choice tools response_format stream_options stream max_completion_tokens does not support tools"

    assert after_refusal(ALL, bare, words) is None


def test_a_schema_that_is_refused_is_not_asked_for_again() -> None:
    wish = wanted(TURN)
    assert wish is not None
    body = schema_request(TURN, "m", ALL, wish)
    straight = replace(ALL, straight=True)

    for said in ("This response_format type is unavailable now", "json_schema: unknown", "failed to parse grammar"):
        assert after_refusal(straight, body, said) == replace(ALL, schema=False, straight=False)


def test_what_is_learned_can_be_remembered() -> None:
    found = Features("any", tools=False, schema=False, straight=True, usage=False, tokens="max_completion_tokens")

    assert remembered(learned(ALL, found)) == found
    assert learned(found, found) == {}
    assert remembered({}) == ALL


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            '{"path": "src/naïve.py", "expect_sha": "aaa"}', {"path": "src/naïve.py", "expect_sha": "aaa"}, id="ok"
        ),
        pytest.param('{"path": "src/naïve.py", "expect_sha": ["b"]}', {"path": "src/naïve.py"}, id="a sha of none"),
        pytest.param('{"path": ["src"], "expect_sha": "b"}', {"path": ["src"], "expect_sha": "b"}, id="a path of none"),
        pytest.param('{"query": "x"}', {"query": "x"}, id="another tool's"),
        pytest.param("[1]", None, id="a list"),
        pytest.param('```json\n{"a": 1}\n```', None, id="fenced: no schema was held to"),
        pytest.param("[" * 100_000, None, id="brackets"),
        pytest.param("", None, id="nothing"),
    ],
)
def test_a_reply_held_to_a_schema_becomes_arguments(text: str, expected: object) -> None:
    assert arguments_of(text, HINTS) == expected


@pytest.mark.parametrize(
    ("turn", "name"),
    [
        pytest.param(TURN, "read_range", id="the named one"),
        pytest.param(replace(TURN, tool="search_code"), "search_code", id="another named one"),
        pytest.param(replace(TURN, choice="any", tool=""), "read_range", id="any: a read"),
        pytest.param(replace(TURN, choice="any", tool="", tools=(SEARCH,)), "search_code", id="any: the first"),
        pytest.param(replace(TURN, choice="auto", tool=""), None, id="either"),
        pytest.param(replace(TURN, choice="answer", tool=""), None, id="an answer"),
        pytest.param(replace(TURN, choice="any", tools=()), None, id="no tool"),
    ],
)
def test_a_call_is_wanted_where_it_is_forced(turn: Turn, name: str | None) -> None:
    found = wanted(turn)
    assert (found.tool.name if found else None) == name


def test_hints_fill_the_schema_of_a_read_once_each() -> None:
    schema = sent_for_schema()["response_format"]["json_schema"]

    assert schema["schema"]["properties"]["path"]["enum"] == ["src/naïve.py"]
    assert "expect_sha" not in schema["schema"]["properties"], "the tool has no such parameter here"
    assert sent_for_schema(replace(TURN, hints=()))["response_format"]["json_schema"]["schema"] == READ.parameters
