"""`read_range`: the only tool that makes evidence. Pure; awaits ports."""

from __future__ import annotations

from typing import Final

from toolrag.answer.tools.arguments import Arguments
from toolrag.answer.tools.desk import Desk, Done, shown_to_model, symbol_at
from toolrag.answer.tools.schemas import number, spec, text

SPEC: Final = spec(
    "read_range",
    "Read lines of a file as it is now. The result is evidence with an id: only lines read with this tool can be "
    "cited, as [id:start-end], for example [e1:12-18]. Best is a whole function with its signature; too many lines at "
    "once are refused as too_large and must be read in parts.",
    {
        "path": text("As other results give it, for example src/app.py."),
        "start": number("First line, counted from 1."),
        "end": number("Last line, included."),
    },
    {"expect_sha": text("The sha of the hint you follow: where the file has changed, you are told where to read.")},
)


async def read_range(desk: Desk, arguments: Arguments) -> Done:
    """Raises ReadError, any code."""
    path, expected = arguments.text("path"), arguments.text("expect_sha").strip().lower()
    read = await desk.reader.read_range(path, arguments.number("start"), arguments.number("end"), expected or None)
    snapshot, lines = read.evidence.snapshot, read.evidence.lines
    small = len(snapshot.text.content) <= desk.limits.max_parsed
    parsed = await desk.parsed(snapshot) if small else None
    symbol = symbol_at(parsed, lines) if parsed else None
    name = await desk.name_of(snapshot.uri, snapshot.root, snapshot.path)
    return Done(shown_to_model(read, name, symbol.qualified_name if symbol else ""), read)
