"""Runs what a model calls. Nothing that a model wrote is an error of ours: it is told what went wrong, as data. Pure.

Which tools there are never depends on what a file says, and what a file says stands only within JSON strings.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from toolrag.answer.reading import RangeReader, ReadResult
from toolrag.answer.tools import find_references, find_symbol, grep, list_outline, read_range, search_code
from toolrag.answer.tools.arguments import Arguments, BadArgumentsError, parse_arguments
from toolrag.answer.tools.desk import Desk, Done, symbol_at, to_json
from toolrag.answer.tools.limits import ToolLimits
from toolrag.chat import ToolCall, ToolResult, ToolSpec
from toolrag.errors import ReadError
from toolrag.ports import Candidate, Clock, DocumentSource, Retriever, Scope, SpanParser
from toolrag.symbols import ParsedFile
from toolrag.text import LineRange, TextSnapshot

Tool = Callable[[Desk, Arguments], Awaitable[Done]]

_TOOLS: Final[tuple[tuple[ToolSpec, Tool], ...]] = (
    (read_range.SPEC, read_range.read_range),
    (search_code.SPEC, search_code.search_code),
    (find_symbol.SPEC, find_symbol.find_symbol),
    (find_references.SPEC, find_references.find_references),
    (list_outline.SPEC, list_outline.list_outline),
    (grep.SPEC, grep.grep),
)
_SNAKE: Final = {"totalLines": "total_lines"}
_MAX_ECHO: Final = 60


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a call."""

    result: ToolResult
    read: ReadResult | None = None
    """A new read that succeeded."""
    failure: str = ""
    """What kind of failure it was: a code of ReadError, `bad_arguments` or `unknown_tool`; empty for a success."""
    repeats: bool = False
    """The same call was made before, and was not run again."""


@dataclass(slots=True)
class _Made:
    """A call that was made before."""

    failure: str = ""
    message: str = ""
    read: ReadResult | None = None


class Toolbox:
    """The tools of one run."""

    def __init__(
        self,
        reader: RangeReader,
        retriever: Retriever,
        documents: DocumentSource,
        parser: SpanParser,
        scope: Scope,
        clock: Clock,
        limits: ToolLimits = ToolLimits(),  # noqa: B008 - frozen
    ) -> None:
        self._desk = Desk(reader, retriever, documents, parser, scope, clock, limits)
        self._tools: Final[Mapping[str, tuple[ToolSpec, Tool]]] = {spec.name: (spec, tool) for spec, tool in _TOOLS}
        self._made: dict[str, _Made] = {}
        self._parsed: dict[str, ParsedFile | None] = {}
        self.specs: Final[tuple[ToolSpec, ...]] = tuple(spec for spec, _ in _TOOLS)

    async def hints(self, candidates: Iterable[Candidate]) -> list[dict[str, object]]:
        """Candidates as a model is told of them, by paths that it can read them with."""
        return await self._desk.hints(candidates)

    async def symbol_of(self, snapshot: TextSnapshot, lines: LineRange) -> str:
        """The qualified name of the symbol that lines belong to; empty where there is none."""
        if snapshot.sha not in self._parsed:
            self._parsed[snapshot.sha] = await self._desk.parsed(snapshot)
        parsed = self._parsed[snapshot.sha]
        span = None if parsed is None else symbol_at(parsed, lines)
        return "" if span is None else span.qualified_name

    async def run(self, call: ToolCall) -> Outcome:
        """The result of one call, or why there is none. Never raises for anything a model wrote.

        The same call with the same meaning is not run again: its result still stands in the conversation, and a model
        that goes in a circle would spend the run's budget. One kind is: a read whose file has changed since, or a claim
        that fails because of that could never be mended.
        """
        known = self._tools.get(call.name)
        if known is None:
            message = f"There is no tool {call.name[:_MAX_ECHO]!r}; there are {', '.join(self._tools)}."
            return self._failed(call, call_key(call.name, call.arguments), "unknown_tool", {"message": message})
        spec, tool = known
        try:
            arguments = parse_arguments(spec, call.arguments)
        except BadArgumentsError as error:
            return self._failed(call, call_key(call.name, call.arguments), "bad_arguments", {"message": str(error)})
        key = to_json({"tool": call.name, "arguments": dict(sorted(arguments.values.items()))})
        made = self._made.get(key)
        if made is not None and not await self._has_changed(made):
            return _repeated(call, made)
        made = self._made[key] = _Made()  # before anything is awaited: the same call may come beside this one
        try:
            done = await tool(self._desk, arguments)
        except BadArgumentsError as error:
            del self._made[key]
            return self._failed(call, key, "bad_arguments", {"message": str(error)})
        except ReadError as error:
            details = {_SNAKE.get(name, name): value for name, value in error.details.items()}
            del self._made[key]
            return self._failed(call, key, error.code, {"message": error.message, **details})
        made.read = done.read
        return Outcome(ToolResult(call.id, to_json(done.told), is_error=False), done.read)

    async def _has_changed(self, made: _Made) -> bool:
        """Whether a read gave a text that its file no longer has."""
        if made.read is None:
            return False
        then = made.read.evidence.snapshot
        (now,) = await self._desk.documents.glances([then.uri])
        return now is None or now.sha != then.sha

    def _failed(self, call: ToolCall, key: str, failure: str, told: Mapping[str, object]) -> Outcome:
        """A failure; the second time it is said to be the same."""
        made = self._made.get(key)
        if made is not None:
            return _repeated(call, made)
        self._made[key] = _Made(failure, str(told["message"]))
        return Outcome(ToolResult(call.id, to_json({"error": failure, **told}), is_error=True), failure=failure)


def _repeated(call: ToolCall, made: _Made) -> Outcome:
    if made.failure:
        message = f"You made this call already, and it failed: {made.message} Make another one."
        told = {"repeat": True, "error": made.failure, "message": message}
    else:
        message = (
            "You made this call already; its result is above. Make another one, or answer from what you have read."
        )
        told = {"repeat": True, "message": message}
        if made.read is not None:
            told["evidence"] = made.read.evidence.id
    return Outcome(ToolResult(call.id, to_json(told), is_error=bool(made.failure)), failure=made.failure, repeats=True)


def call_key(name: str, arguments: object) -> str:
    """What tells one call that was not run from another; the order of its arguments does not."""
    try:
        return f"{name} {json.dumps(arguments, sort_keys=True)}"
    except (RecursionError, ValueError, TypeError):  # too deep, a number of thousands of digits, or no JSON
        return f"{name} {type(arguments).__name__}"
