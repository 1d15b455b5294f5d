"""What is true of spans in every language, of whole files and of files that break off anywhere."""

from __future__ import annotations

import random

import pytest
from retrieval.test_spans_golden import GOLDEN, SAMPLES
from toolrag.retrieval.languages import LANGUAGES, language_of
from toolrag.retrieval.spans import parse_source
from toolrag.symbols import ParsedFile
from toolrag.text import Text

HOSTILE = ["(" * 400, "[" * 400, "{ " * 400, "f(" * 400, "@a\n" * 400, '"' * 399, "/*" * 400]


def check(text: Text, parsed: ParsedFile) -> None:
    """Every line lies in the text, and of two spans one holds the other or they share at most a line."""
    for span in parsed.spans:
        assert span.name
        assert 0 <= span.lines.start <= span.header.start < span.header.end <= span.lines.end <= text.n_lines
        assert span.doc is None or span.doc in span.lines
        assert span.header_end <= len(text.line(span.header.end - 1))
    for reference in parsed.references:
        assert reference.line < text.n_lines
        assert reference.span is None or parsed.spans[reference.span].lines.start <= reference.line
    for index, one in enumerate(parsed.spans):
        for other in parsed.spans[index + 1 :]:
            nested = one.lines in other.lines or other.lines in one.lines
            assert nested or other.lines.start >= one.lines.end - 1, (one, other)


@pytest.mark.parametrize("name", SAMPLES)
def test_a_file_that_breaks_off_anywhere_is_parsed(name: str) -> None:
    """As while somebody types; and with a stretch left out of its middle."""
    content = (GOLDEN / f"{name}.txt").read_bytes().decode()
    language = language_of(name)
    assert language is not None
    chance = random.Random(name)
    for _ in range(30):
        start, end = sorted(chance.randrange(len(content) + 1) for _ in range(2))
        for part in (content[:end], content[start:], content[:start] + content[end:]):
            check(Text(part), parse_source(part, language))


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_hostile_texts_end(language: str) -> None:
    """None crashes. Of longer ones some grammars take minutes; the parse process is there for them."""
    for text in HOSTILE:
        parsed = parse_source(text, language)
        assert sum(len(passage.lines) for passage in parsed.passages) >= 1
