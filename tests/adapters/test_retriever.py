"""The index is a hint: what comes out agrees with the text as it is now, or does not come out."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from doubles import MemoryDocuments
from index_doubles import AllIn, SumEmbedder, analysis_of, indexed
from parser_double import InlineParser
from toolrag.adapters.embed_hashing import HashingEmbedder
from toolrag.adapters.retriever import IndexedRetriever, View
from toolrag.adapters.store import Store
from toolrag.adapters.vectors_flat import FlatVectors
from toolrag.ports import Candidate, Embedder, Scope
from toolrag.retrieval.corpus import Corpus, build_corpus
from toolrag.retrieval.terms import embeddable_question
from toolrag.symbols import Analysis, Reference
from toolrag.text import LineRange, blob_sha

SOURCE = "class A:\n    def send(self):\n        return retry()\n\n\ndef top():\n    return send()\n"
FILES = {"a.py": SOURCE}
EVERYWHERE = Scope()


class Bench:
    """An index of some texts, over documents that may change after it was made."""

    def __init__(self, files: dict[str, str], embedder: Embedder | None = None) -> None:
        self.documents = MemoryDocuments(files)
        self.store = Store(None, "1")
        self.embedder = embedder or SumEmbedder()
        self.vectors = FlatVectors(self.embedder.dimensions)
        found = indexed(files)
        for file in found:
            self.store.put_analysis(file.sha, file.language, file.analysis)
        self.corpus = build_corpus(found)

    def retriever(self, corpus: Corpus | None = None) -> IndexedRetriever:
        made = IndexedRetriever(self.documents, InlineParser(), AllIn(self.vectors), self.embedder)
        made.show(View(corpus or self.corpus, 3, complete=False), self.store.analysis)
        return made

    def search(self, query: str, corpus: Corpus | None = None) -> tuple[Candidate, ...]:
        return asyncio.run(self.retriever(corpus).search(query, 10, EVERYWHERE)).candidates

    def poison(self, analysis: Analysis) -> Corpus:
        """The corpus of an analysis that is not of its text, kept as if it were."""
        file = indexed({"a.py": SOURCE})[0]
        self.store.put_analysis(file.sha, "python", analysis)
        return build_corpus([replace(file, analysis=analysis)])


@pytest.fixture
def bench() -> Iterator[Bench]:
    opened = Bench(FILES)
    yield opened
    opened.store.close()


def lines_of(candidates: tuple[Candidate, ...], name: str) -> list[LineRange]:
    return [one.lines for one in candidates if one.span is not None and one.span.name == name]


def test_a_symbol_that_moved_is_pointed_at_where_it_stands_now(bench: Bench) -> None:
    bench.documents.files["a.py"] = f"import os\n\n\n{SOURCE}"
    found = bench.search("send")
    assert lines_of(found, "send") == [LineRange(4, 6)]
    assert {one.sha for one in found} == {blob_sha(f"import os\n\n\n{SOURCE}".encode())}
    definition = asyncio.run(bench.retriever().definitions("A.send", 5, EVERYWHERE))
    assert lines_of(definition, "send") == [LineRange(4, 6)]


@pytest.mark.parametrize(
    "now",
    [
        pytest.param(SOURCE.replace("def send", "def other"), id="renamed"),
        pytest.param(SOURCE + "\n\nclass A:\n    def send(self):\n        pass\n", id="there twice"),
        pytest.param(SOURCE.replace("class A", "class B"), id="in another class"),
        pytest.param("", id="emptied"),
        pytest.param("a\0b", id="not text any more"),
    ],
)
def test_a_symbol_that_is_not_there_just_once_is_left_out(bench: Bench, now: str) -> None:
    bench.documents.files["a.py"] = now
    assert lines_of(bench.search("send"), "send") == []
    # A definition is looked up by its name in the text as it is now, whichever symbols had it before.
    found = asyncio.run(bench.retriever().definitions("send", 5, EVERYWHERE))
    assert len(found) == now.count("def send")


def test_a_file_that_went_is_left_out(bench: Bench) -> None:
    bench.documents.files.clear()
    assert bench.search("send") == ()
    assert asyncio.run(bench.retriever().references("retry", 5, EVERYWHERE)) == ()


def test_lines_of_the_top_level_cannot_be_found_again_and_are_left_out() -> None:
    bench = Bench({"a.py": "retry(1)\n"})
    assert len(bench.search("retry")) == 1
    bench.documents.files["a.py"] = "\nretry(1)\n"
    assert bench.search("retry") == ()
    bench.store.close()


def test_a_call_is_looked_up_in_the_text_as_it_is_now(bench: Bench) -> None:
    bench.documents.files["a.py"] = f"# moved\n{SOURCE}"
    found = asyncio.run(bench.retriever().references("retry", 5, EVERYWHERE))
    assert [(place.line, place.span and place.span.qualified_name) for place in found] == [(3, "A.send")]
    bench.documents.files["a.py"] = SOURCE.replace("retry()", "other()")
    assert asyncio.run(bench.retriever().references("retry", 5, EVERYWHERE)) == ()


def test_several_calls_on_one_line_are_one_place_and_lines_come_in_order() -> None:
    bench = Bench({"a.py": "def f():\n    g(g(1), g(2))\n\n\ng()\n"})
    found = asyncio.run(bench.retriever().references("g", 9, EVERYWHERE))
    assert [(place.line, place.span and place.span.name) for place in found] == [(1, "f"), (4, None)]
    bench.store.close()


@pytest.mark.parametrize(
    "path", ["../outside.py", "/etc/passwd.py", "file:///etc/passwd.py", "a\0.py", "missing.py", "\udcff.py"]
)
def test_a_row_that_names_a_path_outside_or_none_does_not_come_out(bench: Bench, path: str) -> None:
    assert bench.search("send", replace(bench.corpus, paths=(path,))) == ()
    retriever = bench.retriever(replace(bench.corpus, paths=(path,)))
    assert asyncio.run(retriever.definitions("send", 5, EVERYWHERE)) == ()
    assert asyncio.run(retriever.references("retry", 5, EVERYWHERE)) == ()


def test_a_row_of_an_unknown_language_does_not_come_out(bench: Bench) -> None:
    assert bench.search("send", replace(bench.corpus, languages=("<b>",))) == ()


def test_a_wrong_sha_leads_to_the_text_as_it_is(bench: Bench) -> None:
    """The row's sha has no analysis, or another text's."""
    assert bench.search("send", replace(bench.corpus, shas=("0" * 40,))) == ()
    bench.store.put_analysis("0" * 40, "python", analysis_of(f"\n\n\n{SOURCE}"))
    found = bench.search("send", replace(bench.corpus, shas=("0" * 40,)))
    assert {one.sha for one in found} <= {blob_sha(SOURCE.encode())}
    assert all(one.span is None or one.span.name in SOURCE for one in found)


def test_a_passage_that_its_file_does_not_have_is_left_out(bench: Bench) -> None:
    corpus = replace(bench.corpus, ordinal=bench.corpus.ordinal + np.int32(99))
    assert bench.search("send", corpus) == ()
    bench.documents.files["a.py"] = f"\n{SOURCE}"
    assert bench.search("send", corpus) == ()


@pytest.mark.parametrize(
    "change",
    [
        pytest.param({"name": "send\x1b[31m"}, id="an escape sequence in the name"),
        pytest.param({"name": "<img src=x onerror=send>"}, id="markup in the name"),
        pytest.param({"container": "A\x1b]8;;http://x\x07"}, id="an escape sequence in the container"),
        pytest.param({"header": LineRange(9_000, 9_001)}, id="a header beyond the file"),
        pytest.param({"header": LineRange(1, 1)}, id="no header"),
        pytest.param({"doc": LineRange(5, 9_000)}, id="a doc beyond the file"),
    ],
)
def test_an_altered_symbol_does_not_come_out(bench: Bench, change: dict[str, object]) -> None:
    true = analysis_of(SOURCE)
    spans = tuple(
        replace(span, **change) if span.name == "send" else span  # type: ignore[arg-type] # any field
        for span in true.parsed.spans
    )
    corpus = bench.poison(replace(true, parsed=replace(true.parsed, spans=spans)))
    found = bench.search("send retry A", corpus)
    assert "top" in [one.span.name for one in found if one.span]
    assert all(one.span is None or one.span in true.parsed.spans for one in found)
    places = asyncio.run(bench.retriever(corpus).references("retry", 5, EVERYWHERE))
    assert all(place.span in true.parsed.spans for place in places)


def test_a_symbol_beyond_the_file_does_not_come_out_nor_what_it_would_hold(bench: Bench) -> None:
    true = analysis_of(SOURCE)
    spans = tuple(
        replace(span, lines=LineRange(1, 9_000)) if span.name == "send" else span for span in true.parsed.spans
    )
    corpus = bench.poison(replace(true, parsed=replace(true.parsed, spans=spans)))
    assert all(one.span in true.parsed.spans and one.parent is None for one in bench.search("send retry A", corpus))


def test_an_altered_parent_does_not_come_out(bench: Bench) -> None:
    true = analysis_of(SOURCE)
    spans = tuple(replace(span, name="A\x1b[2J") if span.name == "A" else span for span in true.parsed.spans)
    corpus = bench.poison(replace(true, parsed=replace(true.parsed, spans=spans)))
    found = bench.search("send", corpus)
    assert [one.span.name for one in found if one.span] == ["top"]
    assert [one.parent for one in found] == [None]


def test_a_passage_beyond_the_file_does_not_come_out(bench: Bench) -> None:
    true = analysis_of(SOURCE)
    passages = tuple(replace(one, lines=LineRange(0, 9_000)) for one in true.parsed.passages)
    assert bench.search("send", bench.poison(replace(true, parsed=replace(true.parsed, passages=passages)))) == ()


def test_a_call_that_its_line_does_not_hold_is_left_out(bench: Bench) -> None:
    true = analysis_of(SOURCE)
    calls = tuple(Reference("retry", line, "call", None) for line in (0, 2, 9_000))
    corpus = bench.poison(replace(true, parsed=replace(true.parsed, references=calls)))
    found = asyncio.run(bench.retriever(corpus).references("retry", 9, EVERYWHERE))
    assert [place.line for place in found] == [2]


def test_an_analysis_that_is_lost_is_made_again(bench: Bench) -> None:
    """Another version of toolrag may have emptied the store meanwhile."""
    before = bench.search("send")
    bench.store._db.execute("DELETE FROM analysis")
    assert bench.search("send") == before != ()


def test_an_analysis_that_is_damaged_is_made_again_and_that_is_said_once(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    before = bench.search("send")
    bench.store._db.execute("UPDATE analysis SET data = x'00'")
    with caplog.at_level(logging.WARNING):
        assert bench.search("send") == before
    assert len(caplog.records) == 1


def test_a_heading_with_markup_is_found() -> None:
    bench = Bench({"a.md": "# The `retry` **policy** [of](b.md) it\n\nText.\n"})
    assert [one.span and one.span.name for one in bench.search("retry policy")] == ["The retry policy of it"]
    bench.store.close()


def test_near_vectors_bring_in_passages_and_unknown_ones_nothing() -> None:
    bench = Bench({"a.py": "def alpha():\n    pass\n", "b.py": "def beta():\n    pass\n"}, HashingEmbedder())
    assert [one.path for one in bench.search("alpha")] == ["a.py"]
    vector = bench.embedder.embed([embeddable_question("alpha", ["alpha"], bench.retriever().idf)])
    bench.vectors.add([int(bench.corpus.text_ids[1]), 2**62], np.concatenate([vector, vector]))
    assert [one.path for one in bench.search("alpha")] == ["a.py", "b.py"]
    bench.store.close()


def test_what_was_searched_is_passed_on(bench: Bench) -> None:
    searched = asyncio.run(bench.retriever().search("send", 5, EVERYWHERE)).searched
    assert (searched.files, searched.skipped, searched.complete) == (1, 3, False)


def test_an_empty_index_answers() -> None:
    bench = Bench({})
    assert bench.search("send") == ()
    assert asyncio.run(bench.retriever().definitions("send", 5, EVERYWHERE)) == ()
    assert asyncio.run(bench.retriever().references("send", 5, Scope(include=("a",)))) == ()
    bench.store.close()


@pytest.mark.parametrize(
    ("scope", "paths"),
    [
        (Scope(include=("src/",)), ["src/a.py"]),
        (Scope(include=("*.md",)), ["b.md"]),
        (Scope(include=("**/a.py", "b.md"), exclude=("src",)), ["b.md"]),
        (Scope(exclude=("*.py",)), ["b.md"]),
        (Scope(include=("nothing",)), []),
    ],
)
def test_a_scope_is_in_gitignore_s_syntax(scope: Scope, paths: list[str]) -> None:
    bench = Bench({"src/a.py": "def send():\n    pass\n", "b.md": "# Send\n"})
    found = asyncio.run(bench.retriever().search("send", 9, scope)).candidates
    assert sorted({one.path for one in found}) == paths
    bench.store.close()
