"""A chat completion's request, made of a turn alone: nothing of an earlier request is kept that could be broken. Pure.

Absent on purpose: `temperature` and `top_p`, which some models refuse, and `parallel_tool_calls`, as some servers do.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from toolrag.adapters.openai_chat.features import Features
from toolrag.adapters.openai_chat.schema import Wanted
from toolrag.chat import EMPTY, Reply, Rung, Said, ToolCall, Turn

UNPARSED: Final = "unparsed"
"""Holds what a model wrote where a call's arguments had to be an object: servers parse them for their templates."""
SCHEMA_TOKENS: Final = 1_000
"""For a call's arguments: a hundred do, and some models think before."""

_NAME: Final = re.compile(r"[a-zA-Z0-9_-]{1,64}")
"""What a function's name may be (API reference, `tools`)."""

Body = dict[str, Any]


def chat_request(turn: Turn, model: str, features: Features) -> Body:
    """The body for a turn, for a server that takes `features`."""
    body: Body = {"model": model, "messages": _messages(turn, features, in_words=not features.tools)}
    _put_common(body, turn, features)
    if turn.tools and features.tools:
        body["tools"] = [
            {
                "type": "function",
                "function": {
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": dict(tool.parameters),
                },
            }
            for tool in turn.tools
        ]
        choice = _choice(turn, features)
        if choice is not None:
            body["tool_choice"] = choice
    return body


def schema_request(turn: Turn, model: str, features: Features, wanted: Wanted) -> Body:
    """The body by which a call is had as JSON that a schema holds.

    No tools are declared beside it, which llama.cpp refuses together with a grammar, so the history is told in words.
    What is asked stands at the end: all before it is the same in the next request, and need not be read anew.
    """
    messages = _messages(turn, features, in_words=True)
    messages[-1]["content"] += f"\n\n{wanted.request}"
    body: Body = {"model": model, "messages": messages}
    _put_common(body, turn, features)
    body[features.tokens] = min(turn.max_tokens, SCHEMA_TOKENS)
    form: Body = {"name": wanted.tool.name, "schema": dict(wanted.schema)}
    if wanted.strict:
        form["strict"] = True
    body["response_format"] = {"type": "json_schema", "json_schema": form}
    return body


def encoded(body: Body) -> bytes:
    """UTF-8 JSON. Halves of a character, which a file can have and UTF-8 cannot, become U+FFFD."""
    return sound(json.dumps(body, ensure_ascii=False)).encode()


def rung_of(body: Mapping[str, Any]) -> Rung:
    """What a request does about calls."""
    if "response_format" in body:
        return "schema"
    if "tools" not in body or body.get("tool_choice") == "none":
        return "none"
    choice = body.get("tool_choice", "auto")
    return "tool" if isinstance(choice, Mapping) else "any" if choice == "required" else "auto"


def sound(text: str) -> str:
    """The text with halves of a character as U+FFFD."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _put_common(body: Body, turn: Turn, features: Features) -> None:
    body[features.tokens] = turn.max_tokens
    if features.stream:
        body["stream"] = True
        if features.usage:
            body["stream_options"] = {"include_usage": True}


def _choice(turn: Turn, features: Features) -> Body | str | None:
    """The strictest `tool_choice` that is wanted and taken; None to leave it out, which means `auto`."""
    if features.choice == "unsent":
        return None
    if turn.choice == "answer":
        return "none"
    if turn.choice == "tool" and features.choice == "tool":
        return {"type": "function", "function": {"name": turn.tool}}
    return "auto" if turn.choice == "auto" or features.choice == "auto" else "required"


def _messages(turn: Turn, features: Features, *, in_words: bool) -> list[Body]:
    """The conversation; `in_words`: without what is about tools."""
    messages: list[Body] = [{"role": "system", "content": turn.system}] if turn.system.strip() else []
    for message in turn.messages:
        if in_words:
            messages.append(_in_words(message))
        else:
            messages += _said(message, features) if isinstance(message, Said) else [_replied(message)]
    return messages


def _said(said: Said, features: Features) -> list[Body]:
    """One message for each result, in the calls' order, and then the text."""
    messages: list[Body] = [
        {"role": "tool", "tool_call_id": result.call_id, "content": _text(result.text)} for result in said.results
    ]
    if not messages or (said.text.strip() and features.mixed):
        messages.append({"role": "user", "content": _text(said.text)})
    elif said.text.strip():
        messages[-1]["content"] += f"\n\n{said.text}"
    return messages


def _replied(reply: Reply) -> Body:
    message: Body = {"role": "assistant", "content": reply.text if reply.text.strip() else None}
    if reply.calls:
        message["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": _name(call), "arguments": _arguments(call)}}
            for call in reply.calls
        ]
    elif message["content"] is None:
        message["content"] = EMPTY
    return message


def _in_words(message: Said | Reply) -> Body:
    """The same without tools: calls as the JSON that a schema would have had of the model, results as quoted JSON."""
    if isinstance(message, Said):
        told = [f"Result of {result.call_id}: {result.text}" for result in message.results]
        return {
            "role": "user",
            "content": _text("\n\n".join([*told, *([message.text] if message.text.strip() else [])])),
        }
    called = [f"I call {_name(call)} as {call.id}: {_arguments(call)}" for call in message.calls]
    parts = [*([message.text] if message.text.strip() else []), *called]
    return {"role": "assistant", "content": _text("\n".join(parts))}


def _arguments(call: ToolCall) -> str:
    """A JSON object as text."""
    if isinstance(call.arguments, Mapping):
        return json.dumps(call.arguments, ensure_ascii=False)
    try:
        found = json.loads(call.arguments)
    except (ValueError, RecursionError):
        found = None
    return call.arguments if isinstance(found, dict) else json.dumps({UNPARSED: call.arguments}, ensure_ascii=False)


def _name(call: ToolCall) -> str:
    """A model may call what is no name; the history has to hold one."""
    return call.name if _NAME.fullmatch(call.name) else (re.sub(r"[^a-zA-Z0-9_-]", "_", call.name)[:64] or "unnamed")


def _text(text: str) -> str:
    """A text that every server takes: some refuse blank ones."""
    return text if text.strip() else EMPTY
