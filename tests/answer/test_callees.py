"""What a symbol calls: names of the workspace alone, each on a line that is cited."""

from __future__ import annotations

import asyncio

import pytest
from answer_doubles import MemoryRetriever, range_reader
from doubles import MemoryDocuments
from toolrag.answer.callees import callees
from toolrag.answer.gather import read_candidate
from toolrag.answer.types import Draft
from toolrag.ports import Scope

OTHERS = "\n".join(f"def {name}(): pass" for name in ("one", "two", "three", "four", "five", "six"))


def called_by(body: str) -> Draft | None:
    """The claim about `def f():` with this body, in a workspace that defines one to six."""
    files = {"a.py": f"def f(x):\n{body}\n", "others.py": OTHERS}
    retriever = MemoryRetriever(files)

    async def read() -> Draft | None:
        (candidate,) = await retriever.definitions("f", 1, Scope())
        return callees(await read_candidate(range_reader(MemoryDocuments(files)), candidate), retriever.defines)

    return asyncio.run(read())


def lines_of(draft: Draft) -> list[tuple[int, int]]:
    return [(cut.lines.start + 1, cut.lines.end) for cut in draft.cuts]


def test_names_stand_in_the_order_of_their_lines() -> None:
    """Names that nothing here defines, and a call of itself, are left out; the signature is cited last."""
    draft = called_by("    one(x)\n    print(two(x))\n    return f(three(x))")
    assert draft is not None
    assert draft.text == "`f` calls, by name, `one`, `two` and `three`."
    assert lines_of(draft) == [(2, 4), (1, 1)]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("    return one(x)", id="a single call is told by its own statement"),
        pytest.param("    return print(len(x))", id="nothing of the workspace"),
        pytest.param("    def inner():\n        one(two(x))\n    return inner", id="calls of an inner function"),
        pytest.param("    # one(two(x))\n    pass", id="a comment"),
    ],
)
def test_no_claim(body: str) -> None:
    """Fewer than two calls of its own make no claim."""
    assert called_by(body) is None


def test_far_lines_are_cited_apart() -> None:
    """A citation holds at most twelve lines; a claim at most three of them and five names."""
    gap = "    x += 1\n" * 20
    draft = called_by(f"    one(x)\n{gap}    two(x)\n{gap}    three(x)\n{gap}    four(x)")
    assert draft is not None
    assert draft.text == "`f` calls, by name, `one`, `two` and `three`."
    assert lines_of(draft) == [(2, 2), (23, 23), (44, 44), (1, 1)]
    draft = called_by("    one(two(three(four(five(six(x))))))")
    assert draft is not None
    assert draft.text.count("`") == 12
