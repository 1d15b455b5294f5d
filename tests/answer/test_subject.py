"""What a claim says a definition does is held against that definition, not against lines that call it."""

from __future__ import annotations

import asyncio

import pytest
from answer_doubles import evidence_of
from doubles import MemoryDocuments
from toolrag.answer.naming import vocabulary
from toolrag.answer.subject import definition_elsewhere, subjects
from toolrag.answer.types import Cut
from toolrag.text import LineRange

PYTHON = """\
def take(self, limit=3):
    if limit > self.size:
        raise ValueError(limit)
    return self.last


class Pool(Base):
    def fill(
        self,
        limit,
    ):
        left = self.take(limit)
        return left
"""
SCRIPT = """\
export function take(limit: number): number {
  return limit;
}

func (p *Pool) fill(limit int) int {
  left := take(limit)
  return left
}
"""


def why(claim: str, *cited: tuple[int, int], code: str = PYTHON) -> str:
    """Where a claim is sent, when all of the code was read."""
    documents = MemoryDocuments({"a.py": code})
    snapshot = asyncio.run(documents.snapshot("a.py"))
    (item,) = evidence = evidence_of(snapshot, [(1, len(code.split("\n")) - 1)])
    cuts = [Cut(item, LineRange(first - 1, last)) for first, last in cited]
    return definition_elsewhere(claim, cuts, evidence, vocabulary([code]))


@pytest.mark.parametrize(
    "claim",
    [
        pytest.param("`take` returns `left`.", id="a verb behind it"),
        pytest.param("If there are none, take never returns `left`.", id="a verb behind it, further on"),
        pytest.param("The helper `self.take()` also hands over what is `left`.", id="as a part of an object"),
        pytest.param("In `take`, `left` is bound to the rest.", id="in it"),
        pytest.param("Callers of `take` get `left`.", id="its callers"),
        pytest.param("The parameter `limit` of `take` is `left`.", id="its parameter"),
        pytest.param("When `limit` is not passed to `take`, `left` is used.", id="what it is not given"),
        pytest.param("`take` is documented to hold `left`.", id="what is said of it"),
    ],
)
def test_a_call_says_nothing_of_what_is_called(claim: str) -> None:
    assert why(claim, (12, 12)).startswith("It says what take does, which is defined at a.py:1,")
    assert why(claim, (1, 2)) == "", "its own lines may say it"
    assert why(claim, (3, 4)) == "", "so may those within it"
    assert why(claim, (4, 4), (1, 1)) == "", "or one of several places"


@pytest.mark.parametrize(
    "claim",
    [
        pytest.param("`fill` calls `take` with `limit`.", id="the caller is spoken of"),
        pytest.param("It passes `limit` to `take`.", id="nothing is spoken of"),
        pytest.param("`take` is called with `limit`.", id="what happens to it"),
        pytest.param("`take` gets `limit`.", id="what it is given"),
        pytest.param("`left` holds what `take` gave back.", id="a variable is spoken of"),
        pytest.param("The take matters here, `limit` is passed on.", id="an everyday noun"),
    ],
)
def test_a_call_says_that_it_is_called(claim: str) -> None:
    assert why(claim, (8, 12)) == ""


def test_what_was_not_read_is_no_matter() -> None:
    assert why("`size` returns `left`.", (12, 13)) == ""
    assert why("`append` takes `left`.", (12, 13)) == ""


def test_lines_within_a_class_are_of_it() -> None:
    assert why("`Pool` takes what is `left`.", (12, 13)) == ""
    assert "a.py:7" in why("`Pool` returns `limit`.", (3, 3))


@pytest.mark.parametrize("claim", ["`take` returns `left`.", "In take, left is bound."])
def test_functions_of_other_languages_count(claim: str) -> None:
    assert "a.py:1," in why(claim, (6, 6), code=SCRIPT)
    assert why(claim, (2, 2), code=SCRIPT) == ""
    assert why("`fill` returns `left`.", (7, 7), code=SCRIPT) == ""
    assert "a.py:5," in why("`fill` returns `limit`.", (2, 2), code=SCRIPT)


def test_prose_that_sounds_like_a_definition_is_none() -> None:
    code = '"""A stage.\n\n    class of nodes\n"""\nof = 1\n'
    assert why("A list of nodes is `of`.", (5, 5), code=code) == ""


def test_each_subject_is_found() -> None:
    assert list(subjects("In `Pool.take`, which `fill` calls, x is set.")) == ["fill", "take"]
