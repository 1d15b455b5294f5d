"""What the ports take and give as JSON, and back again: exactly equal values. Pure.

The functions `…_of` raise KeyError, TypeError or ValueError for JSON that none of the others made.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from toolrag.answer.journal.chain import Blob
from toolrag.chat import Message, Reply, Said, ToolCall, Turn
from toolrag.errors import ModelError, ReadError
from toolrag.ports import Candidate, Place, Scope, Searched
from toolrag.symbols import Span
from toolrag.text import Form, LineRange, Text, TextSnapshot

Json = dict[str, Any]


def scope(value: Scope) -> Json:
    """`{include, exclude}`."""
    return {"include": list(value.include), "exclude": list(value.exclude)}


def scope_of(value: Json) -> Scope:
    """Back again."""
    return Scope(tuple(value["include"]), tuple(value["exclude"]))


def candidate(value: Candidate) -> Json:
    """Every member; lines are 0-based and half-open, as in the core."""
    return {
        "uri": value.uri,
        "root": value.root,
        "path": value.path,
        "sha": value.sha,
        "language": value.language,
        "span": span(value.span),
        "parent": span(value.parent),
        "lines": lines(value.lines),
        "signature": value.signature,
        "score": float(value.score),
        "focus": float(value.focus),
        "reasons": list(value.reasons),
    }


def candidate_of(value: Json) -> Candidate:
    """Back again."""
    return Candidate(
        uri=value["uri"],
        root=value["root"],
        path=value["path"],
        sha=value["sha"],
        language=value["language"],
        span=span_of(value["span"]),
        parent=span_of(value["parent"]),
        lines=lines_of(value["lines"]),
        signature=value["signature"],
        score=value["score"],
        focus=value["focus"],
        reasons=tuple(value["reasons"]),
    )


def place(value: Place) -> Json:
    """Every member."""
    return {
        "uri": value.uri,
        "root": value.root,
        "path": value.path,
        "sha": value.sha,
        "line": int(value.line),
        "span": span(value.span),
    }


def place_of(value: Json) -> Place:
    """Back again."""
    return Place(value["uri"], value["root"], value["path"], value["sha"], value["line"], span_of(value["span"]))


def searched(value: Searched) -> Json:
    """Every member."""
    return {
        "files": value.files,
        "skipped": value.skipped,
        "complete": value.complete,
        "terms": list(value.terms),
        "missing": list(value.missing),
        "dense_complete": value.dense_complete,
    }


def searched_of(value: Json) -> Searched:
    """Back again."""
    return Searched(
        value["files"],
        value["skipped"],
        value["complete"],
        tuple(value["terms"]),
        tuple(value["missing"]),
        value["dense_complete"],
    )


def span(value: Span | None) -> Json | None:
    """Every member."""
    if value is None:
        return None
    return {
        "name": value.name,
        "container": value.container,
        "kind": value.kind,
        "lines": lines(value.lines),
        "header": lines(value.header),
        "header_end": int(value.header_end),
        "doc": None if value.doc is None else lines(value.doc),
    }


def span_of(value: Json | None) -> Span | None:
    """Back again."""
    if value is None:
        return None
    return Span(
        value["name"],
        value["container"],
        value["kind"],
        lines_of(value["lines"]),
        lines_of(value["header"]),
        value["header_end"],
        None if value["doc"] is None else lines_of(value["doc"]),
    )


def lines(value: LineRange) -> list[int]:
    """`[start, end]`, 0-based and half-open."""
    return [int(value.start), int(value.end)]


def lines_of(value: Sequence[int]) -> LineRange:
    """Back again."""
    start, end = value
    return LineRange(start, end)


def snapshot(value: TextSnapshot) -> Json:
    """Every member but the text."""
    form = value.form
    return {
        "uri": value.uri,
        "root": value.root,
        "path": value.path,
        "form": {"encoding": form.encoding, "bom": form.bom, "newline": form.newline},
        "sha": value.sha,
        "source": value.source,
        "version": value.version,
        "dirty": value.dirty,
    }


def snapshot_of(value: Json, text: str) -> TextSnapshot:
    """Back again, with its text."""
    form = value["form"]
    return TextSnapshot(
        uri=value["uri"],
        root=value["root"],
        path=value["path"],
        text=Text(text),
        form=Form(form["encoding"], form["bom"], form["newline"]),
        sha=value["sha"],
        source=value["source"],
        version=value["version"],
        dirty=value["dirty"],
    )


def text(value: TextSnapshot) -> Blob:
    """The whole text of a snapshot."""
    return Blob(value.text.content)


def read_error(value: ReadError) -> Json:
    """`{code, message, details}`."""
    return {"code": value.code, "message": value.message, "details": dict(value.details)}


def read_error_of(value: Json) -> ReadError:
    """Back again."""
    return ReadError(value["code"], value["message"], **value["details"])


def model_error(value: ModelError) -> Json:
    """`{code, message, after}`."""
    return {"code": value.code, "message": value.message, "after": value.after}


def model_error_of(value: Json) -> ModelError:
    """Back again."""
    return ModelError(value["code"], value["message"], after=value["after"])


def messages(value: Sequence[Message]) -> list[Json]:
    """As `gen_ai.input.messages` has them; what a model is told of its calls is a message of role `tool`."""
    return [_said(one) if isinstance(one, Said) else reply(one) for one in value]


def reply(value: Reply) -> Json:
    """A message of role `assistant`; what OpenTelemetry has no name for is the ports' own."""
    parts: list[Json] = [{"type": "text", "content": value.text}] if value.text else []
    parts += [
        {"type": "tool_call", "id": call.id, "name": call.name, "arguments": _arguments(call)} for call in value.calls
    ]
    return {
        "role": "assistant",
        "parts": parts,
        "finish_reason": finish_reason(value),
        "toolrag.stop": value.stop,
        "toolrag.rung": value.rung,
        "toolrag.opaque": value.opaque,
        "toolrag.tokens": [value.input_tokens, value.output_tokens],
    }


def reply_of(value: Json) -> Reply:
    """Back again."""
    texts = [part["content"] for part in value["parts"] if part["type"] == "text"]
    calls = [
        ToolCall(part["id"], part["name"], part["arguments"]) for part in value["parts"] if part["type"] == "tool_call"
    ]
    tokens_in, tokens_out = value["toolrag.tokens"]
    return Reply(
        "".join(texts),
        tuple(calls),
        value["toolrag.stop"],
        value["toolrag.rung"],
        tokens_in,
        tokens_out,
        value["toolrag.opaque"],
    )


def finish_reason(value: Reply) -> str:
    """A stop in OpenTelemetry's words."""
    return {"end": "stop", "tool_use": "tool_call", "length": "length", "refused": "content_filter"}.get(
        value.stop, "error"
    )


def tools(turn: Turn) -> list[Json]:
    """As `gen_ai.tool.definitions` has them."""
    return [
        {
            "type": "function",
            "name": tool.name,
            "description": tool.description,
            "parameters": dict(tool.parameters),
        }
        for tool in turn.tools
    ]


def _said(value: Said) -> Json:
    parts: list[Json] = [
        {
            "type": "tool_call_response",
            "id": result.call_id,
            "response": result.text,
            "toolrag.is_error": result.is_error,
        }
        for result in value.results
    ]
    parts += [{"type": "text", "content": value.text}] if value.text else []
    return {"role": "tool" if value.results else "user", "parts": parts}


def _arguments(call: ToolCall) -> object:
    return dict(call.arguments) if isinstance(call.arguments, Mapping) else call.arguments
