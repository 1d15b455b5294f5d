"""Cited texts as they were, as read-only documents: their URIs, and how a citation's standing is told. Pure.

`toolrag-cited:/<answer id>/<citation id>/<path>`: the two ids say which text it is, the path how an editor shows it.
"""

from __future__ import annotations

import re
from typing import Final
from urllib.parse import quote, unquote

from toolrag.answer import wire
from toolrag.answer.wire import Json
from toolrag.lsp.members import ParamsError
from toolrag.session.types import Stood
from toolrag.text import PositionEncoding, TextSnapshot, units

SCHEME: Final = "toolrag-cited"
_URI: Final = re.compile(rf"{SCHEME}:(?://)?/([^/?#]+)/([^/?#]+)/[^?#]*")


def uri_of(answer_id: str, citation_id: str, path: str) -> str:
    """The URI under which a citation's text is served."""
    return (
        f"{SCHEME}:/{quote(answer_id, safe='')}/{quote(citation_id, safe='')}/{quote(path, errors='surrogateescape')}"
    )


def ids_in(uri: str) -> tuple[str, str]:
    """The answer's id and the citation's. Raises ParamsError for another URI."""
    found = _URI.fullmatch(uri)
    if found is None:
        raise ParamsError(f"uri must be {SCHEME}:/<answer id>/<citation id>/<path>.")
    return unquote(found[1]), unquote(found[2])


def text_wire(answer_id: str, citation_id: str, snapshot: TextSnapshot) -> Json:
    """The result of `toolrag/cited`."""
    uri = uri_of(answer_id, citation_id, snapshot.path)
    return {
        "uri": uri,
        "path": snapshot.path,
        "root": snapshot.root,
        "sha": snapshot.sha,
        "text": snapshot.text.content,
    }


def stood_wire(stood: Stood, encoding: PositionEncoding) -> Json:
    """One citation of `toolrag/standings`."""
    told: Json = {"id": stood.id, "standing": stood.standing}
    if stood.uri is not None and stood.lines is not None:
        start = {"line": stood.lines.start, "character": 0}
        end = {"line": stood.lines.end - 1, "character": units(stood.last_line, encoding)}
        told["location"] = {"uri": stood.uri, "range": {"start": start, "end": end}}
        told["lines"] = wire.lines(stood.lines)
    return told
