"""`toolrag/locate` and `toolrag/verify` in the wire's names (PROTOCOL section 3). Pure, awaits ports."""

from __future__ import annotations

from collections.abc import Mapping

from toolrag.answer import wire
from toolrag.answer.checking import CheckedAnswer, CheckedText, check_answer, check_text
from toolrag.answer.locating import Elsewhere, locate_cited, parse_citation
from toolrag.answer.wire import Json
from toolrag.errors import ReadError
from toolrag.ports import DocumentSource
from toolrag.text import LineRange, PositionEncoding, Text, TextSnapshot


async def locate_wire(
    citation: Mapping[str, object],
    documents: DocumentSource,
    elsewhere: Elsewhere | None,
    encoding: PositionEncoding = "utf-16",
) -> Json:
    """`{standing, location?, lines?, sha?, error?, message?}`. Raises ValueError, one sentence, for no citation.

    `sha` is left out where there is no text; then `error` says why, by a code of section 1.
    """
    found = await locate_cited(parse_citation(citation), documents, elsewhere)
    sha = {} if found.snapshot is None else {"sha": found.snapshot.sha}
    return {"standing": found.standing, **_place(found.snapshot, found.lines, encoding), **sha, **_error(found.error)}


async def verify_text_wire(
    text: str, documents: DocumentSource, encoding: PositionEncoding = "utf-16", folder: str = ""
) -> Json:
    """`{citations, unsupported: []}` of a text with written citations; see `checking.check_text`."""
    return text_wire(text, await check_text(text, documents, folder), encoding)


async def verify_answer_wire(
    answer: Mapping[str, object],
    documents: DocumentSource,
    elsewhere: Elsewhere | None,
    encoding: PositionEncoding = "utf-16",
) -> Json:
    """`{citations, unsupported}` of a saved answer. Raises ValueError, one sentence, when it is none."""
    return answer_wire(await check_answer(answer, documents, elsewhere), encoding)


def text_wire(text: str, checked: list[CheckedText], encoding: PositionEncoding) -> Json:
    """What was found of a text; `range` is where each citation is written in it."""
    whole = Text(text)
    citations = []
    for one in checked:
        start, end = (whole.position(at, encoding) for at in (one.written.start, one.written.end))
        citations.append(
            {
                "written": one.written.text,
                "range": {
                    "start": {"line": start.line, "character": start.character},
                    "end": {"line": end.line, "character": end.character},
                },
                "standing": one.verdict,
                **_place(one.snapshot, one.lines, encoding),
                **_error(one.error),
            }
        )
    return {"citations": citations, "unsupported": []}


def answer_wire(checked: CheckedAnswer, encoding: PositionEncoding) -> Json:
    """What was found of an answer; `id` is each citation's own."""
    return {
        "citations": [
            {
                "id": one.id,
                "written": one.cited.written,
                "standing": one.located.standing,
                **_place(one.located.snapshot, one.located.lines, encoding),
                **_error(one.located.error),
            }
            for one in checked.citations
        ],
        "unsupported": [
            {"id": claim.id, "text": claim.text, "citations": list(claim.citations), "why": claim.why}
            for claim in checked.unsupported
        ],
    }


def _place(snapshot: TextSnapshot | None, lines: LineRange | None, encoding: PositionEncoding) -> Json:
    if snapshot is None or lines is None:
        return {}
    location = {"uri": snapshot.uri, "range": wire.location_range(snapshot, lines, encoding)}
    return {"location": location, "lines": wire.lines(lines)}


def _error(error: ReadError | None) -> Json:
    return {} if error is None else {"error": error.code, "message": error.message}
