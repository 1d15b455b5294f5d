"""How servers really behave: what each refuses beyond the API, and what it makes of a choice that it takes."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from openai_standin.rules import RefusedError

Request = Mapping[str, Any]


@dataclass(frozen=True)
class Profile:
    name: str
    source: str
    refuses: Callable[[Request], RefusedError | None] = lambda _request: None
    obeys_choice: bool = True
    """Whether a call that is forced comes, and none where `none` is sent."""
    obeys_schema: bool = True
    streams: bool = True
    """Where not, `stream` is overlooked, and the answer is JSON."""


def _objects(request: Request) -> RefusedError | None:
    if isinstance(request.get("tool_choice"), dict):
        return RefusedError(
            "Invalid tool_choice type: 'object'. Supported string values: none, auto, required", kind="", code="plain"
        )
    return None


def _grammar_and_tools(request: Request) -> RefusedError | None:
    if request.get("tools") and request.get("response_format") and request.get("tool_choice") != "none":
        return RefusedError("Cannot use custom grammar constraints with tools.")
    return None


def _schema(request: Request) -> RefusedError | None:
    if (request.get("response_format") or {}).get("type") == "json_schema":
        return RefusedError("This response_format type is unavailable now")
    return None


def _stream_options(request: Request) -> RefusedError | None:
    if "stream_options" in request:
        detail = (
            "[{'type': 'extra_forbidden', 'loc': ['body', 'stream_options', 'include_usage'], 'msg': 'Extra inputs'}]"
        )
        return RefusedError(detail, status=422)
    return None


def _tools(request: Request) -> RefusedError | None:
    if request.get("tools"):
        return RefusedError("registry.ollama.ai/library/example:2b does not support tools", kind="api_error")
    return None


def _user_after_tool(request: Request) -> RefusedError | None:
    roles = [message["role"] for message in request["messages"]]
    if ("tool", "user") in itertools.pairwise(roles):
        return RefusedError(
            "Unexpected role 'user' after role 'tool'", kind="invalid_request_message_order", code="3230"
        )
    return None


def _max_tokens(request: Request) -> RefusedError | None:
    if "max_tokens" in request:
        return RefusedError(
            "Unsupported parameter: 'max_tokens' is not supported with this model. "
            "Use 'max_completion_tokens' instead.",
            code="unsupported_parameter",
        )
    return None


_GITHUB = "https://github.com/"
OPENAI = Profile("openai", "https://platform.openai.com/docs/api-reference/chat/create")
IGNORES_CHOICE = Profile("ignores tool_choice", f"{_GITHUB}ollama/ollama/issues/17921", obeys_choice=False)
AUTO_SILENTLY = Profile(
    "auto silently",
    f"{_GITHUB}ggml-org/llama.cpp/blob/master/tools/server/server-common.cpp",
    _grammar_and_tools,
    obeys_choice=False,
)
REFUSES_OBJECTS = Profile(
    "refuses tool_choice objects", f"{_GITHUB}lmstudio-ai/lmstudio-bug-tracker/issues/670", _objects
)
NO_SCHEMA = Profile("no json_schema", f"{_GITHUB}llm-exe/llm-exe/issues/662", _schema, obeys_choice=False)
NO_STREAM_OPTIONS = Profile("no stream_options", f"{_GITHUB}openai/openai-agents-python/issues/442", _stream_options)
NO_TOOLS = Profile("no tools", f"{_GITHUB}pydantic/pydantic-ai/issues/703", _tools)
REASONING = Profile("no max_tokens", f"{_GITHUB}ITSpecialist111/ai_automation_suggester/issues/38", _max_tokens)
ALTERNATES = Profile("no user after tool", f"{_GITHUB}zed-industries/zed/issues/37021", _user_after_tool)
WITHOUT_STREAMING = Profile("no streaming", f"{_GITHUB}ollama/ollama/issues/9092", streams=False)
