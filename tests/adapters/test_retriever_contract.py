"""What every Retriever does, the indexed one and the double that parses as it goes."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from doubles import MemoryDocuments
from index_doubles import AllIn, ParsingRetriever, SumEmbedder, indexed
from parser_double import InlineParser
from toolrag.adapters.retriever import IndexedRetriever, View
from toolrag.adapters.store import Store
from toolrag.adapters.vectors_flat import FlatVectors
from toolrag.ports import Retriever, Scope
from toolrag.retrieval.corpus import build_corpus
from toolrag.text import Text

FILES = {
    "src/session.py": (
        "class Session:\n"
        '    """Keeps cookies."""\n'
        "\n"
        "    def send(self, request):\n"
        "        return self.adapter.send(request)\n"
        "\n"
        "\n"
        "@cached\n"
        "def open_session():\n"
        "    return cached(Session())\n"
    ),
    "src/adapter.py": "from x import cached\n\n\nclass Adapter(Session):\n    def send(self, request):\n        pass\n",
    "tests/test_session.py": "def test_send():\n    Session().send(1)\n    open_session()\n\n\ndef send():\n    pass\n",
    "examples/a.py": "open_session()\n",
    "README.md": "# Use\n\nOpen a session.\n\n## Cookies\n\nThey are kept.\n",
}
EVERYWHERE = Scope()


@pytest.fixture(params=["indexed", "double"])
def retriever(request: pytest.FixtureRequest) -> Iterator[Retriever]:
    documents = MemoryDocuments(FILES)
    if request.param == "double":
        yield ParsingRetriever(documents)
        return
    store = Store(None, "1")
    files = indexed(FILES)
    for file in files:
        store.put_analysis(file.sha, file.language, file.analysis)
    embedder = SumEmbedder()
    made = IndexedRetriever(documents, InlineParser(), AllIn(FlatVectors(embedder.dimensions)), embedder)
    made.show(View(build_corpus(files), 0, complete=True), store.analysis)
    yield made
    store.close()


def found(retriever: Retriever, query: str, limit: int = 10, scope: Scope = EVERYWHERE) -> list[str]:
    result = asyncio.run(retriever.search(query, limit, scope))
    return [f"{one.path}:{one.span.qualified_name if one.span else ''}" for one in result.candidates]


def definitions(retriever: Retriever, name: str, limit: int = 10, scope: Scope = EVERYWHERE) -> list[str]:
    candidates = asyncio.run(retriever.definitions(name, limit, scope))
    return [f"{one.path}:{one.span.qualified_name}" for one in candidates if one.span]


def references(retriever: Retriever, name: str, limit: int = 10, scope: Scope = EVERYWHERE) -> list[str]:
    places = asyncio.run(retriever.references(name, limit, scope))
    return [f"{one.path}:{one.line + 1} {one.span.qualified_name if one.span else '-'}" for one in places]


def test_candidates_are_true_of_the_text_they_point_into(retriever: Retriever) -> None:
    result = asyncio.run(retriever.search("send a request with the session", 20, EVERYWHERE))
    assert len(result.candidates) > 3
    for one in result.candidates:
        text = Text(FILES[one.path])
        assert one.uri.endswith(one.path)
        assert one.lines.end <= text.n_lines
        assert one.reasons
        if one.span is not None:
            assert one.lines in one.span.lines
            assert one.span.name in text.slice(one.span.lines)
            assert one.signature
            assert one.parent is None or one.span.lines in one.parent.lines


def test_the_best_come_first_and_no_more_than_asked(retriever: Retriever) -> None:
    result = asyncio.run(retriever.search("cookies kept", 10, EVERYWHERE))
    scores = [one.score for one in result.candidates]
    assert scores == sorted(scores, reverse=True)
    assert found(retriever, "cookies kept")[0] in ("README.md:Use > Cookies", "src/session.py:Session")
    assert found(retriever, "cookies kept", limit=1) == found(retriever, "cookies kept")[:1]
    assert found(retriever, "cookies kept", limit=0) == []
    assert found(retriever, "send") == found(retriever, "send")


def test_an_empty_query_and_unknown_words_have_no_candidates(retriever: Retriever) -> None:
    assert found(retriever, "") == found(retriever, " ?! ") == found(retriever, "zebra") == []


def test_what_was_searched_is_told(retriever: Retriever) -> None:
    searched = asyncio.run(retriever.search("where are zebra cookies", 5, EVERYWHERE)).searched
    assert (searched.files, searched.skipped, searched.complete) == (5, 0, True)
    assert (searched.terms, searched.missing) == (("zebra", "cookies"), ("zebra",))


def test_a_scope_is_kept(retriever: Retriever) -> None:
    only_tests = Scope(include=("tests/*",))
    no_tests = Scope(exclude=("tests/*",))
    assert {one.split(":")[0] for one in found(retriever, "send session", scope=only_tests)} == {
        "tests/test_session.py"
    }
    assert "tests/test_session.py" not in {one.split(":")[0] for one in found(retriever, "send", scope=no_tests)}
    assert definitions(retriever, "send", scope=only_tests) == ["tests/test_session.py:send"]
    assert references(retriever, "send", scope=no_tests) == ["src/session.py:5 Session.send"]


def test_definitions_are_those_of_exactly_the_name_product_before_tests(retriever: Retriever) -> None:
    found = definitions(retriever, "send")
    assert sorted(found[:2]) == ["src/adapter.py:Adapter.send", "src/session.py:Session.send"]
    assert found[2:] == ["tests/test_session.py:send"]
    assert definitions(retriever, "Send") == definitions(retriever, "nothing") == []


def test_a_dotted_name_is_matched_by_its_end(retriever: Retriever) -> None:
    assert definitions(retriever, "Session.send") == ["src/session.py:Session.send"]
    assert definitions(retriever, "Other.send") == []
    assert definitions(retriever, "Cookies") == ["README.md:Use > Cookies"]


@pytest.mark.parametrize("limit", [0, 1, 2])
def test_definitions_and_references_keep_their_limit(retriever: Retriever, limit: int) -> None:
    assert len(definitions(retriever, "send", limit)) == limit
    assert len(references(retriever, "send", limit)) == limit


def test_calls_and_decorators_are_references_tests_come_last(retriever: Retriever) -> None:
    assert references(retriever, "send") == ["src/session.py:5 Session.send", "tests/test_session.py:2 test_send"]
    assert references(retriever, "Session.send") == references(retriever, "send")
    assert [one.split()[0] for one in references(retriever, "cached")] == ["src/session.py:8", "src/session.py:10"]
    assert references(retriever, "open_session") == ["examples/a.py:1 -", "tests/test_session.py:3 test_send"]
    assert references(retriever, "nothing") == []


def test_a_base_class_is_no_call(retriever: Retriever) -> None:
    assert references(retriever, "Session") == ["src/session.py:10 open_session", "tests/test_session.py:2 test_send"]


def test_names_and_rarity_can_be_asked(retriever: Retriever) -> None:
    assert retriever.defines("send")
    assert not retriever.defines("Send")
    assert retriever.idf("zebra") > retriever.idf("cooky") > retriever.idf("send") > 0


def test_files_are_those_a_scope_has_by_path(retriever: Retriever) -> None:
    assert list(retriever.files(EVERYWHERE)) == sorted(FILES)
    assert list(retriever.files(Scope(include=("src/*",), exclude=("src/a*",)))) == ["src/session.py"]
