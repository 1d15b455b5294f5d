"""What is sent to Bedrock for a turn, byte for byte, and what a model's refusals change in it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from bedrock_standin.parsing import parsed, service_model
from botocore.serialize import create_serializer
from toolrag.adapters.bedrock.features import Features, after_refusal, known, learned, remembered
from toolrag.adapters.bedrock.request import converse_request, rung_of
from toolrag.chat import EMPTY, Reply, Said, ToolCall, ToolResult, ToolSpec, Turn
from toolrag.config import BedrockSettings

GOLDEN = Path(__file__).parent.parent / "golden" / "bedrock_request.json"
MODEL = "eu.anthropic.claude-sonnet-4-5-20250929-v1:0"
READ = ToolSpec(
    "read_range",
    "Reads lines of a file.",
    {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
)
SEARCH = ToolSpec("search_code", "Finds passages.", {"type": "object", "properties": {"query": {"type": "string"}}})
PLAIN = BedrockSettings()
SIGNED = {"reasoning": {"text": "Zuerst lesen… \n", "signature": "c2lnbmVk"}}
HISTORY = (
    Said("Where is `naïve` parsed? 🔎"),
    Reply(
        "I look first.",
        (ToolCall("t1", "read_range", {"path": "src/naïve.py"}), ToolCall("t2", "read_range", '{"path": ')),
        "tool_use",
        "auto",
        opaque=[SIGNED, {"text": 13}, {"call": True}, {"call": True}],
    ),
    Said("", (ToolResult("t1", '{"text": "def naïve():"}', False), ToolResult("t2", '{"error": "not_found"}', True))),
    Reply(
        "",
        (ToolCall("t3", "search_code", {"query": "\ud83d\ude42 \udcff"}),),
        "tool_use",
        "auto",
        opaque=[{"redacted": "aGlkZGVu"}, {"call": True}],
    ),
    Said("Two turns are left.", (ToolResult("t3", "{}", False),)),
)
TURN = Turn("Cite what you read.\nNever more.", HISTORY, (READ, SEARCH), "any", max_tokens=1_500)


def body_of(request: Mapping[str, Any]) -> bytes:
    """What botocore sends."""
    operation = service_model().operation_model("ConverseStream")
    return bytes(create_serializer("rest-json").serialize_to_request(dict(request), operation)["body"])


def test_a_request_is_this_byte_for_byte() -> None:
    """Texts outside ASCII, errors as results, arguments that are no object, reasoning in place, caching, a guardrail."""
    settings = BedrockSettings(guardrail="gr1", guardrail_version="3", prompt_caching=True, thinking_tokens=2_000)
    body = body_of(converse_request(TURN, MODEL, settings, known(MODEL)))
    written = json.dumps(json.loads(body), indent=2, ensure_ascii=False) + "\n"

    assert written == GOLDEN.read_text("utf-8")
    parsed("ConverseStream", MODEL, body)


def test_the_same_turn_is_the_same_request_every_time() -> None:
    first, second = (body_of(converse_request(TURN, MODEL, PLAIN, Features())) for _ in range(2))

    assert first == second


def request(turn: Turn = TURN, settings: BedrockSettings = PLAIN, **features: Any) -> dict[str, Any]:
    return converse_request(turn, MODEL, settings, replace(Features(), **features))


def said(text: str = "Where?", **more: Any) -> Turn:
    return replace(Turn("", (Said(text),), (READ, SEARCH), "auto"), **more)


@pytest.mark.parametrize(
    ("choice", "best", "sent", "rung"),
    [
        pytest.param("tool", "tool", {"tool": {"name": "read_range"}}, "tool", id="a tool, and it can be named"),
        pytest.param("tool", "any", {"any": {}}, "any", id="a tool, and one can be forced"),
        pytest.param("tool", "auto", None, "auto", id="a tool, and none can be forced"),
        pytest.param("any", "tool", {"any": {}}, "any", id="any"),
        pytest.param("any", "auto", None, "auto", id="any, and none can be forced"),
        pytest.param("auto", "tool", None, "auto", id="auto"),
    ],
)
def test_a_choice_is_sent_as_strictly_as_the_model_takes_it(choice: Any, best: Any, sent: Any, rung: str) -> None:
    made = request(said(choice=choice, tool="read_range"), choice=best)

    assert made["toolConfig"].get("toolChoice") == sent
    assert rung_of(made) == rung


def test_a_turn_that_may_only_answer_has_no_tools_unless_its_history_does() -> None:
    assert "toolConfig" not in request(said(choice="answer"))
    assert rung_of(request(said(choice="answer"))) == "none"
    after = request(replace(TURN, choice="answer"))
    assert "toolChoice" not in after["toolConfig"]
    assert rung_of(after) == "auto"


def test_a_history_with_calls_and_a_turn_without_tools_still_has_a_config() -> None:
    specs = request(replace(TURN, tools=(), choice="auto"))["toolConfig"]["tools"]

    assert [one["toolSpec"]["name"] for one in specs] == ["read_range", "search_code"]


def test_sampling_is_left_to_the_model() -> None:
    assert request()["inferenceConfig"] == {"maxTokens": 1_500}


def test_a_model_that_thinks_is_not_forced_and_has_its_thinking_beside_its_reply() -> None:
    made = request(said(choice="any", max_tokens=1_000), BedrockSettings(thinking_tokens=2_000))

    assert made["additionalModelRequestFields"] == {"thinking": {"type": "enabled", "budget_tokens": 2_000}}
    assert made["inferenceConfig"] == {"maxTokens": 3_000}
    assert rung_of(made) == "auto"


def test_a_budget_to_think_is_at_least_what_the_service_takes() -> None:
    made = request(said(), BedrockSettings(thinking_tokens=5))

    assert made["additionalModelRequestFields"]["thinking"]["budget_tokens"] == 1_024


def test_a_model_that_decides_itself_how_long_it_thinks_is_given_no_budget() -> None:
    made = request(said(), BedrockSettings(thinking_tokens=2_000), thinking="adaptive")

    assert made["additionalModelRequestFields"] == {"thinking": {"type": "adaptive"}}


def test_a_model_does_not_begin_to_think_while_its_calls_are_answered() -> None:
    forced = replace(HISTORY[1], opaque=None)
    turn = replace(TURN, messages=(HISTORY[0], forced, HISTORY[2]))
    made = request(turn, BedrockSettings(thinking_tokens=2_000))

    assert "additionalModelRequestFields" not in made
    assert rung_of(made) == "any"


def test_a_model_that_cannot_think_is_forced_instead() -> None:
    made = request(said(choice="any"), BedrockSettings(thinking_tokens=2_000), thinking="none")

    assert "additionalModelRequestFields" not in made
    assert rung_of(made) == "any"


POINT = {"cachePoint": {"type": "default"}}


@pytest.mark.parametrize(
    ("caching", "in_system", "in_messages"),
    [
        pytest.param("all", True, True, id="everywhere"),
        pytest.param("system", True, False, id="system alone"),
        pytest.param("none", False, False, id="nowhere"),
    ],
)
def test_what_stays_the_same_is_marked_where_the_model_takes_it(
    caching: str, in_system: bool, in_messages: bool
) -> None:
    made = request(TURN, BedrockSettings(prompt_caching=True), caching=caching)

    assert (made["system"][-1] == POINT) is in_system
    assert (made["messages"][-1]["content"][-1] == POINT) is in_messages
    assert POINT not in request(TURN, PLAIN, caching=caching)["system"]


def test_where_texts_may_not_stand_beside_tool_blocks_they_are_told_with_the_last_result() -> None:
    messages = request(mixed=False)["messages"]

    assert [next(iter(block)) for block in messages[1]["content"]] == ["reasoningContent", "toolUse", "toolUse"]
    assert messages[4]["content"] == [
        {"toolResult": {"toolUseId": "t3", "content": [{"text": "{}"}, {"text": "Two turns are left."}]}}
    ]


def test_where_reasoning_may_not_go_back_it_does_not() -> None:
    content = request(reasoning=False)["messages"][1]["content"]

    assert [next(iter(block)) for block in content] == ["text", "toolUse", "toolUse"]


def test_a_model_without_statuses_is_told_of_errors_by_their_text_alone() -> None:
    results = request(status=False)["messages"][2]["content"]

    assert all("status" not in block["toolResult"] for block in results)
    assert request()["messages"][2]["content"][1]["toolResult"]["status"] == "error"


@pytest.mark.parametrize("text", ["", " \n\t", "\u2003"])
def test_blank_texts_are_never_sent(text: str) -> None:
    turn = replace(
        said(),
        system=text,
        messages=(Said(text), Reply(text, (), "end", "auto"), Said("", (ToolResult("a", text, True),))),
    )
    made = request(turn)

    assert "system" not in made
    assert [made["messages"][place]["content"] for place in (0, 1)] == [[{"text": EMPTY}]] * 2
    assert made["messages"][2]["content"][0]["toolResult"]["content"] == [{"text": EMPTY}]


def test_a_blank_text_between_reasoning_and_a_call_is_left_out() -> None:
    reply = Reply(
        "\n\n", (ToolCall("a", "read_range", {}),), "tool_use", "auto", opaque=[SIGNED, {"text": 2}, {"call": True}]
    )
    made = request(replace(said(), messages=(Said("a"), reply, Said("", (ToolResult("a", "{}", False),)))))

    assert [next(iter(block)) for block in made["messages"][1]["content"]] == ["reasoningContent", "toolUse"]


@pytest.mark.parametrize("opaque", [None, [], "text", [1], [{"text": 99}], [{"call": True}] * 9, [{"reasoning": 1}]])
def test_a_reply_goes_back_whole_whatever_another_provider_put_beside_it(opaque: object) -> None:
    reply = replace(HISTORY[1], opaque=opaque)
    content = request(replace(TURN, messages=(HISTORY[0], reply, HISTORY[2])))["messages"][1]["content"]

    assert [block["text"] for block in content if "text" in block] == ["I look first."]
    assert [block["toolUse"]["toolUseId"] for block in content if "toolUse" in block] == ["t1", "t2"]


@pytest.mark.parametrize(
    ("name", "sent"),
    [
        pytest.param("read_range", "read_range", id="a name"),
        pytest.param("$READ FILE", "_READ_FILE", id="other characters"),
        pytest.param("", "unnamed", id="none"),
        pytest.param("a" * 99, "a" * 64, id="a long one"),
    ],
)
def test_a_call_of_what_is_no_name_goes_back_as_one(name: str, sent: str) -> None:
    reply = Reply("", (ToolCall("a", name, {}),), "tool_use", "auto")
    made = request(replace(said(), messages=(Said("a"), reply, Said("", (ToolResult("a", "{}", True),)))))

    assert made["messages"][1]["content"][0]["toolUse"]["name"] == sent
    parsed("Converse", MODEL, body_of(made))


@pytest.mark.parametrize(
    ("model_id", "expected"),
    [
        pytest.param("us.anthropic.claude-opus-5-5", {"choice": "auto", "thinking": "adaptive"}, id="Opus 5.5"),
        pytest.param(
            "anthropic.claude-sonnet-5-5-20260901-v1:0", {"choice": "auto", "thinking": "adaptive"}, id="Sonnet 5.5"
        ),
        pytest.param("global.anthropic.claude-fable-5-1", {"choice": "auto", "thinking": "adaptive"}, id="Fable 5.1"),
        pytest.param("us.anthropic.claude-opus-5", {"thinking": "adaptive"}, id="Opus 5"),
        pytest.param("anthropic.claude-opus-4-7", {"thinking": "adaptive"}, id="Opus 4.7"),
        pytest.param("anthropic.claude-sonnet-4-5-20250929-v1:0", {}, id="Sonnet 4.5"),
        pytest.param("anthropic.claude-3-7-sonnet-20250219-v1:0", {}, id="Claude 3.7"),
        pytest.param("anthropic.claude-3-5-haiku-20241022-v1:0", {"thinking": "none"}, id="Claude 3.5"),
        pytest.param("anthropic.claude-3-haiku-20240307-v1:0", {"thinking": "none", "caching": "none"}, id="Claude 3"),
        pytest.param("eu.amazon.nova-pro-v1:0", {"thinking": "none", "caching": "system"}, id="Nova"),
        pytest.param(
            "mistral.mistral-large-2407-v1:0",
            {"choice": "any", "thinking": "none", "caching": "none", "status": False},
            id="Mistral Large",
        ),
        pytest.param(
            "us.meta.llama4-scout-17b-instruct-v1:0",
            {"choice": "auto", "stream": False, "thinking": "none", "caching": "none", "status": False, "mixed": False},
            id="Llama",
        ),
        pytest.param(
            "arn:aws:bedrock:eu-central-1:111122223333:application-inference-profile/a1b2", {}, id="an ARN of one's own"
        ),
        pytest.param("qwen.qwen3-coder-480b-a35b-v1:0", {}, id="another"),
    ],
)
def test_what_is_known_of_a_model_by_its_id(model_id: str, expected: Mapping[str, Any]) -> None:
    assert known(model_id) == replace(Features(), **expected)


FORCED = request(said(choice="tool", tool="read_range"))
ANY = request(said(choice="any"))
CACHED = request(said(system="a"), BedrockSettings(prompt_caching=True))
THINKING = request(said(), BedrockSettings(thinking_tokens=2_000))


@pytest.mark.parametrize(
    ("sent", "refusal", "lower"),
    [
        pytest.param(
            FORCED, "This model doesn't support the toolConfig.toolChoice.tool field.", {"choice": "any"}, id="tool"
        ),
        pytest.param(
            ANY, "This model doesn't support the toolConfig.toolChoice.any field.", {"choice": "auto"}, id="any"
        ),
        pytest.param(
            ANY, "tool_choice: forced tool use is not supported for this model.", {"choice": "auto"}, id="forced"
        ),
        pytest.param(
            ANY,
            "Thinking may not be enabled when tool_choice forces tool use.",
            {"choice": "auto"},
            id="it always thinks",
        ),
        pytest.param(
            FORCED, "This model doesn't support tool use in streaming mode.", {"stream": False}, id="streams no tools"
        ),
        pytest.param(FORCED, "The model is unsupported for streaming.", {"stream": False}, id="streams nothing"),
        pytest.param(
            CACHED,
            "You invoked an unsupported model or your request did not allow prompt caching.",
            {"caching": "none"},
            id="caches nothing",
        ),
        pytest.param(
            CACHED,
            "#/messages/0/content/1: extraneous key [cachePoint] is not permitted",
            {"caching": "system"},
            id="caches no messages",
        ),
        pytest.param(
            THINKING,
            '"thinking.type.enabled" is not supported for this model.',
            {"thinking": "adaptive"},
            id="thinks adaptively",
        ),
        pytest.param(
            THINKING, "#: extraneous key [thinking] is not permitted", {"thinking": "adaptive"}, id="no thinking"
        ),
        pytest.param(
            request(),
            "User messages cannot contain reasoning content.",
            {"reasoning": False},
            id="takes no reasoning back",
        ),
        pytest.param(FORCED, "This model doesn't support the status field.", {"status": False}, id="status"),
        pytest.param(
            FORCED,
            "Conversation blocks and tool result blocks cannot be provided in the same turn.",
            {"mixed": False},
            id="mixed",
        ),
        pytest.param(request(said()), "tool_choice is wrong", None, id="a choice that was not sent"),
        pytest.param(request(said()), "prompt caching is wrong", None, id="caching that was not asked for"),
        pytest.param(request(said()), "thinking is wrong", None, id="thinking that was not asked for"),
        pytest.param(FORCED, "Input is too long for requested model.", None, id="another reason"),
        pytest.param(FORCED, "The upstream service failed.", None, id="a word that only ends so"),
    ],
)
def test_a_refusal_takes_one_step_down_for_what_was_sent(
    sent: Mapping[str, Any], refusal: str, lower: Mapping[str, Any] | None
) -> None:
    expected = None if lower is None else replace(Features(), **lower)

    assert after_refusal(Features(), sent, refusal) == expected


def test_a_ladder_ends() -> None:
    bottom = Features(choice="auto", stream=False, thinking="none", caching="none", status=False, mixed=False)
    for refusal in ("tool_choice", "streaming", "prompt caching", "thinking", "status field", "in the same turn"):
        assert after_refusal(bottom, CACHED, refusal) is None


def test_what_was_learned_is_put_over_what_is_known_and_wrong_facts_are_passed_over() -> None:
    facts = {"choice": "auto", "stream": 0, "thinking": "deep", "caching": None, "mixed": False, "other": 1}

    assert remembered(Features(), facts) == Features(choice="auto", mixed=False)
    assert learned(Features(), Features(choice="auto", mixed=False)) == {"choice": "auto", "mixed": False}
