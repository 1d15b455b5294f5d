"""What the API refuses: a table, each row with where it is documented or reported.

A check gives the server's sentence, much as it was reported, or None. `tests/adapters/test_openai_rules.py` has an
accepted and a refused request for each row.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

Request = Mapping[str, Any]
REFERENCE = "https://platform.openai.com/docs/api-reference/chat/create"
STRUCTURED = "https://platform.openai.com/docs/guides/structured-outputs"
GITHUB = "https://github.com/"

MEMBERS = frozenset(
    """
    audio frequency_penalty function_call functions logit_bias logprobs max_completion_tokens max_tokens messages metadata
    modalities model n parallel_tool_calls prediction presence_penalty prompt_cache_key reasoning_effort response_format
    safety_identifier seed service_tier stop store stream stream_options temperature tool_choice tools top_logprobs top_p
    user verbosity web_search_options
    """.split()
)
MESSAGE_MEMBERS = {
    "developer": {"role", "content", "name"},
    "system": {"role", "content", "name"},
    "user": {"role", "content", "name"},
    "assistant": {"role", "content", "name", "tool_calls", "refusal", "audio", "function_call"},
    "tool": {"role", "content", "tool_call_id"},
}
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
ID_CHARACTERS = 40


class RefusedError(Exception):
    """A request that the server does not take."""

    def __init__(
        self, sentence: str, *, status: int = 400, kind: str = "invalid_request_error", code: str | None = None
    ):
        super().__init__(sentence)
        self.sentence = sentence
        self.status = status
        self.kind = kind
        self.code = code


@dataclass(frozen=True)
class Rule:
    name: str
    source: str
    check: Callable[[Request], str | None]


def refuse_unless_taken(request: Request) -> None:
    """Raises RefusedError for the first row of the table that the request breaks."""
    for rule in RULES:
        sentence = rule.check(request)
        if sentence:
            raise RefusedError(sentence)


def calls_of(message: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return list(message.get("tool_calls") or ())


def functions_of(request: Request) -> list[Mapping[str, Any]]:
    return [tool["function"] for tool in request.get("tools") or ()]


def _messages(request: Request, role: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    yield from ((place, one) for place, one in enumerate(request["messages"]) if one["role"] == role)


def _known_members(request: Request) -> str | None:
    unknown = sorted(set(request) - MEMBERS)
    return f"Unrecognized request argument supplied: {unknown[0]}" if unknown else None


def _has_model(request: Request) -> str | None:
    model = request.get("model")
    return None if isinstance(model, str) and model else "you must provide a model parameter"


def _has_messages(request: Request) -> str | None:
    messages = request.get("messages")
    if not isinstance(messages, list):
        return "Missing required parameter: 'messages'."
    return None if messages else "Invalid 'messages': empty array. Expected an array with minimum length 1."


def _known_roles(request: Request) -> str | None:
    for place, message in enumerate(request["messages"]):
        if not isinstance(message, dict) or message.get("role") not in MESSAGE_MEMBERS:
            roles = ", ".join(f"'{role}'" for role in MESSAGE_MEMBERS)
            return f"Invalid value for 'messages[{place}].role'. Supported values are: {roles}."
    return None


def _known_message_members(request: Request) -> str | None:
    for place, message in enumerate(request["messages"]):
        unknown = sorted(set(message) - MESSAGE_MEMBERS[message["role"]])
        if unknown:
            return f"Unknown parameter: 'messages[{place}].{unknown[0]}'."
    return None


def _content_is_there(request: Request) -> str | None:
    for place, message in enumerate(request["messages"]):
        content = message.get("content")
        may_be_null = message["role"] == "assistant" and calls_of(message)
        if content is None and may_be_null:
            continue
        if not isinstance(content, str | list):
            return f"Invalid value for 'content' at messages[{place}]: expected a string, got null."
    return None


def _content_says_something(request: Request) -> str | None:
    for place, message in enumerate(request["messages"]):
        content = message.get("content")
        if isinstance(content, str) and not content.strip():
            return f"messages[{place}]: text content blocks must be non-empty"
    return None


def _calls_are_whole(request: Request) -> str | None:
    for place, message in _messages(request, "assistant"):
        if "tool_calls" in message and not calls_of(message):
            return f"Invalid 'messages[{place}].tool_calls': empty array. Expected an array with minimum length 1."
        for at, call in enumerate(calls_of(message)):
            where = f"messages[{place}].tool_calls[{at}]"
            if set(call) != {"id", "type", "function"} or call["type"] != "function":
                return f"Missing required parameter: '{where}.type'."
            if not isinstance(call["function"].get("arguments"), str):
                return f"Invalid type for '{where}.function.arguments': expected a string."
    return None


def _arguments_are_objects(request: Request) -> str | None:
    for _, message in _messages(request, "assistant"):
        for call in calls_of(message):
            try:
                found = json.loads(call["function"]["arguments"])
            except ValueError:
                found = None
            if not isinstance(found, dict):
                return "invalid tool call arguments"
    return None


def _ids_are_short(request: Request) -> str | None:
    for place, message in _messages(request, "assistant"):
        for at, call in enumerate(calls_of(message)):
            if len(call["id"]) > ID_CHARACTERS:
                where = f"messages[{place}].tool_calls[{at}].id"
                return f"Invalid '{where}': string too long. Expected a string with maximum length {ID_CHARACTERS}."
    return None


def _ids_are_unique(request: Request) -> str | None:
    ids = [call["id"] for _, message in _messages(request, "assistant") for call in calls_of(message)]
    return "Duplicate value for 'tool_call_id'." if len(set(ids)) != len(ids) else None


def _results_follow_calls(request: Request) -> str | None:
    open_ids: set[str] = set()
    for message in request["messages"]:
        if message["role"] == "tool":
            if message.get("tool_call_id") not in open_ids:
                return "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."
            open_ids.remove(message["tool_call_id"])
        else:
            open_ids = {call["id"] for call in calls_of(message)}
    return None


def _calls_are_answered(request: Request) -> str | None:
    open_ids: list[str] = []
    for message in [*request["messages"], {"role": "end"}]:
        if message["role"] == "tool":
            open_ids = [one for one in open_ids if one != message.get("tool_call_id")]
            continue
        if open_ids:
            return (
                "An assistant message with 'tool_calls' must be followed by tool messages responding to each "
                f"'tool_call_id'. The following tool_call_ids did not have response messages: {', '.join(open_ids)}"
            )
        open_ids = [call["id"] for call in calls_of(message)]
    return None


def _ends_with_user(request: Request) -> str | None:
    last = request["messages"][-1]["role"]
    return None if last in ("user", "tool") else f"Expected last role User or Tool for serving but got {last}"


def _system_comes_first(request: Request) -> str | None:
    late = [message for message in request["messages"][1:] if message["role"] in ("system", "developer")]
    return "System message must be at the beginning." if late else None


def _tools_are_whole(request: Request) -> str | None:
    tools = request.get("tools")
    if tools is None:
        return None
    if not isinstance(tools, list) or not tools:
        return "Invalid 'tools': empty array. Expected an array with minimum length 1."
    for at, tool in enumerate(tools):
        if tool.get("type") != "function" or not isinstance(tool.get("function"), dict):
            return f"Missing required parameter: 'tools[{at}].function'."
        unknown = sorted(set(tool["function"]) - {"name", "description", "parameters", "strict"})
        if unknown:
            return f"Unknown parameter: 'tools[{at}].function.{unknown[0]}'."
    return None


def _names_are_names(request: Request) -> str | None:
    names = [(f"tools[{at}]", function.get("name")) for at, function in enumerate(functions_of(request))]
    for place, message in _messages(request, "assistant"):
        names += [(f"messages[{place}].tool_calls", call["function"].get("name")) for call in calls_of(message)]
    for where, name in names:
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            return f"Invalid '{where}.function.name': string does not match pattern '^[a-zA-Z0-9_-]+$'."
    return None


def _names_are_unique(request: Request) -> str | None:
    names = [function["name"] for function in functions_of(request)]
    return "Tool names must be unique." if len(set(names)) != len(names) else None


def _parameters_are_objects(request: Request) -> str | None:
    for function in functions_of(request):
        kind = function.get("parameters", {"type": "object"}).get("type")
        if kind != "object":
            return (
                f"Invalid schema for function '{function['name']}': schema must be of 'type: \"object\"', got '{kind}'."
            )
    return None


def _choice_has_tools(request: Request) -> str | None:
    if "tool_choice" in request and not request.get("tools"):
        return "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified."
    return None


def _choice_is_known(request: Request) -> str | None:
    choice = request.get("tool_choice", "auto")
    if isinstance(choice, str):
        taken = ("none", "auto", "required")
        return None if choice in taken else f"Invalid value for 'tool_choice': '{choice}'."
    if not isinstance(choice, dict) or choice.get("type") != "function" or set(choice) != {"type", "function"}:
        return "Missing required parameter: 'tool_choice.function'."
    name = choice["function"].get("name")
    known = [function["name"] for function in functions_of(request)]
    return None if name in known else f"Tool choice '{name}' not found in 'tools' parameter."


def _format_is_whole(request: Request) -> str | None:
    form = request.get("response_format")
    if form is None or form.get("type") in ("text", "json_object"):
        return None
    if form.get("type") != "json_schema":
        return f"Invalid value for 'response_format.type': '{form.get('type')}'."
    schema = form.get("json_schema")
    if not isinstance(schema, dict):
        return "Missing required parameter: 'response_format.json_schema'."
    for name in ("name", "schema"):
        if name not in schema:
            return f"Missing required parameter: 'response_format.json_schema.{name}'."
    if set(schema) - {"name", "schema", "strict", "description"}:
        return "Unknown parameter in 'response_format.json_schema'."
    if not _NAME.fullmatch(schema["name"]):
        return "Invalid 'response_format.json_schema.name': string does not match pattern '^[a-zA-Z0-9_-]+$'."
    return None


def _strict_is_strict(request: Request) -> str | None:
    form = (request.get("response_format") or {}).get("json_schema") or {}
    if not form.get("strict"):
        return None
    schema = form["schema"]
    if schema.get("additionalProperties") is not False:
        return f"Invalid schema for response_format '{form['name']}': 'additionalProperties' is required to be false."
    if sorted(schema.get("required", ())) != sorted(schema.get("properties", {})):
        return (
            f"Invalid schema for response_format '{form['name']}': 'required' has to include every key in properties."
        )
    return None


def _options_have_stream(request: Request) -> str | None:
    if request.get("stream_options") is not None and not request.get("stream"):
        return "The 'stream_options' parameter is only allowed when 'stream' is enabled."
    return None


def _tokens_are_counted(request: Request) -> str | None:
    for name in ("max_tokens", "max_completion_tokens"):
        value = request.get(name, 1)
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            return f"Invalid '{name}': integer below minimum value. Expected a value >= 1."
    if "max_tokens" in request and "max_completion_tokens" in request:
        return "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported."
    return None


RULES = (
    Rule("known members", REFERENCE, _known_members),
    Rule("a model", f"{REFERENCE}#chat-create-model", _has_model),
    Rule("messages", f"{REFERENCE}#chat-create-messages", _has_messages),
    Rule("known roles", f"{REFERENCE}#chat-create-messages", _known_roles),
    Rule("known members of a message", f"{REFERENCE}#chat-create-messages", _known_message_members),
    Rule("calls are whole", f"{REFERENCE}#chat-create-messages", _calls_are_whole),
    Rule("content, or calls", f"{REFERENCE}#chat-create-messages", _content_is_there),
    Rule("content says something", f"{GITHUB}HKUDS/nanobot/pull/949", _content_says_something),
    Rule("arguments are objects", f"{GITHUB}ollama/ollama/blob/main/openai/openai.go", _arguments_are_objects),
    Rule("ids of 40 letters", f"{GITHUB}vercel/ai/issues/5171", _ids_are_short),
    Rule("ids once", f"{GITHUB}vercel/ai/issues/5171", _ids_are_unique),
    Rule("results follow calls", f"{GITHUB}miurla/morphic/issues/136", _results_follow_calls),
    Rule("every call answered", f"{GITHUB}langgenius/dify/issues/32222", _calls_are_answered),
    Rule("the user has the last word", f"{GITHUB}huggingface/smolagents/issues/757", _ends_with_user),
    Rule("system first", f"{GITHUB}vllm-project/vllm/issues/41114", _system_comes_first),
    Rule("tools are whole", f"{REFERENCE}#chat-create-tools", _tools_are_whole),
    Rule("names are names", f"{REFERENCE}#chat-create-tools", _names_are_names),
    Rule("names once", f"{REFERENCE}#chat-create-tools", _names_are_unique),
    Rule("parameters are objects", f"{REFERENCE}#chat-create-tools", _parameters_are_objects),
    Rule("a choice has tools", f"{REFERENCE}#chat-create-tool_choice", _choice_has_tools),
    Rule("the choice is known", f"{REFERENCE}#chat-create-tool_choice", _choice_is_known),
    Rule("the format is whole", f"{REFERENCE}#chat-create-response_format", _format_is_whole),
    Rule("strict is strict", STRUCTURED, _strict_is_strict),
    Rule("options have a stream", f"{REFERENCE}#chat-create-stream_options", _options_have_stream),
    Rule("tokens are counted", f"{REFERENCE}#chat-create-max_completion_tokens", _tokens_are_counted),
)
