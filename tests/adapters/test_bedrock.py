"""A model of Bedrock through the real boto3: the ladder, and what a conversation carries along."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest
from bedrock_runs import (
    CALL,
    SAID,
    TURN,
    Serve,
    ask,
    asked,
    fails,
    model,
    serve,
)
from bedrock_standin import HttpError, Say, Standin, Text, Think, Use
from toolrag.adapters.capabilities import FILE, Capabilities
from toolrag.chat import Reply, Said, ToolResult
from toolrag.config import BedrockSettings

__all__ = ["serve"]


def refused_fields(service: Standin) -> list[str]:
    return [refusal.sentence.partition(".")[0] for _, refusal in service.refused]


@pytest.mark.parametrize(
    ("model_id", "rung", "refused"),
    [
        pytest.param("example.forced-v1", "tool", 0, id="a tool can be named"),
        pytest.param("example.any-only-v1", "any", 1, id="any can be forced"),
        pytest.param("example.auto-only-v1", "auto", 2, id="nothing can be forced"),
        pytest.param("example.no-streaming-v1", "tool", 1, id="no streaming"),
        pytest.param("example.plain-v1", "auto", 3, id="no streaming, and nothing can be forced"),
        pytest.param("mistral.mistral-large-2407-v1:0", "any", 0, id="known: Mistral Large"),
        pytest.param("us.meta.llama4-maverick-17b-instruct-v1:0", "auto", 0, id="known: Llama"),
        pytest.param("us.anthropic.claude-sonnet-5-5", "auto", 0, id="known: Sonnet 5.5"),
        pytest.param("anthropic.claude-sonnet-4-5-20250929-v1:0", "tool", 0, id="known: Sonnet 4.5"),
        pytest.param("amazon.nova-pro-v1:0", "tool", 0, id="known: Nova"),
    ],
)
def test_a_turn_goes_down_the_ladder_within_one_reply_and_the_next_begins_where_it_ended(
    serve: Serve, tmp_path: Path, model_id: str, rung: str, refused: int
) -> None:
    service = serve(CALL, CALL, CALL)
    path = tmp_path / "state" / FILE
    first = model(model_id, capabilities=Capabilities(path))

    assert ask(first).rung == rung
    assert len(service.refused) == refused
    assert ask(first).rung == rung
    assert ask(model(model_id, capabilities=Capabilities(path))).rung == rung  # another process
    assert len(service.refused) == refused
    assert len(service.taken) == 3


def test_what_did_not_help_is_not_learned(serve: Serve) -> None:
    """A refusal that goes on speaks of something else than it seemed to."""
    capabilities = Capabilities(None)
    refusal = HttpError(400, "ValidationException", "tool_choice, streaming: this is not it.")
    serve(*[refusal] * 9)

    assert fails(model(capabilities=capabilities)).code == "bad_request"
    assert capabilities.get("bedrock example.forced-v1") == {}


def test_a_refusal_in_the_first_frame_of_a_stream_takes_a_step_too(serve: Serve) -> None:
    said = ("validationException", "This model doesn't support the toolConfig.toolChoice.tool field.")
    serve(Say((), breaks="exception", after=0, exception=said), CALL)

    assert ask(model()).rung == "any"


def test_a_whole_conversation_of_a_model_that_knows_the_plainest_form_breaks_no_rule(serve: Serve) -> None:
    """Errors without a status, texts that may not stand beside results and calls."""
    service = serve(CALL, SAID)
    plain = model("us.meta.llama4-maverick-17b-instruct-v1:0")

    async def converse() -> Reply:
        first = await asked(plain)
        results = (ToolResult(first.calls[0].id, '{"error": "not_found"}', True),)
        return await asked(plain, replace(TURN, messages=(*TURN.messages, first, Said("Go on.", results))))

    assert asyncio.run(converse()).text == "It is here."
    assert service.refused == []


@pytest.mark.parametrize(
    ("model_id", "learned"),
    [
        pytest.param("anthropic.claude-sonnet-4-5-20250929-v1:0", 0, id="a budget"),
        pytest.param("anthropic.claude-opus-5", 0, id="adaptive"),
        pytest.param("example.thinking-v1", 0, id="a budget, unknown"),
        pytest.param("example.forced-v1", 3, id="no thinking and no caching, unknown"),
    ],
)
def test_a_model_thinks_through_a_conversation_and_gets_its_reasoning_back_unchanged(
    serve: Serve, model_id: str, learned: int
) -> None:
    thought = Say(
        (Think("First I read.\n"), Think("hidden", redacted=True), Text("\n\n"), Use("read_range", {"path": "a"}))
    )
    service = serve(thought, SAID)
    settings = BedrockSettings(thinking_tokens=2_000, prompt_caching=True)
    thinker = model(model_id, settings)

    async def converse() -> Reply:
        first = await asked(thinker)
        results = (ToolResult(first.calls[0].id, "{}", False),)
        return await asked(thinker, replace(TURN, choice="any", messages=(*TURN.messages, first, Said("", results))))

    assert asyncio.run(converse()).text == "It is here."
    assert len(service.refused) == learned
    kinds = [next(iter(block)) for block in service.taken[-1].request["messages"][1]["content"]]
    assert kinds == ["reasoningContent", "reasoningContent", "toolUse"]


def test_a_model_that_takes_no_reasoning_back_goes_on_without_it(serve: Serve) -> None:
    service = serve(Say((Think("hm"), Text("Here?"))), SAID)
    forgetful = model("example.forgets-reasoning-v1")

    async def converse() -> Reply:
        first = await asked(forgetful)
        return await asked(forgetful, replace(TURN, messages=(*TURN.messages, first, Said("Well?"))))

    assert asyncio.run(converse()).text == "It is here."
    assert refused_fields(service) == ["User messages cannot contain reasoning content"]


def test_a_guardrail_goes_with_every_request_and_its_refusal_is_one(serve: Serve) -> None:
    service = serve(Say((Text("I may not speak of that."),), stop="guardrail_intervened"))
    reply = ask(model(settings=BedrockSettings(guardrail="gr1", guardrail_version="2")))

    assert reply.stop == "refused"
    assert service.taken[0].request["guardrailConfig"] == {"guardrailIdentifier": "gr1", "guardrailVersion": "2"}
