"""What LSP's own methods answer with, in its words. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from lsprotocol.types import DiagnosticSeverity, SymbolKind

from toolrag.answer import wire
from toolrag.answer.checking import CheckedText
from toolrag.answer.hover.markup import Format
from toolrag.answer.hover.names import Listed
from toolrag.answer.linking import advised, leads_to, said
from toolrag.session.types import Hover, Links
from toolrag.symbols import Kind
from toolrag.text import Position, PositionEncoding, units

Json = dict[str, object]

_KINDS: Final[Mapping[Kind, SymbolKind]] = {
    "class": SymbolKind.Class,
    "constant": SymbolKind.Constant,
    "field": SymbolKind.Field,
    "function": SymbolKind.Function,
    "method": SymbolKind.Method,
    "module": SymbolKind.Module,
    "section": SymbolKind.String,
    "type": SymbolKind.Struct,
}


def hover(value: Hover, form: Format) -> Json:
    """`Hover`, with the range of the name."""
    return {"contents": {"kind": form, "value": value.text}, "range": _range(value.start, value.end)}


def symbol(value: Listed, encoding: PositionEncoding) -> Json:
    """`SymbolInformation`: the range is that of the name, on the line that was looked at."""
    line = value.snapshot.text.line(value.line)
    start, end = (Position(value.line, units(line[:to], encoding)) for to in (value.start, value.end))
    return {
        "name": value.name,
        "kind": int(_KINDS[value.kind]),
        **({"containerName": value.container} if value.container else {}),
        "location": {"uri": value.snapshot.uri, "range": _range(start, end)},
    }


def document_links(links: Links, encoding: PositionEncoding) -> list[Json]:
    """`DocumentLink`s, each with its standing as the tooltip; without a target where there is nothing to open."""
    told: list[Json] = []
    for one, where in zip(links.citations, _ranges(links, encoding), strict=True):
        led = leads_to(one)
        # A URI with a fragment names a part of its document, such as a notebook's cell: it has none to spare.
        uri = "" if led is None else led[0].uri if "#" in led[0].uri else f"{led[0].uri}#L{led[1] + 1}"
        told.append({"range": where, **({"target": uri} if uri else {}), "tooltip": said(one)})
    return told


def location(one: CheckedText, encoding: PositionEncoding) -> Json | None:
    """`Location` of the lines of a citation; None for one whose lines are nowhere."""
    if one.snapshot is None or one.lines is None:
        return None
    return {"uri": one.snapshot.uri, "range": wire.location_range(one.snapshot, one.lines, encoding)}


def diagnostics(uri: str, links: Links | None, encoding: PositionEncoding) -> Json:
    """Params of `textDocument/publishDiagnostics`; None clears what was told."""
    if links is None:
        return {"uri": uri, "diagnostics": []}
    version = {} if links.snapshot.version is None else {"version": links.snapshot.version}
    told = [
        {
            "range": where,
            "severity": int(DiagnosticSeverity.Information),
            "code": one.verdict,
            "source": "toolrag",
            "message": advised(one),
        }
        for one, where in zip(links.citations, _ranges(links, encoding), strict=True)
    ]
    return {"uri": uri, **version, "diagnostics": told}


def _ranges(links: Links, encoding: PositionEncoding) -> Iterator[Json]:
    """Where each citation is written."""
    offsets = (at for one in links.citations for at in (one.written.start, one.written.end))
    places = links.snapshot.text.positions(offsets, encoding)
    return (_range(start, end) for start, end in zip(places, places, strict=True))


def _range(start: Position, end: Position) -> Json:
    return {side: {"line": at.line, "character": at.character} for side, at in (("start", start), ("end", end))}
