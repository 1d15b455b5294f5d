"""`list_outline`: the symbols of one file as it is now, without their bodies. Pure; awaits ports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from toolrag.answer.tools.arguments import Arguments
from toolrag.answer.tools.desk import Desk, Done
from toolrag.answer.tools.schemas import spec, text
from toolrag.symbols import Span

SPEC: Final = spec(
    "list_outline",
    "List the symbols of a file, nested: name, kind, first and last line. Use it to see what a long file has, then "
    "read what you need with read_range.",
    {"path": text("As other results give it, for example src/app.py.")},
    {},
)


async def list_outline(desk: Desk, arguments: Arguments) -> Done:
    """Raises BadArgumentsError; ReadError, as `DocumentSource.snapshot`."""
    snapshot = await desk.documents.snapshot(arguments.query("path", desk.limits.max_query))
    parsed = await desk.parsed(snapshot)
    spans = parsed.spans if parsed else ()
    limit = desk.limits.max_symbols
    told: dict[str, object] = {
        "path": await desk.name_of(snapshot.uri, snapshot.root, snapshot.path),
        "sha": snapshot.sha,
        "total_lines": snapshot.text.n_lines,
        "symbols": nested(sorted(spans, key=lambda span: (span.lines.start, -span.lines.end))[:limit]),
    }
    if len(spans) > limit:
        told["more"] = f"These are the first {limit} of {len(spans):,} symbols; read further down with read_range."
    if not spans:
        told["message"] = "No symbols are known in this file; read its lines."
    return Done(told)


def nested(spans: Sequence[Span]) -> list[dict[str, object]]:
    """Symbols, each with those inside it; given in the order of their first lines, the longer first."""
    top: list[dict[str, object]] = []
    around: list[tuple[Span, list[dict[str, object]]]] = []
    for span in spans:
        while around and span.lines not in around[-1][0].lines:
            around.pop()
        inside: list[dict[str, object]] = []
        entry: dict[str, object] = {
            "name": span.name if around else span.qualified_name,
            "kind": span.kind,
            "start": span.lines.start + 1,
            "end": span.lines.end,
            "inside": inside,
        }
        (around[-1][1] if around else top).append(entry)
        around.append((span, inside))
    return _without_empty(top)


def _without_empty(entries: list[dict[str, object]]) -> list[dict[str, object]]:
    """The same entries; one that holds nothing does not say so."""
    waiting = [*entries]
    while waiting:
        entry = waiting.pop()
        inside = entry["inside"]
        assert isinstance(inside, list)
        waiting += inside
        if not inside:
            del entry["inside"]
    return entries
