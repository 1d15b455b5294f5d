"""Who calls a name: claims that say what a line says, and a count that says when it is not whole."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

import pytest
from answer_doubles import ChangingDocuments, MemoryRetriever, range_reader
from doubles import MemoryDocuments
from toolrag.answer.callers import MAX_CLAIMS, MAX_PLACES, draft_callers
from toolrag.answer.question import parse_question
from toolrag.answer.reading import RangeReader
from toolrag.answer.types import Callers, Draft
from toolrag.answer.verify import verify
from toolrag.config import Budget
from toolrag.ports import DocumentSource, Scope

DEFINES = 'def send(x):\n    """Send it."""\n    return x\n'


def drafts_of(
    files: Mapping[str, str], documents: DocumentSource | None = None, budget: Budget | None = None
) -> tuple[list[Draft], Callers | None, RangeReader]:
    retriever = MemoryRetriever(files)
    reader = range_reader(MemoryDocuments(files) if documents is None else documents, budget)

    async def run() -> tuple[list[Draft], Callers | None]:
        definitions = await retriever.definitions("send", 3, Scope())
        return await draft_callers(parse_question("who calls send"), definitions, retriever, reader, Scope())

    return *asyncio.run(run()), reader


def claims_of(files: Mapping[str, str]) -> list[str]:
    """The texts of the drafts, all of which must pass."""
    drafts, _, reader = drafts_of(files)
    found = asyncio.run(verify(drafts, reader.evidence, MemoryDocuments(files)))
    assert not found.dropped
    return [claim.text for claim in found.claims]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        pytest.param("def f(a):\n    send(a)\n", "`send(` is named in `f`: `send(a)`.", id="in a function"),
        pytest.param("x = send(1)\n", "`send(` is named at the top level: `x = send(1)`.", id="at the top level"),
        pytest.param(
            "class A:\n    def g(self):\n        return send(self)\n",
            "`send(` is named in `g`: `return send(self)`.",
            id="in a method",
        ),
        pytest.param("def f():\n    send (1)\n", "`send(` is named in `f`: `send (1)`.", id="with a blank"),
        pytest.param("def f():\n    b.send(1)\n", "`send(` is named in `f`: `b.send(1)`.", id="of another object"),
        pytest.param('def f():\n    send("`")\n', '`send(` is named in `f`: ``send("`")``.', id="with a backtick"),
        pytest.param("@send(1)\ndef f(): ...\n", "`send(` is named in `f`: `@send(1)`.", id="as a decorator"),
    ],
)
def test_a_caller_is_told_by_its_line(code: str, expected: str) -> None:
    texts = claims_of({"a.py": DEFINES, "b.py": code})
    assert texts[0] == expected
    assert texts[1:] == ["`def send(x)`: Send it."]


def test_a_claim_cites_the_line_and_the_header_of_its_symbol() -> None:
    drafts, _, _ = drafts_of({"b.py": "import a\n\n\ndef f(x):\n    y = x\n    return send(y)\n"})
    assert [(cut.lines.start + 1, cut.symbol) for cut in drafts[0].cuts] == [(6, "f"), (4, "f")]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("    x = 1\n" * 500, id="too many lines between them"),
        pytest.param(f"    x = '{'a' * 300}'\n" * 100, id="too many bytes between them"),
    ],
)
def test_a_call_far_from_its_header_is_read_by_itself(body: str) -> None:
    assert claims_of({"b.py": f"def f():\n{body}    send(1)\n"}) == ["`send(` is named in `f`: `send(1)`."]


def test_each_symbol_is_told_before_any_is_told_twice() -> None:
    code = "".join(f"def f{n}():\n    send({n})\n    send(-{n})\n" for n in range(4))
    drafts, callers, _ = drafts_of({"b.py": code})
    assert [draft.text.split("`")[3] for draft in drafts] == ["f0", "f1", "f2", "f3", "f0", "f1"]
    assert len(drafts) == MAX_CLAIMS
    assert callers == Callers("send", 8, 1, complete=True)


def test_a_count_that_is_not_whole_says_so() -> None:
    _, callers, _ = drafts_of({"b.py": "send(1)\n" * (MAX_PLACES + 50)})
    assert callers == Callers("send", MAX_PLACES, 1, complete=False)


def test_a_name_that_is_defined_and_never_called_has_a_count_of_none() -> None:
    drafts, callers, _ = drafts_of({"a.py": DEFINES})
    assert [draft.text for draft in drafts] == ["`def send(x)`: Send it."]
    assert callers == Callers("send", 0, 0, complete=True)


def test_an_unknown_name_has_neither_claims_nor_a_count() -> None:
    assert drafts_of({"a.py": "x = 1\n"})[:2] == ([], None)


def rewrite(path: str) -> Callable[[dict[str, str]], None]:
    def change(files: dict[str, str]) -> None:
        files[path] = "# other\n"

    return change


def test_a_place_that_changed_since_is_not_told() -> None:
    files = {"b.py": "def f():\n    send(1)\n", "c.py": "def g():\n    send(2)\n"}
    drafts, _, _ = drafts_of(files, ChangingDocuments(files, {1: rewrite("b.py")}))
    assert [draft.text for draft in drafts] == ["`send(` is named in `g`: `send(2)`."]


def test_a_budget_that_runs_out_ends_the_telling() -> None:
    files = {"b.py": "".join(f"def f{n}():\n    send({n})\n" for n in range(5))}
    drafts, callers, reader = drafts_of(files, budget=Budget(reads=2))
    assert len(drafts) == 2
    assert callers == Callers("send", 5, 1, complete=True)
    assert len(reader.evidence) == 2
