"""A claim that names nothing but what its lines hold is sent back all the same where they are not what says it."""

from __future__ import annotations

import asyncio

import pytest
from answer_doubles import evidence_of
from doubles import MemoryDocuments
from toolrag.answer.quoting import misquoted
from toolrag.answer.types import Cut, Draft
from toolrag.answer.verify import EXTRACTIVE_MAX_LINES, MAX_LINES, verify
from toolrag.text import LineRange

CODE = """\
def check(self, limit, kind="path"):
    if limit > self.size:
        raise ValueError("too many", limit)
    return self.take(limit, *rest)  # of those


class Pool:
    def take(self, limit):
        except_ValueError = limit
        self.limit = limit
        a = 1
        b = 2
        c = 3
        d = 4
        e = 5
        f = 6
        g = 7
        h = 8
        return self.last
"""


def why(claim: str, *cited: tuple[int, int], most: int = MAX_LINES) -> str:
    """Why a claim about the code is dropped, when it was read as its two definitions; empty where it is not."""
    documents = MemoryDocuments({"a.py": CODE})
    snapshot = asyncio.run(documents.snapshot("a.py"))
    evidence = evidence_of(snapshot, [(1, 4), (7, 20)])
    cuts = []
    for first, last in cited:
        lines = LineRange(first - 1, last)
        cuts.append(Cut(next(item for item in evidence if lines in item.lines), lines))
    found = asyncio.run(verify([Draft(claim, tuple(cuts))], evidence, documents, most))
    return found.dropped[0].why if found.dropped else ""


@pytest.mark.parametrize(
    "quote",
    [
        pytest.param("self.take(limit, *rest)", id="as it stands"),
        pytest.param("self.take( limit,*rest )", id="white space"),
        pytest.param("self.take(…)", id="shortened"),
        pytest.param("self.take(limit, ...)", id="shortened with dots"),
        pytest.param("check()", id="a name with brackets"),
        pytest.param("Pool.take", id="a name put together from where its parts are defined"),
        pytest.param("'path'", id="a string in other quotes"),
        pytest.param('raise ValueError("too many", limit) return', id="over a line end"),
        pytest.param("f = 6 g = 7", id="two statements"),
    ],
)
def test_a_quote_stands(quote: str) -> None:
    assert misquoted(f"It is `{quote}`.", [CODE]) == ()


@pytest.mark.parametrize(
    "quote",
    [
        pytest.param("self.take(limit)", id="an argument dropped"),
        pytest.param("self.take(*rest, limit)", id="two exchanged"),
        pytest.param("limit >= self.size", id="another comparison"),
        pytest.param("limit - self.size", id="another operator"),
        pytest.param("self.rest", id="a name that has no such part"),
        pytest.param("'limit'", id="a string that is a name there"),
        pytest.param("return … raise", id="the parts in another order"),
    ],
)
def test_an_altered_quote_does_not(quote: str) -> None:
    assert misquoted(f"It is `{quote}`.", [CODE]) == (quote,)


def test_prose_in_quotation_marks_is_for_the_naming_rule() -> None:
    assert misquoted('It says "never at all", and "limit - self.size".', [CODE]) == ("limit - self.size",)


def test_a_whole_read_is_sent_back_to_be_narrowed() -> None:
    assert "cites all 14 lines of a read" in why("`Pool` returns `self.last`.", (7, 20))


def test_a_wide_citation_says_where_its_names_stand() -> None:
    assert "stands at a.py:8;" in why("`take` takes a `limit`.", (8, 20))
    assert why("`take` returns `self.last`.", (8, 20)) == ""
    assert why("`take` takes a `limit`.", (8, 19)) == ""


def test_lines_of_another_definition_that_say_more_are_named() -> None:
    assert why("It raises an error with `limit` here.", (8, 8)).startswith("a.py:3 holds what it names, and raise too")


def test_a_claim_is_sent_to_where_what_it_says_happens() -> None:
    assert why("If `limit` is greater than what is left, it ends.", (10, 10)).startswith("a.py:")
    assert why("If `limit` is greater than what is left, it ends.", (2, 2)) == ""


def test_within_a_definition_a_citation_is_not_moved() -> None:
    assert why("It returns `limit`.", (2, 2)) == ""


def test_an_extractive_claim_is_cut_from_its_lines_and_stays() -> None:
    assert why("If `limit` is greater than what is left, it ends.", (10, 10), most=EXTRACTIVE_MAX_LINES) == ""
