"""What every Names does, the one over the index and the double that parses as it goes."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from doubles import MemoryDocuments
from hover_doubles import ParsingNames
from index_doubles import AllIn, SumEmbedder, indexed
from parser_double import InlineParser
from toolrag.adapters.name_index import MOST_DEFINING, MOST_LINES, MOST_PRODUCT, NameIndex
from toolrag.adapters.retriever import IndexedRetriever, View
from toolrag.adapters.store import Store
from toolrag.adapters.vectors_flat import FlatVectors
from toolrag.answer.hover.names import Front, Names
from toolrag.retrieval.corpus import build_corpus
from toolrag.symbols import Analysis
from toolrag.text import TextSnapshot

FILES = {
    "src/session.py": (
        "class Session:\n    def send(self, request):\n        return self.adapter.send(request)\n\n\n"
        "class Other:\n    def send(self):\n        pass\n"
    ),
    "src/use.py": "from session import Session\n\nsend = Session().send\nresend(send (1), sender)\n",
    "tests/test_session.py": "def test_send():\n    Session().send(1)\n\n\ndef send():\n    pass\n",
    "README.md": "# Send\n\nCall send, or resend.\n",
}


class Files(MemoryDocuments):
    """Documents that can be read many in one go."""

    async def snapshots(self, paths: Sequence[str]) -> list[TextSnapshot | None]:
        return await self.glances(paths)


def names_over(files: dict[str, str], parser: Any = None, complete: bool = True) -> tuple[NameIndex, Files]:
    """The index of some files, and the documents, which a test may change."""
    documents, store = Files(files), Store(None, "1")
    made = indexed(files)
    for file in made:
        store.put_analysis(file.sha, file.language, file.analysis)
    embedder = SumEmbedder()
    parser = parser or InlineParser()
    retriever = IndexedRetriever(documents, parser, AllIn(FlatVectors(embedder.dimensions)), embedder)
    retriever.show(View(build_corpus(made), 0, complete=complete), store.analysis)
    return NameIndex(retriever, documents, parser), documents


@pytest.fixture(params=["indexed", "double"])
def names(request: pytest.FixtureRequest) -> Names:
    return names_over(FILES)[0] if request.param == "indexed" else ParsingNames(MemoryDocuments(FILES))


def front(path: str, files: dict[str, str] = FILES) -> Front:
    return Front(asyncio.run(MemoryDocuments(files).snapshot(path)), "python")


def symbols(names: Names, name: str, path: str, within: str = "", limit: int = 9) -> list[str]:
    found = asyncio.run(names.symbols(name, front(path), within, limit))
    return [f"{one.snapshot.path}:{one.span.qualified_name}" for one in found.symbols]


def lines(names: Names, name: str, path: str = "src/use.py") -> list[str]:
    found = asyncio.run(names.lines(name, front(path)))
    assert found.complete
    return [f"{one.snapshot.path}:{one.line + 1}{' call' if one.is_call else ''}" for one in found.lines]


def test_symbols_are_those_of_exactly_the_name_that_of_the_document_in_front_first(names: Names) -> None:
    assert symbols(names, "send", "tests/test_session.py")[:2] == [
        "tests/test_session.py:send", "src/session.py:Session.send",
    ]  # fmt: skip
    assert symbols(names, "send", "src/session.py")[:2] == ["src/session.py:Session.send", "src/session.py:Other.send"]
    assert symbols(names, "Send", "src/use.py") == ["README.md:Send"]
    assert symbols(names, "sen", "src/use.py") == []


def test_a_container_that_is_asked_for_comes_before_all_others(names: Names) -> None:
    assert symbols(names, "send", "tests/test_session.py", "Other")[0] == "src/session.py:Other.send"


@pytest.mark.parametrize("limit", [0, 1, 2])
def test_a_limit_is_kept_and_all_are_counted(names: Names, limit: int) -> None:
    found = asyncio.run(names.symbols("send", front("src/session.py"), "", limit))
    assert (len(found.symbols), found.count, found.complete) == (limit, 4, True)


def test_lines_have_the_name_as_a_word_of_its_own(names: Names) -> None:
    assert sorted(lines(names, "send")) == sorted([
        "src/use.py:4 call", "src/session.py:3 call", "README.md:3", "src/session.py:2", "src/session.py:7",
        "src/use.py:3", "tests/test_session.py:2 call", "tests/test_session.py:5",
    ])  # fmt: skip
    calls_first = [" call" in one for one in lines(names, "send")[:-2]]
    assert calls_first == sorted(calls_first, reverse=True)
    assert lines(names, "send")[-2:] == ["tests/test_session.py:2 call", "tests/test_session.py:5"]
    assert lines(names, "nothing") == []


def test_names_that_fit_a_query_are_listed_where_they_stand(names: Names) -> None:
    found = asyncio.run(names.matching("Sess", 9))
    assert [(one.name, one.container, one.kind, one.line, one.start, one.end) for one in found] == [
        ("Session", "", "class", 0, 6, 13)
    ]
    assert [one.name for one in asyncio.run(names.matching("send", 3))] == ["send"] * 3
    assert asyncio.run(names.matching("", 9)) == []


def test_what_is_asked_for_is_read_and_parsed(names: Names) -> None:
    one = front("src/session.py")
    now = asyncio.run(names.now([one.snapshot.uri, "file:///workspace/no.py"]))
    assert [text and text.sha for text in now] == [one.snapshot.sha, None]
    (parsed,) = asyncio.run(names.parsed([(one.snapshot, "python")]))
    assert parsed is not None
    assert [span.name for span in parsed.spans] == ["Session", "send", "Other", "send"]
    assert list(asyncio.run(names.parsed([(one.snapshot, "")]))) == [None]
    assert names.defines("send")
    assert not names.defines("sen")


class Hanging:
    """A parser that never answers."""

    def __init__(self) -> None:
        self.n_asked = 0

    async def parse(self, text: str, language: str) -> Analysis:
        self.n_asked += 1
        await asyncio.Event().wait()
        raise AssertionError(text + language)

    async def rest(self) -> None:
        return


def test_a_changed_text_is_parsed_again_and_one_that_takes_too_long_is_left_out_and_told() -> None:
    index, documents = names_over(FILES)
    documents.files["src/session.py"] = "\n\ndef send():\n    pass\n"
    found = asyncio.run(index.symbols("send", front("src/use.py"), "", 9))
    assert [(one.snapshot.path, one.span.lines.start) for one in found.symbols][1:] == [
        ("src/session.py", 2), ("tests/test_session.py", 4),
    ]  # fmt: skip
    assert (found.count, found.complete) == (3, True)
    parser = Hanging()
    index, documents = names_over(FILES, parser)
    documents.files["src/session.py"] = "\n\ndef send():\n    pass\n"
    found = asyncio.run(index.symbols("send", front("src/use.py"), "", 9))
    assert [one.snapshot.path for one in found.symbols] == ["src/use.py", "tests/test_session.py"]
    assert (found.count, found.complete, parser.n_asked) == (2, False, 1)
    listed = [one.snapshot.path for one in asyncio.run(index.matching("send", 9))]
    assert "src/use.py" in listed
    assert "src/session.py" not in listed


def test_what_is_typed_in_front_counts_though_it_is_not_indexed() -> None:
    index, _ = names_over(FILES)
    typed = front("src/use.py", {"src/use.py": "def typed():\n    pass\n\n\ntyped()\n"})
    found = asyncio.run(index.symbols("typed", typed, "", 9))
    assert [(one.snapshot.path, one.span.lines.start) for one in found.symbols] == [("src/use.py", 0)]
    naming = asyncio.run(index.lines("typed", typed))
    assert [one.line for one in naming.lines] == [0, 4]


def test_a_name_that_very_many_have_is_counted_up_to_a_limit() -> None:
    files = {f"a{number:03}.py": "def run():\n    run()\n" for number in range(MOST_DEFINING + MOST_PRODUCT)}
    files["long.py"] = "run()\n" * (2 * MOST_LINES)
    index, _ = names_over(files)
    found = asyncio.run(index.symbols("run", front("a000.py", files), "", 3))
    assert (len(found.symbols), found.complete) == (3, False)
    assert found.count <= MOST_DEFINING
    naming = asyncio.run(index.lines("run", front("long.py", files)))
    assert (len(naming.lines), naming.complete) == (MOST_LINES, False)


def test_nothing_is_said_to_be_all_while_files_wait_to_be_indexed() -> None:
    index, _ = names_over(FILES, complete=False)
    assert not asyncio.run(index.symbols("send", front("src/use.py"), "", 9)).complete
    assert not asyncio.run(index.lines("send", front("src/use.py"))).complete
