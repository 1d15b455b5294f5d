"""The wire's names and shapes are PROTOCOL section 2's, and an editor that cuts a location gets the quote."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

import numpy as np
import pytest
from answer_doubles import MemoryRetriever
from doubles import MemoryDocuments
from hypothesis import given
from hypothesis import strategies as st
from toolrag.answer import wire
from toolrag.answer.citations import anchor_of
from toolrag.answer.types import Answer, Callers, Citation, Claim, Reason, Usage
from toolrag.ports import Candidate, Scope, Searched, SearchResult
from toolrag.text import Form, LineRange, Position, PositionEncoding, Text, TextSnapshot

CODE = "def f():\n    return '🙂'\n"
SEARCHED = Searched(1, 2, True, ("f",), ("g",))


def snapshot(text: str, path: str = "a.py") -> TextSnapshot:
    return asyncio.run(MemoryDocuments({path: text}).snapshot(path))


def citation(text: TextSnapshot, lines: LineRange, symbol: str = "") -> Citation:
    return Citation("r1", text, lines, text.text.sha_of(lines), anchor_of(text.text, lines), symbol, "verified")


def candidates() -> tuple[Candidate, ...]:
    return asyncio.run(MemoryRetriever({"a.py": CODE}).definitions("f", 1, Scope()))


def answer() -> Answer:
    return Answer(
        id="0" * 16,
        question="what is f?",
        outcome="answered",
        reason=None,
        model="extractive",
        claims=(Claim("c1", "`f`", ("r1",)),),
        citations=(citation(snapshot(CODE), LineRange(0, 2), "f"),),
        candidates=candidates(),
        searched=SEARCHED,
        usage=Usage(tool_calls=1, reads=1, bytes_read=9, seconds=0.25),
    )


def test_an_answer() -> None:
    found = wire.answer(answer())
    assert list(found) == "id question outcome model claims citations candidates searched usage".split()
    assert found["claims"] == [{"id": "c1", "text": "`f`", "citations": ["r1"]}]
    assert found["searched"] == {
        "files": 1,
        "skipped": 2,
        "complete": True,
        "denseComplete": True,
        "terms": ["f"],
        "missing": ["g"],
    }
    assert found["usage"] == {
        "turns": 0,
        "toolCalls": 1,
        "reads": 1,
        "bytesRead": 9,
        "inputTokens": 0,
        "outputTokens": 0,
        "seconds": 0.25,
    }


def test_a_reason_and_callers_stand_only_where_there_are_some() -> None:
    found = wire.answer(
        replace(answer(), reason=Reason("nothing_found", "No."), callers=Callers("f", 3, 2, complete=False))
    )
    assert found["reason"] == {"code": "nothing_found", "message": "No."}
    assert found["callers"] == {"name": "f", "count": 3, "files": 2, "complete": False}


def test_a_citation() -> None:
    text = snapshot("# a\n" + CODE)
    lines = LineRange(1, 3)
    anchor = anchor_of(text.text, lines)
    assert wire.citation(citation(text, lines, "f")) == {
        "id": "r1",
        "path": "a.py",
        "root": "workspace",
        "location": {
            "uri": "file:///workspace/a.py",
            "range": {"start": {"line": 1, "character": 0}, "end": {"line": 2, "character": 15}},
        },
        "lines": {"start": 2, "end": 3},
        "sha": text.sha,
        "linesSha": text.text.sha_of(lines),
        "anchor": {"before": list(anchor.before), "after": list(anchor.after), "occurrences": 1, "told": "lines"},
        "source": "disk",
        "quote": CODE,
        "symbol": "f",
        "standing": "verified",
    }


def test_a_buffers_version_is_told_and_a_missing_symbol_is_not() -> None:
    found = wire.citation(citation(replace(snapshot(CODE), source="buffer", version=3), LineRange(0, 1)))
    assert (found["source"], found["version"]) == ("buffer", 3)
    assert "symbol" not in found


def test_a_candidate() -> None:
    [one] = candidates()
    assert wire.candidate(one) == {
        "path": "a.py",
        "root": "workspace",
        "location": {
            "uri": "file:///workspace/a.py",
            "range": {"start": {"line": 0, "character": 0}, "end": {"line": 2, "character": 0}},
        },
        "lines": {"start": 1, "end": 2},
        "sha": one.sha,
        "symbol": {"name": "f", "kind": "function", "container": ""},
        "signature": "def f()",
        "score": 1.0,
        "reasons": ["its words"],
    }
    assert wire.candidate(replace(one, span=None))["symbol"] == {"name": "", "kind": "module", "container": ""}


def test_a_search_result() -> None:
    found = wire.search_result(SearchResult(candidates(), SEARCHED))
    assert found == {"candidates": [wire.candidate(candidates()[0])], "searched": wire.searched(SEARCHED)}


def test_a_score_of_numpys_is_json() -> None:
    json.dumps(wire.candidate(replace(candidates()[0], score=np.float32(0.5))))  # type: ignore[arg-type]  # the slip


LINE_ENDS = st.sampled_from(["\n", "\r\n", "\r"])
TEXTS = st.lists(
    st.text(st.sampled_from("ab🙂é漢\u2028\f\ud800"), max_size=5) | LINE_ENDS, min_size=1, max_size=12
).map("".join)
ENCODINGS = st.sampled_from(["utf-8", "utf-16", "utf-32"])


def editor_slice(text: str, found: dict[str, dict[str, int]], encoding: PositionEncoding) -> str:
    """What an editor with this buffer has at a range."""
    buffer = Text(text)
    start, end = (
        buffer.offset(Position(found[name]["line"], found[name]["character"]), encoding) for name in ("start", "end")
    )
    return text[start:end]


@given(TEXTS, ENCODINGS, st.data())
def test_an_editor_that_cuts_the_location_gets_the_quote(
    text: str, encoding: PositionEncoding, data: st.DataObject
) -> None:
    whole = TextSnapshot("untitled:a", "", "untitled:a", Text(text), Form(), "0" * 40, "buffer", 1, dirty=True)
    start = data.draw(st.integers(0, whole.text.n_lines - 1))
    lines = LineRange(start, data.draw(st.integers(start + 1, whole.text.n_lines)))
    found = wire.citation(citation(whole, lines), encoding)
    location, quote = found["location"], found["quote"]
    assert isinstance(location, dict)
    assert isinstance(quote, str)
    without_end = quote.removesuffix("\n").removesuffix("\r") if quote.endswith("\n") else quote.removesuffix("\r")
    if lines.end == whole.text.n_lines:
        without_end = quote  # the last line of a text has no end
    assert editor_slice(text, location["range"], encoding) == without_end
    assert json.loads(json.dumps(found)) == found


@pytest.mark.parametrize(
    ("encoding", "character"),
    [
        pytest.param("utf-8", 10, id="bytes"),
        pytest.param("utf-16", 8, id="code units"),
        pytest.param("utf-32", 7, id="characters"),
    ],
)
def test_astral_characters_in_a_file_of_cr_lines(encoding: PositionEncoding, character: int) -> None:
    found = wire.location_range(snapshot("a\rx = '🙂'\rb"), LineRange(1, 2), encoding)
    assert found == {"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": character}}
