"""Checks of a conversation and its tools, whatever the model: a sentence much as the service's, or None."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from bedrock_standin.cards import ModelCard

Request = Mapping[str, Any]
MODEL_SAID = "The model returned the following errors: "


def blocks(message: Mapping[str, Any], kind: str) -> list[Any]:
    return [block[kind] for block in message["content"] if kind in block]


def all_blocks(request: Request, kind: str) -> list[Any]:
    return [one for message in request["messages"] for one in blocks(message, kind)]


def starts_with_user(request: Request, _card: ModelCard, _stream: bool) -> str | None:
    if not request.get("messages") or request["messages"][0]["role"] != "user":
        return "A conversation must start with a user message. Try again with a conversation that starts with a user message."
    return None


def alternates(request: Request, _card: ModelCard, _stream: bool) -> str | None:
    expected = ["assistant" if place % 2 else "user" for place in range(len(request["messages"]))]
    if [message["role"] for message in request["messages"]] != expected:
        return (
            "A conversation must alternate between user and assistant roles. Make sure the conversation alternates "
            "between user and assistant roles and try again."
        )
    return None


def ends_with_user(request: Request, _card: ModelCard, _stream: bool) -> str | None:
    if request["messages"][-1]["role"] != "user":
        return f"{MODEL_SAID}the conversation must end with a user message."
    return None


def has_content(request: Request, _card: ModelCard, _stream: bool) -> str | None:
    for place, message in enumerate(request["messages"]):
        if not message["content"]:
            return f"The content field in the Message object at messages.{place} is empty. Add a ContentBlock object."
    return None


def no_blank_text(request: Request, _card: ModelCard, _stream: bool) -> str | None:
    for place, message in enumerate(request["messages"]):
        for at, block in enumerate(message["content"]):
            if "text" in block and not block["text"].strip():
                return (
                    f"The text field in the ContentBlock object at messages.{place}.content.{at} is blank. "
                    "Add text to the text field, and try again."
                )
    return None


def no_blank_tool_text(request: Request, _card: ModelCard, _stream: bool) -> str | None:
    for result in all_blocks(request, "toolResult"):
        if any("text" in one and not one["text"].strip() for one in result["content"]):
            return "The text field in the ToolResultContentBlock object is blank. Add text to the text field."
    return None


def errors_say_something(request: Request, _card: ModelCard, _stream: bool) -> str | None:
    for result in all_blocks(request, "toolResult"):
        if result.get("status") == "error" and not result["content"]:
            return "The content field at toolResult cannot be empty when status value is error."
    return None


def calls_are_answered(request: Request, _card: ModelCard, _stream: bool) -> str | None:
    for place, calls, results in _pairs(request):
        missing = [one for one in calls if one not in results]
        if missing:
            return f"Expected toolResult blocks at messages.{place}.content for the following Ids: {', '.join(missing)}"
    return None


def answers_have_calls(request: Request, _card: ModelCard, _stream: bool) -> str | None:
    for place, calls, results in _pairs(request):
        if any(one not in calls for one in results):
            return (
                f"The number of toolResult blocks at messages.{place}.content exceeds the number of toolUse blocks of "
                "previous turn."
            )
    return None


def _pairs(request: Request) -> Iterator[tuple[int, list[str], list[str]]]:
    """For each message after another's: its place, the ids that were called, and those it answers."""
    before: list[str] = []
    for place, message in enumerate(request["messages"]):
        if message["role"] == "user":
            yield place, before, [result["toolUseId"] for result in blocks(message, "toolResult")]
        before = [use["toolUseId"] for use in blocks(message, "toolUse")]


def ids_once(request: Request, _card: ModelCard, _stream: bool) -> str | None:
    for kind in ("toolUse", "toolResult"):
        ids = [one["toolUseId"] for one in all_blocks(request, kind)]
        if len(set(ids)) != len(ids):
            return f"The {kind} blocks contain duplicate Ids"
    return None


def right_role(request: Request, _card: ModelCard, _stream: bool) -> str | None:
    for place, message in enumerate(request["messages"]):
        wrong = ("toolUse", "reasoningContent") if message["role"] == "user" else ("toolResult",)
        if any(kind in block for block in message["content"] for kind in wrong):
            return (
                f"{MODEL_SAID}messages.{place}: {' and '.join(wrong)} blocks cannot be in a {message['role']} message"
            )
    return None


def results_first(request: Request, _card: ModelCard, _stream: bool) -> str | None:
    for place, message in enumerate(request["messages"]):
        is_result = ["toolResult" in block for block in message["content"]]
        if is_result != sorted(is_result, reverse=True):
            count = sum(is_result)
            return (
                f"{MODEL_SAID}messages.{place}: Did not find {count} `tool_result` block(s) at the beginning of this "
                "message. Messages following `tool_use` blocks must begin with a matching number of `tool_result` blocks."
            )
    return None


def config_for_tools(request: Request, _card: ModelCard, _stream: bool) -> str | None:
    if "toolConfig" not in request and (all_blocks(request, "toolUse") or all_blocks(request, "toolResult")):
        return "The toolConfig field must be defined when using toolUse and toolResult content blocks."
    return None


def specs(request: Request) -> list[Mapping[str, Any]]:
    return [one["toolSpec"] for one in request.get("toolConfig", {}).get("tools", ()) if "toolSpec" in one]


def tool_names_once(request: Request, _card: ModelCard, _stream: bool) -> str | None:
    names = [spec["name"] for spec in specs(request)]
    return f"{MODEL_SAID}tools: Tool names must be unique." if len(set(names)) != len(names) else None


def schema_is_object(request: Request, _card: ModelCard, _stream: bool) -> str | None:
    for place, spec in enumerate(specs(request)):
        schema = spec["inputSchema"].get("json")
        if not isinstance(schema, dict) or schema.get("type") != "object":
            return f"The value at toolConfig.tools.{place}.toolSpec.inputSchema.json.type must be one of the following: object."
    return None


def input_is_object(request: Request, _card: ModelCard, _stream: bool) -> str | None:
    if any(not isinstance(use["input"], dict) for use in all_blocks(request, "toolUse")):
        return "The format of the value at toolUse.input is invalid. Provide a json object for the field and try again."
    return None
