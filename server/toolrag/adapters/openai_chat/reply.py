"""A reply put together from the chunks of a stream, or from a whole answer as if it were one chunk. Pure.

Calls are believed, never `finish_reason`, which servers get wrong. What only some servers send is allowed for: calls
without an id, an index or fragments, arguments as an object, content as a list of parts. `reasoning_content` is not
looked at: it is no answer.
"""

from __future__ import annotations

import json
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from toolrag.adapters.openai_chat.request import sound
from toolrag.chat import Reply, Rung, Stop, ToolCall
from toolrag.errors import ModelError

_STOPS: Final[Mapping[str, Stop]] = {
    "stop": "end",
    "eos": "end",
    "tool_calls": "tool_use",
    "function_call": "tool_use",
    "length": "length",
    "content_filter": "refused",
}
CUT: Final = "The reply of the model's server ended in its middle. Ask again."
MAX_BRACKETS: Final = 200
"""Arguments with more stay a text: no tool takes them, and what nests deeply cannot be written again."""
MAX_CHARACTERS: Final = 1_000_000
"""Of a reply's text and arguments together: many times what a turn allows. A server that goes on is cut off."""
MAX_CALLS: Final = 1_000
_ID_CHARACTERS: Final = 40
"""OpenAI takes no longer id back."""


@dataclass(slots=True)
class _Call:
    """One call as far as it came."""

    id: str = ""
    name: str = ""
    written: str = ""

    @property
    def is_whole(self) -> bool:
        return isinstance(_arguments(self.written), Mapping) and bool(self.written.strip())


@dataclass(slots=True)
class ReplyParts:
    """What came of a reply so far."""

    text: str = ""
    finish: str | None = None
    """Why the server says it stopped, once it has."""
    is_done: bool = False
    """The server says that nothing more comes."""
    input_tokens: int = 0
    output_tokens: int = 0
    refused: bool = False
    _calls: list[_Call] = field(default_factory=list)
    _by_index: dict[int, _Call] = field(default_factory=dict)
    _n_characters: int = 0

    def take(self, chunk: Mapping[str, Any]) -> str:
        """Takes one chunk; gives the text in it, empty for many. Raises ModelError `cut` for what is no chunk."""
        if chunk.get("done") is True:
            self.is_done = True
        usage = chunk.get("usage")
        if isinstance(usage, Mapping):
            self.input_tokens = _count(usage.get("prompt_tokens"), self.input_tokens)
            self.output_tokens = _count(usage.get("completion_tokens"), self.output_tokens)
        choices = chunk.get("choices")
        if not isinstance(choices, list) or not choices:
            return ""
        choice = choices[0]
        if not isinstance(choice, Mapping):
            raise ModelError("cut", CUT)
        if isinstance(choice.get("finish_reason"), str) and choice["finish_reason"]:
            self.finish = choice["finish_reason"]
        delta = choice.get("delta", choice.get("message"))
        if not isinstance(delta, Mapping):
            return ""
        refusal = delta.get("refusal")
        if isinstance(refusal, str) and refusal:
            self.refused = True
        text = sound(_content(delta.get("content")) + (refusal if isinstance(refusal, str) else ""))
        self.text += text
        self._grow(len(text))
        calls = delta.get("tool_calls")
        for fragment in calls if isinstance(calls, list) else ():
            if isinstance(fragment, Mapping):
                self._add(fragment)
        return text

    @property
    def has_calls(self) -> bool:
        """Whether there is a call so far."""
        return bool(self._calls)

    @property
    def is_over(self) -> bool:
        """Whether the reply is whole; its usage may still come."""
        return self.finish is not None or self.is_done

    def whole(self, rung: Rung, used_ids: Container[str]) -> Reply:
        """The reply, when the last chunk has come; `used_ids` are those of the conversation's calls.

        Raises ModelError `cut` where the server never said that it stopped, or a call has no name.
        """
        if not self.is_over or any(not call.name for call in self._calls):
            raise ModelError("cut", CUT)
        stop: Stop = "refused" if self.refused else _STOPS.get(self.finish or "", "other")
        if stop == "end" and self._calls:
            stop = "tool_use"
        return Reply(
            text=self.text,
            calls=tuple(self._named(used_ids)),
            stop=stop,
            rung=rung,
            input_tokens=self.input_tokens,
            output_tokens=self.output_tokens,
        )

    def _named(self, used_ids: Container[str]) -> Iterator[ToolCall]:
        """The calls in their order, each with an id of its own."""
        given: set[str] = set()
        for call in self._calls:
            call_id = call.id
            if not call_id or len(call_id) > _ID_CHARACTERS or call_id in used_ids or call_id in given:
                call_id = new_id(given, used_ids)
            given.add(call_id)
            yield ToolCall(call_id, call.name, _arguments(call.written))

    def _add(self, fragment: Mapping[str, Any]) -> None:
        """Puts a fragment to the call that it belongs to, or begins one with it."""
        function = fragment.get("function")
        function = function if isinstance(function, Mapping) else {}
        call_id, name, written = fragment.get("id"), function.get("name"), function.get("arguments")
        call_id = sound(call_id) if isinstance(call_id, str) else ""
        name = sound(name) if isinstance(name, str) else ""
        index = fragment.get("index")
        last = self._calls[-1] if self._calls else None
        before = self._by_index.get(index) if isinstance(index, int) else last
        if before is None or _begins(before, call_id, name):
            if len(self._calls) >= MAX_CALLS:
                raise ModelError("cut", CUT)
            before = _Call()
            self._calls.append(before)
        if isinstance(index, int):
            self._by_index[index] = before
        before.id, before.name = before.id or call_id, before.name or name
        piece = written if isinstance(written, str) else json.dumps(written) if isinstance(written, Mapping) else ""
        before.written += sound(piece)
        self._grow(len(piece) + len(name) + len(call_id))

    def _grow(self, characters: int) -> None:
        self._n_characters += characters
        if self._n_characters > MAX_CHARACTERS:
            raise ModelError("cut", "The model's server does not stop. Ask again, or ask another model.")


def new_id(given: Container[str], used: Container[str]) -> str:
    """An id that no other call has: nine letters and digits, which is what Mistral's models take."""
    number = 1
    while (made := f"call{number:05}") in given or made in used:
        number += 1
    return made


def _begins(before: _Call, call_id: str, name: str) -> bool:
    """Whether a fragment that carries this begins a call beside one at the same place.

    Some servers send whole calls, all at index 0 and with one id; others repeat a call's name in every fragment.
    """
    if not name or not before.name:
        return False
    return name != before.name or (bool(call_id) and call_id != before.id) or before.is_whole


def _content(content: object) -> str:
    """A text, also one that comes as a list of parts."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    texts = (part.get("text") for part in parts if isinstance(part, Mapping) and part.get("type") == "text")
    return "".join(text for text in texts if isinstance(text, str))


def _count(value: object, otherwise: int) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else otherwise


def _arguments(written: str) -> Mapping[str, object] | str:
    """What a model wrote as JSON: an object, or the text where it is none. Nothing at all is an empty object."""
    if written.count("{") + written.count("[") > MAX_BRACKETS:
        return written
    try:
        found = json.loads(written if written.strip() else "{}")
    except (ValueError, RecursionError):
        return written
    return found if isinstance(found, dict) else written
