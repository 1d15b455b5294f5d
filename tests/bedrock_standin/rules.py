"""What the service refuses beyond its model's constraints: a table, each row with where it is documented or reported.

A check gives the service's sentence, much as it was reported, or None. `tests/adapters/test_bedrock_rules.py` has an
accepted and a refused request for each row.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from bedrock_standin.cards import ModelCard
from bedrock_standin.parsing import RefusedError, invalid
from bedrock_standin.replies import signature

Request = Mapping[str, Any]
MODEL_SAID = "The model returned the following errors: "
DOCS = "https://docs.aws.amazon.com/bedrock/latest/"
GITHUB = "https://github.com/"


@dataclass(frozen=True)
class Rule:
    name: str
    source: str
    check: Callable[[Request, ModelCard, bool], str | None]
    """Given the request, the model's card, and whether it is to stream."""
    status: int = 400


def refuse_unless_taken(request: Request, card: ModelCard, *, stream: bool) -> None:
    """Raises RefusedError for the first row of the table that the request breaks."""
    for rule in RULES:
        sentence = rule.check(request, card, stream)
        if sentence:
            raise (
                invalid(sentence)
                if rule.status == 400
                else RefusedError(rule.status, "AccessDeniedException", sentence)
            )


def blocks(message: Mapping[str, Any], kind: str) -> list[Any]:
    return [block[kind] for block in message["content"] if kind in block]


def all_blocks(request: Request, kind: str) -> list[Any]:
    return [one for message in request["messages"] for one in blocks(message, kind)]


def _starts_with_user(request: Request, _card: ModelCard, _stream: bool) -> str | None:
    if not request.get("messages") or request["messages"][0]["role"] != "user":
        return "A conversation must start with a user message. Try again with a conversation that starts with a user message."
    return None


def _alternates(request: Request, _card: ModelCard, _stream: bool) -> str | None:
    expected = ["assistant" if place % 2 else "user" for place in range(len(request["messages"]))]
    if [message["role"] for message in request["messages"]] != expected:
        return (
            "A conversation must alternate between user and assistant roles. Make sure the conversation alternates "
            "between user and assistant roles and try again."
        )
    return None


def _ends_with_user(request: Request, _card: ModelCard, _stream: bool) -> str | None:
    if request["messages"][-1]["role"] != "user":
        return f"{MODEL_SAID}the conversation must end with a user message."
    return None


def _has_content(request: Request, _card: ModelCard, _stream: bool) -> str | None:
    for place, message in enumerate(request["messages"]):
        if not message["content"]:
            return f"The content field in the Message object at messages.{place} is empty. Add a ContentBlock object."
    return None


def _no_blank_text(request: Request, _card: ModelCard, _stream: bool) -> str | None:
    for place, message in enumerate(request["messages"]):
        for at, block in enumerate(message["content"]):
            if "text" in block and not block["text"].strip():
                return (
                    f"The text field in the ContentBlock object at messages.{place}.content.{at} is blank. "
                    "Add text to the text field, and try again."
                )
    return None


def _no_blank_tool_text(request: Request, _card: ModelCard, _stream: bool) -> str | None:
    for result in all_blocks(request, "toolResult"):
        if any("text" in one and not one["text"].strip() for one in result["content"]):
            return "The text field in the ToolResultContentBlock object is blank. Add text to the text field."
    return None


def _errors_say_something(request: Request, _card: ModelCard, _stream: bool) -> str | None:
    for result in all_blocks(request, "toolResult"):
        if result.get("status") == "error" and not result["content"]:
            return "The content field at toolResult cannot be empty when status value is error."
    return None


def _calls_are_answered(request: Request, _card: ModelCard, _stream: bool) -> str | None:
    for place, calls, results in _pairs(request):
        missing = [one for one in calls if one not in results]
        if missing:
            return f"Expected toolResult blocks at messages.{place}.content for the following Ids: {', '.join(missing)}"
    return None


def _answers_have_calls(request: Request, _card: ModelCard, _stream: bool) -> str | None:
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


def _ids_once(request: Request, _card: ModelCard, _stream: bool) -> str | None:
    for kind in ("toolUse", "toolResult"):
        ids = [one["toolUseId"] for one in all_blocks(request, kind)]
        if len(set(ids)) != len(ids):
            return f"The {kind} blocks contain duplicate Ids"
    return None


def _right_role(request: Request, _card: ModelCard, _stream: bool) -> str | None:
    for place, message in enumerate(request["messages"]):
        wrong = ("toolUse", "reasoningContent") if message["role"] == "user" else ("toolResult",)
        if any(kind in block for block in message["content"] for kind in wrong):
            return (
                f"{MODEL_SAID}messages.{place}: {' and '.join(wrong)} blocks cannot be in a {message['role']} message"
            )
    return None


def _results_first(request: Request, _card: ModelCard, _stream: bool) -> str | None:
    for place, message in enumerate(request["messages"]):
        is_result = ["toolResult" in block for block in message["content"]]
        if is_result != sorted(is_result, reverse=True):
            count = sum(is_result)
            return (
                f"{MODEL_SAID}messages.{place}: Did not find {count} `tool_result` block(s) at the beginning of this "
                "message. Messages following `tool_use` blocks must begin with a matching number of `tool_result` blocks."
            )
    return None


def _config_for_tools(request: Request, _card: ModelCard, _stream: bool) -> str | None:
    if "toolConfig" not in request and (all_blocks(request, "toolUse") or all_blocks(request, "toolResult")):
        return "The toolConfig field must be defined when using toolUse and toolResult content blocks."
    return None


def _specs(request: Request) -> list[Mapping[str, Any]]:
    return [one["toolSpec"] for one in request.get("toolConfig", {}).get("tools", ()) if "toolSpec" in one]


def _tool_names_once(request: Request, _card: ModelCard, _stream: bool) -> str | None:
    names = [spec["name"] for spec in _specs(request)]
    return f"{MODEL_SAID}tools: Tool names must be unique." if len(set(names)) != len(names) else None


def _schema_is_object(request: Request, _card: ModelCard, _stream: bool) -> str | None:
    for place, spec in enumerate(_specs(request)):
        schema = spec["inputSchema"].get("json")
        if not isinstance(schema, dict) or schema.get("type") != "object":
            return f"The value at toolConfig.tools.{place}.toolSpec.inputSchema.json.type must be one of the following: object."
    return None


def _input_is_object(request: Request, _card: ModelCard, _stream: bool) -> str | None:
    if any(not isinstance(use["input"], dict) for use in all_blocks(request, "toolUse")):
        return "The format of the value at toolUse.input is invalid. Provide a json object for the field and try again."
    return None


def _choice_is_known(request: Request, _card: ModelCard, _stream: bool) -> str | None:
    wanted = _choice(request).get("tool", {}).get("name")
    if wanted is not None and wanted not in [spec["name"] for spec in _specs(request)]:
        return f"{MODEL_SAID}Tool '{wanted}' not found in provided tools"
    return None


def _choice(request: Request) -> Mapping[str, Any]:
    choice = request.get("toolConfig", {}).get("toolChoice", {})
    return choice if isinstance(choice, dict) else {}


def _choice_is_taken(request: Request, card: ModelCard, _stream: bool) -> str | None:
    for name in _choice(request):
        if name not in card.choices:
            field = f"toolConfig.toolChoice.{name}"
            return f"This model doesn't support the {field} field. Remove {field} and try again."
    return None


def _sampling_is_taken(request: Request, card: ModelCard, _stream: bool) -> str | None:
    for name in ("temperature", "topP"):
        if not card.sampling and name in request.get("inferenceConfig", {}):
            return f"{MODEL_SAID}`{name}` is deprecated for this model."
    return None


def _thinking(request: Request) -> Mapping[str, Any]:
    fields = request.get("additionalModelRequestFields")
    thinking = fields.get("thinking") if isinstance(fields, dict) else None
    return thinking if isinstance(thinking, dict) else {}


def _extra_fields_are_taken(request: Request, card: ModelCard, _stream: bool) -> str | None:
    fields = request.get("additionalModelRequestFields", {})
    for name in fields:
        if name != "thinking" or not card.thinking:
            return f"Malformed input request: #: extraneous key [{name}] is not permitted, please reformat your input."
    return None


def _thinking_is_taken(request: Request, card: ModelCard, _stream: bool) -> str | None:
    kind = _thinking(request).get("type")
    if kind is not None and kind not in card.thinking:
        return f'{MODEL_SAID}"thinking.type.{kind}" is not supported for this model. Use {sorted(card.thinking)}.'
    return None


def _thinking_has_room(request: Request, _card: ModelCard, _stream: bool) -> str | None:
    thinking = _thinking(request)
    if thinking.get("type") != "enabled":
        return None
    budget = thinking.get("budget_tokens", 0)
    if budget < 1024:
        return f"{MODEL_SAID}thinking.enabled.budget_tokens: Input should be greater than or equal to 1024"
    if budget >= request.get("inferenceConfig", {}).get("maxTokens", 4096):
        return f"{MODEL_SAID}`max_tokens` must be greater than `thinking.budget_tokens`."
    return None


def _thinking_is_not_forced(request: Request, _card: ModelCard, _stream: bool) -> str | None:
    if _thinking(request) and _choice(request).keys() & {"any", "tool"}:
        return f"{MODEL_SAID}Thinking may not be enabled when tool_choice forces tool use."
    return None


def _thinking_goes_on(request: Request, _card: ModelCard, _stream: bool) -> str | None:
    if _thinking(request).get("type") != "enabled" or len(request["messages"]) < 2:
        return None
    answered = blocks(request["messages"][-1], "toolResult")
    first = next(iter(request["messages"][-2]["content"]), {})
    if answered and "reasoningContent" not in first:
        return (
            f"{MODEL_SAID}messages.{len(request['messages']) - 2}.content.0.type: Expected `thinking` or "
            f"`redacted_thinking`, but found `{next(iter(first), 'nothing')}`. When `thinking` is enabled, a final "
            "`assistant` message must start with a thinking block."
        )
    return None


def _reasoning_is_unchanged(request: Request, _card: ModelCard, _stream: bool) -> str | None:
    for reasoning in all_blocks(request, "reasoningContent"):
        text = reasoning.get("reasoningText")
        if text is not None and text.get("signature") != signature(text["text"]):
            return f"{MODEL_SAID}messages: Invalid `signature` in `thinking` block"
        if "redactedContent" in reasoning and not reasoning["redactedContent"].startswith(b"redacted "):
            return f"{MODEL_SAID}messages: Invalid `data` in `redacted_thinking` block"
    return None


def _reasoning_is_taken(request: Request, card: ModelCard, _stream: bool) -> str | None:
    if not card.reasoning and all_blocks(request, "reasoningContent"):
        return "User messages cannot contain reasoning content. Please remove the reasoning content and try again."
    return None


def _streams(request: Request, card: ModelCard, stream: bool) -> str | None:
    if stream and not card.stream and "toolConfig" in request:
        return "This model doesn't support tool use in streaming mode."
    return None


def _status_is_taken(request: Request, card: ModelCard, _stream: bool) -> str | None:
    if not card.status and any("status" in result for result in all_blocks(request, "toolResult")):
        return "This model doesn't support the status field. Remove status and try again."
    return None


def _results_stand_alone(request: Request, card: ModelCard, _stream: bool) -> str | None:
    for place, message in enumerate(request["messages"]):
        if not card.mixed and blocks(message, "toolResult") and blocks(message, "text"):
            return f"messages.{place}.content: Conversation blocks and tool result blocks cannot be provided in the same turn."
    return None


def _calls_stand_alone(request: Request, card: ModelCard, _stream: bool) -> str | None:
    for place, message in enumerate(request["messages"]):
        if not card.mixed and blocks(message, "toolUse") and blocks(message, "text"):
            return f"messages.{place}.content: Conversation blocks and tool use blocks cannot be provided in the same turn."
    return None


def _cache_points(request: Request) -> int:
    tools = request.get("toolConfig", {}).get("tools", ())
    places = [*request.get("system", ()), *tools]
    return sum("cachePoint" in one for one in places) + len(all_blocks(request, "cachePoint"))


def _caching_is_taken(request: Request, card: ModelCard, _stream: bool) -> str | None:
    if not card.caching and _cache_points(request):
        return (
            "You invoked an unsupported model or your request did not allow prompt caching. "
            "See the documentation for more information."
        )
    return None


def _cache_points_are_few(request: Request, _card: ModelCard, _stream: bool) -> str | None:
    count = _cache_points(request)
    return (
        f"{MODEL_SAID}A maximum of 4 blocks with cache_control may be provided. Found {count}." if count > 4 else None
    )


def _fits(request: Request, card: ModelCard, _stream: bool) -> str | None:
    size = len(json.dumps([request["messages"], request.get("system", [])], default=str))
    return f"{MODEL_SAID}Input is too long for requested model." if size > card.max_characters else None


RULES = (
    Rule("starts with user", f"{GITHUB}langgenius/dify/issues/12340", _starts_with_user),
    Rule("roles alternate", f"{GITHUB}langchain-ai/langchain-aws/issues/192", _alternates),
    Rule("ends with user", f"{GITHUB}microsoft/semantic-kernel/issues/10281", _ends_with_user),
    Rule("content not empty", f"{GITHUB}earendil-works/pi/pull/3443", _has_content),
    Rule("text not blank", f"{GITHUB}continuedev/continue/issues/9767", _no_blank_text),
    Rule("result's text not blank", f"{GITHUB}anomalyco/opencode/pull/17381", _no_blank_tool_text),
    Rule(
        "an error says something",
        f"{GITHUB}aws-samples/sample-multi-agent-orchestration-chat-on-agentcore/issues/15",
        _errors_say_something,
    ),
    Rule(
        "role of tool blocks",
        f"{DOCS}userguide/tool-use-inference-call.html (Call a tool with the Converse API)",
        _right_role,
    ),
    Rule("every call answered", f"{GITHUB}genkit-ai/aws-bedrock-js-plugin/issues/664", _calls_are_answered),
    Rule("every answer called for", f"{GITHUB}strands-agents/harness-sdk/issues/1435", _answers_have_calls),
    Rule("ids once", f"{GITHUB}bvcyber/Cyber-AutoAgent-ng/issues/72", _ids_once),
    Rule("results first", f"{GITHUB}langchain-ai/langchain-aws/issues/451", _results_first),
    Rule("toolConfig for tool blocks", f"{GITHUB}langgenius/dify/issues/17545", _config_for_tools),
    Rule("tool names once", f"{GITHUB}tailcallhq/forgecode/issues/892", _tool_names_once),
    Rule(
        "schema is an object",
        f"{DOCS}APIReference/API_runtime_ToolInputSchema.html (ToolInputSchema)",
        _schema_is_object,
    ),
    Rule(
        "input is an object",
        f"{DOCS}APIReference/API_runtime_ToolUseBlock.html (ToolUseBlock: input, a JSON value)",
        _input_is_object,
    ),
    Rule(
        "chosen tool is known",
        f"{DOCS}APIReference/API_runtime_SpecificToolChoice.html (SpecificToolChoice)",
        _choice_is_known,
    ),
    Rule("choice is taken", f"{GITHUB}strands-agents/harness-sdk/issues/1241", _choice_is_taken),
    Rule("sampling is taken", f"{GITHUB}cline/cline/issues/10572", _sampling_is_taken),
    Rule("further fields are taken", f"{GITHUB}traceloop/openllmetry/pull/3390", _extra_fields_are_taken),
    Rule(
        "kind of thinking",
        "https://platform.claude.com/docs/en/build-with-claude/adaptive-thinking (Adaptive thinking)",
        _thinking_is_taken,
    ),
    Rule("room to think", f"{GITHUB}BerriAI/litellm/pull/21306 and {GITHUB}vercel/ai/issues/7927", _thinking_has_room),
    Rule("thinking not forced", f"{GITHUB}pydantic/pydantic-ai/issues/3092", _thinking_is_not_forced),
    Rule("thinking goes on", f"{GITHUB}anomalyco/opencode/issues/3077", _thinking_goes_on),
    Rule(
        "reasoning unchanged",
        f"{DOCS}APIReference/API_runtime_ReasoningTextBlock.html (ReasoningTextBlock)",
        _reasoning_is_unchanged,
    ),
    Rule("reasoning is taken", f"{GITHUB}langchain-ai/langchain-aws/issues/401", _reasoning_is_taken),
    Rule("streams with tools", f"{GITHUB}earendil-works/pi/issues/3739", _streams),
    Rule("status is taken", f"{GITHUB}strands-agents/harness-sdk/issues/393", _status_is_taken),
    Rule("results stand alone", f"{GITHUB}strands-agents/harness-sdk/issues/1223", _results_stand_alone),
    Rule("calls stand alone", f"{GITHUB}quarkiverse/quarkus-langchain4j/issues/1983", _calls_stand_alone),
    Rule("caching is taken", f"{GITHUB}BerriAI/litellm/pull/39210", _caching_is_taken, status=403),
    Rule(
        "few cache points",
        f"{DOCS}userguide/prompt-caching.html (Prompt caching for faster model inference)",
        _cache_points_are_few,
    ),
    Rule("input fits", f"{GITHUB}continuedev/continue/issues/9592", _fits),
)
