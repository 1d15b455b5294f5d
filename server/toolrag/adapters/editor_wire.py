"""What `toolrag/converse` asks of an editor, and what the editor answers (PROTOCOL section 3). Pure.

The request:

    messages[]  {role: "user" | "assistant", text, toolCalls?, toolResults?}
                toolCalls[]    {id, name, input}          of an assistant; input is a JSON object
                toolResults[]  {callId, text, isError}    of a user, in the order of the calls before; they come before
                                                          the text, which may be empty where there are results
    tools[]     {name, description, inputSchema}          inputSchema is a JSON schema of type object
    mustCall?   a tool's name: only that may be called, and has to be;
                true: some tool has to be called. An editor whose model can be made to call only where it has one tool
                gives it that tool alone; for true `read_range`, or the first where that is missing.
    maxTokens   of the reply, where the editor can say so

The first message is a user's and holds the system text, since editors' models know no such role; a user's message
follows it. The answer:

    text?       what the model said
    toolCalls[] {id?, name, input?}                       a JSON object, or the text of one that cannot be read
    stop        "end" | "toolUse" | "length" | "refused" | "other"
    usage?      {inputTokens, outputTokens}
    forced?     "tool" | "any" | "auto": how the model was really made to call, where it is not as asked
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Final

from toolrag.chat import EMPTY, Message, Reply, Rung, Said, Stop, ToolCall, Turn
from toolrag.errors import ModelError

MAX_CHARACTERS: Final = 1_000_000
"""Of an answer's text and inputs: many times what a turn allows."""
MAX_CALLS: Final = 1_000
UNPARSED: Final = "unparsed"
"""Holds what a model wrote where a call's input had to be an object."""

_STOPS: Final[Mapping[str, Stop]] = {
    "end": "end",
    "toolUse": "tool_use",
    "length": "length",
    "refused": "refused",
    "other": "other",
}
_FORCED: Final[Mapping[str, Rung]] = {"tool": "tool", "any": "any", "auto": "auto"}


def converse_request(turn: Turn) -> dict[str, object]:
    """The params for a turn."""
    messages = [_message(message) for message in turn.messages]
    if turn.system.strip():
        messages.insert(0, {"role": "user", "text": turn.system})
    request: dict[str, object] = {
        "messages": messages,
        "tools": [
            {"name": tool.name, "description": tool.description, "inputSchema": dict(tool.parameters)}
            for tool in (turn.tools if _has_tools(turn) else ())
        ],
        "maxTokens": turn.max_tokens,
    }
    if turn.choice == "tool":
        request["mustCall"] = turn.tool
    elif turn.choice == "any":
        request["mustCall"] = True
    return request


def reply_of(answer: object, turn: Turn) -> Reply:
    """What an editor answered, checked.

    Raises ModelError: `cut` where it does not say how the reply ended, `bad_request` for what else is no answer.
    """
    if not isinstance(answer, Mapping):
        raise _junk("it is no object")
    text = answer.get("text", "")
    if text is None:
        text = ""
    if not isinstance(text, str):
        raise _junk("text is no text")
    if not isinstance(answer.get("stop"), str):
        raise ModelError("cut", "The editor's model did not say how its reply ended. Ask again.")
    used = {call.id for one in turn.messages if isinstance(one, Reply) for call in one.calls}
    calls = tuple(_calls(answer.get("toolCalls"), used))
    if len(text) + sum(len(json.dumps(call.arguments)) for call in calls) > MAX_CHARACTERS:
        raise _junk("it is larger than any reply")
    forced = answer.get("forced")
    stop = _STOPS.get(answer["stop"], "other")
    usage = answer.get("usage")
    usage = usage if isinstance(usage, Mapping) else {}
    return Reply(
        text=text,
        calls=calls,
        stop="tool_use" if stop == "end" and calls else stop,
        rung=_FORCED.get(forced, _asked(turn)) if isinstance(forced, str) else _asked(turn),
        input_tokens=_count(usage.get("inputTokens")),
        output_tokens=_count(usage.get("outputTokens")),
    )


def _has_tools(turn: Turn) -> bool:
    """A turn that may only answer has none, but where the conversation has calls: services refuse those without."""
    return turn.choice != "answer" or any(isinstance(one, Reply) and one.calls for one in turn.messages)


def _asked(turn: Turn) -> Rung:
    if not turn.tools or not _has_tools(turn):
        return "none"
    return "auto" if turn.choice == "answer" else turn.choice


def _message(message: Message) -> dict[str, object]:
    if isinstance(message, Said):
        told = [{"callId": one.call_id, "text": one.text, "isError": one.is_error} for one in message.results]
        text = message.text if message.text.strip() or told else EMPTY
        return {"role": "user", "text": text, **({"toolResults": told} if told else {})}
    calls = [{"id": call.id, "name": call.name, "input": _input(call)} for call in message.calls]
    text = message.text if message.text.strip() or calls else EMPTY
    return {"role": "assistant", "text": text, **({"toolCalls": calls} if calls else {})}


def _input(call: ToolCall) -> Mapping[str, object]:
    return call.arguments if isinstance(call.arguments, Mapping) else {UNPARSED: call.arguments}


def _calls(given: object, used: set[str]) -> Iterator[ToolCall]:
    """The calls in their order, each with an id that the conversation has not had."""
    if not isinstance(given, list) or len(given) > MAX_CALLS:
        raise _junk("toolCalls is no list of calls")
    for place, one in enumerate(given):
        name = one.get("name") if isinstance(one, Mapping) else None
        if not isinstance(one, Mapping) or not isinstance(name, str) or not name:
            raise _junk(f"toolCalls[{place}] has no name")
        arguments = one.get("input")
        if isinstance(arguments, Mapping) and all(isinstance(key, str) for key in arguments):
            read: Mapping[str, object] | str = arguments
        elif arguments is None:
            read = {}
        else:
            read = arguments if isinstance(arguments, str) else json.dumps(arguments)
        given_id = one.get("id")
        call_id = given_id if isinstance(given_id, str) else ""
        number = 0
        while not call_id or call_id in used:
            number += 1
            call_id = f"call{number:05}"
        used.add(call_id)
        yield ToolCall(call_id, name, read)


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0


def _junk(why: str) -> ModelError:
    return ModelError(
        "bad_request",
        f"What the editor answered to toolrag/converse is no reply: {why}. Update the editor's extension.",
    )
