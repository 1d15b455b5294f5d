"""What is true of spans in every language, of whole files and of files that break off anywhere."""

from __future__ import annotations

import random

import pytest
from toolrag.retrieval import spans as spans_module
from toolrag.retrieval.languages import LANGUAGES
from toolrag.retrieval.spans import parse_source
from toolrag.retrieval.syntax import Source
from toolrag.symbols import ParsedFile
from toolrag.text import Text

from retrieval.test_spans_golden import SAMPLES, sample

HOSTILE = ["(" * 400, "[" * 400, "{ " * 400, "f(" * 400, "@a\n" * 400, '"' * 399, "/*" * 400]
HOSTILE += ["<h1>" * 400, "<" * 400, "a{" * 400, "A\n=\n" * 400, "\0\n" * 400 + "a", "x" * 100_000]


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
    content, language = sample(name)
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


class _Counted(bytes):
    """Bytes that count what is copied out of them."""

    handed = 0

    def __getitem__(self, key):  # type: ignore[no-untyped-def, override]
        part = super().__getitem__(key)
        if isinstance(key, slice):
            _Counted.handed += len(part)
        return part


class _CountedSource(Source):
    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.bytes = _Counted(self.bytes)  # type: ignore[misc]


@pytest.mark.parametrize(
    ("language", "line"), [("html", "<h2 id=a>A</h2>\n"), ("elixir", "def a(b), do: c(b)\n"), ("rust", "// a\n")]
)
def test_a_query_is_handed_the_text_of_its_nodes_alone(
    language: str, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its predicates ask for it again and again: a page of many headings took minutes when each got a whole block."""
    content = line * 2_000
    expected = parse_source(content, language)
    monkeypatch.setattr(spans_module, "Source", _CountedSource)
    monkeypatch.setattr(_Counted, "handed", 0)
    assert parse_source(content, language) == expected
    assert _Counted.handed < 100 * len(content)


def test_a_predicate_sees_all_of_a_long_node() -> None:
    """Not only what is handed over at once: this comment is an attribute by its last words, or it is none."""
    name = "long_" * 100
    text = f"@{name}ignored\ndef f(): pass\n{name}g()\n"
    assert [reference.name for reference in parse_source(text, "python").references] == [f"{name}ignored", f"{name}g"]


@pytest.mark.parametrize(
    ("language", "text"), [("java", "class Aaaaaaaaaa{"), ("cpp", "namespace a{"), ("css", "@media x{")]
)
def test_a_container_has_an_end(language: str, text: str) -> None:
    """Ever deeper symbols would take memory that grows with the square of their number."""
    spans = parse_source(text * 3_000 + "}" * 3_000, language).spans
    assert len(spans) == 3_000
    assert max(len(span.container) for span in spans) < 1_100
