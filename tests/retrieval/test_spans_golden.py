"""The spans of each sample in `golden/`, compared with the table beside it.

A sample is `LANGUAGE_WORD.SUFFIX.txt`: its name without `.txt` is what the file would be called.

`TOOLRAG_REWRITE_GOLDEN=1 pytest tests/retrieval/test_spans_golden.py` writes the tables anew, and fails where one
changed: read the difference before you keep it.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from toolrag.retrieval.cuts import signature
from toolrag.retrieval.languages import LANGUAGES, language_for
from toolrag.retrieval.spans import parse_source
from toolrag.symbols import ParsedFile
from toolrag.text import LineRange, Text

GOLDEN = Path(__file__).parents[1] / "golden"
SAMPLES = sorted(path.name.removesuffix(".txt") for path in GOLDEN.glob("*.*.txt"))


def show(lines: LineRange) -> str:
    return f"{lines.start + 1}-{lines.end}"


def sample(name: str) -> tuple[str, str]:
    """A sample's content and language."""
    content = (GOLDEN / f"{name}.txt").read_bytes().decode()
    language = language_for(name, content)
    assert language is not None
    return content, language


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
    text, language = sample(name)
    found = table(Text(text), parse_source(text, language), language)
    expected = GOLDEN / f"{name}.spans"
    before = expected.read_text() if expected.exists() else ""
    if os.environ.get("TOOLRAG_REWRITE_GOLDEN"):
        expected.write_text(found)
    assert found == before


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_every_language_of_the_table_has_a_sample_that_is_named_for_it(language: str) -> None:
    """A language without a golden file is one nobody has looked at; one of nothing but text has no symbols to show."""
    samples = [name for name in SAMPLES if sample(name)[1] == language]
    assert [name for name in samples if name.startswith((f"{language}_", f"{language}."))]
    assert language == "text" or any(parse_source(sample(name)[0], language).spans for name in samples)


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_is_named_for_the_language_it_is_taken_for(name: str) -> None:
    """Longest name first: `ocaml_interface.mli` is not of `ocaml`."""
    named = max((language for language in LANGUAGES if name.startswith(language)), key=len, default="")
    assert sample(name)[1] == named


def test_every_table_has_its_sample() -> None:
    """One whose sample is gone is compared with nothing."""
    assert sorted(path.name.removesuffix(".spans") for path in GOLDEN.glob("*.spans")) == SAMPLES
