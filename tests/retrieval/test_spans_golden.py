"""The spans of each sample in `golden/`, compared with the table beside it.

`TOOLRAG_REWRITE_GOLDEN=1 pytest tests/retrieval/test_spans_golden.py` writes the tables anew, and fails where one
changed: read the difference before you keep it.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from toolrag.retrieval.cuts import signature
from toolrag.retrieval.languages import LANGUAGES, language_of
from toolrag.retrieval.spans import parse_source
from toolrag.symbols import ParsedFile
from toolrag.text import LineRange, Text

GOLDEN = Path(__file__).parents[1] / "golden"
SAMPLES = sorted(path.name.removesuffix(".txt") for path in GOLDEN.glob("*.*.txt"))


def show(lines: LineRange) -> str:
    return f"{lines.start + 1}-{lines.end}"


def table(text: Text, parsed: ParsedFile, language: str) -> str:
    """Spans (lines, kind, name with container, doc's lines, signature), then passages and references, 1-based."""
    spans = [
        f"{show(span.lines):8}{span.kind:10}{span.qualified_name:44}  {'doc ' + show(span.doc) if span.doc else '':12}"
        f"{signature(text, span, language)}"
        for span in parsed.spans
    ]
    names = [span.qualified_name for span in parsed.spans]
    passages = [
        f"{show(passage.lines):8}{names[passage.span] if passage.span is not None else ''}"
        for passage in parsed.passages
    ]
    references = [
        f"{one.line + 1:<8}{one.kind:10}{one.name:44}  {names[one.span] if one.span is not None else ''}"
        for one in parsed.references
    ]
    rows = ["spans", *spans, "", "passages", *passages, "", "references", *references]
    return "".join(f"{row.rstrip()}\n" for row in rows)


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_has_exactly_the_spans_passages_and_references_of_its_table(name: str) -> None:
    """First and last lines, kind, container, signature and doc lines are those a reader would give."""
    text = (GOLDEN / f"{name}.txt").read_bytes().decode()
    language = language_of(name)
    assert language is not None
    found = table(Text(text), parse_source(text, language), language)
    expected = GOLDEN / f"{name}.spans"
    before = expected.read_text() if expected.exists() else ""
    if os.environ.get("TOOLRAG_REWRITE_GOLDEN"):
        expected.write_text(found)
    assert found == before


def test_every_language_has_a_sample() -> None:
    """A language without a golden file is one nobody has looked at."""
    assert {language_of(name) for name in SAMPLES} == set(LANGUAGES)
