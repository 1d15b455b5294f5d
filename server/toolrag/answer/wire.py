"""Answers, candidates and citations in the wire's names (PROTOCOL section 2): camelCase, JSON values only. Pure.

The one place where core ranges become 1-based lines and positions in an encoding.
"""

from __future__ import annotations

from toolrag.answer.types import Answer, Callers, Citation, Claim, Reason, Usage
from toolrag.ports import Candidate, Searched, SearchResult
from toolrag.symbols import Span
from toolrag.text import LineRange, PositionEncoding, TextSnapshot, units

Json = dict[str, object]


def answer(value: Answer, encoding: PositionEncoding = "utf-16") -> Json:
    """`Answer`; `reason`, `callers` and `journal` only where there is one."""
    return {
        "id": value.id,
        "question": value.question,
        "outcome": value.outcome,
        **({"reason": reason(value.reason)} if value.reason else {}),
        "model": value.model,
        "claims": [claim(item) for item in value.claims],
        "citations": [citation(item, encoding) for item in value.citations],
        "candidates": [candidate(item) for item in value.candidates],
        "searched": searched(value.searched),
        "usage": usage(value.usage),
        **({"callers": callers(value.callers)} if value.callers else {}),
        **({"journal": value.journal} if value.journal else {}),
    }


def claim(value: Claim) -> Json:
    """`Claim`."""
    return {"id": value.id, "text": value.text, "citations": list(value.citations)}


def citation(value: Citation, encoding: PositionEncoding = "utf-16") -> Json:
    """`Citation`; `version` where an editor has one, `symbol` where the lines belong to one."""
    snapshot = value.snapshot
    return {
        "id": value.id,
        "path": snapshot.path,
        "root": snapshot.root,
        "location": {"uri": snapshot.uri, "range": location_range(snapshot, value.lines, encoding)},
        "lines": lines(value.lines),
        "sha": snapshot.sha,
        "linesSha": value.lines_sha,
        "anchor": {
            "before": list(value.anchor.before),
            "after": list(value.anchor.after),
            "occurrences": value.anchor.occurrences,
            "told": value.anchor.told,
        },
        "source": snapshot.source,
        **({} if snapshot.version is None else {"version": snapshot.version}),
        "quote": snapshot.text.slice(value.lines),
        **({"symbol": value.symbol} if value.symbol else {}),
        "standing": value.standing,
    }


def candidate(value: Candidate) -> Json:
    """`Candidate`; a passage of a file's top level has a symbol of kind `module` without a name."""
    return {
        "path": value.path,
        "root": value.root,
        "location": {
            "uri": value.uri,
            # A candidate's text is not at hand, and it points to whole lines: from one line's start to the next's.
            "range": {
                "start": {"line": value.lines.start, "character": 0},
                "end": {"line": value.lines.end, "character": 0},
            },
        },
        "lines": lines(value.lines),
        "sha": value.sha,
        "symbol": symbol(value.span),
        "signature": value.signature,
        "score": float(value.score),
        "reasons": list(value.reasons),
    }


def search_result(value: SearchResult) -> Json:
    """`{candidates, searched}`."""
    return {"candidates": [candidate(item) for item in value.candidates], "searched": searched(value.searched)}


def symbol(span: Span | None) -> Json:
    """`{name, kind, container}`."""
    if span is None:
        return {"name": "", "kind": "module", "container": ""}
    return {"name": span.name, "kind": span.kind, "container": span.container}


def searched(value: Searched) -> Json:
    """`searched`, with `missing`: those of the terms that are in no file."""
    return {
        "files": value.files,
        "skipped": value.skipped,
        "complete": value.complete,
        "denseComplete": value.dense_complete,
        "terms": list(value.terms),
        "missing": list(value.missing),
    }


def usage(value: Usage) -> Json:
    """`usage`."""
    return {
        "turns": value.turns,
        "toolCalls": value.tool_calls,
        "reads": value.reads,
        "bytesRead": value.bytes_read,
        "inputTokens": value.input_tokens,
        "outputTokens": value.output_tokens,
        "seconds": value.seconds,
    }


def reason(value: Reason) -> Json:
    """`reason`."""
    return {"code": value.code, "message": value.message}


def callers(value: Callers) -> Json:
    """`callers`: how many places name a symbol as called."""
    return {"name": value.name, "count": value.count, "files": value.files, "complete": value.complete}


def lines(value: LineRange) -> Json:
    """`{start, end}`, 1-based and inclusive."""
    return {"start": value.start + 1, "end": value.end}


def location_range(snapshot: TextSnapshot, value: LineRange, encoding: PositionEncoding) -> Json:
    """An LSP range from the first line's start to the last line's end, its line end left out."""
    last = value.end - 1
    return {
        "start": {"line": value.start, "character": 0},
        "end": {"line": last, "character": units(snapshot.text.line(last), encoding)},
    }
