"""What LSP's own methods answer with, in its words. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from lsprotocol.types import SymbolKind

from toolrag.answer.hover.markup import Format
from toolrag.answer.hover.names import Listed
from toolrag.session.types import Hover
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


def _range(start: Position, end: Position) -> Json:
    return {side: {"line": at.line, "character": at.character} for side, at in (("start", start), ("end", end))}
