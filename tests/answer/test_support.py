"""A claim that names nothing but what its lines hold is sent back all the same where they are not what says it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

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


def why(
    claim: str,
    *cited: tuple[int, int],
    most: int = MAX_LINES,
    code: str = CODE,
    reads: Sequence[tuple[int, int]] = ((1, 4), (7, 20)),
) -> str:
    """Why a claim about some code is dropped, when its definitions were read; empty where it is not."""
    documents = MemoryDocuments({"a.py": code})
    snapshot = asyncio.run(documents.snapshot("a.py"))
    evidence = evidence_of(snapshot, list(reads))
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
    ("claim", "wrong"),
    [
        pytest.param('It splits at "/".', ("/",), id="a mark in quotation marks"),
        pytest.param('It joins by ", ".', (), id="one that is there"),
        pytest.param("It starts as [].", ("[]",), id="an empty list"),
        pytest.param("It is n + size here.", ("n + size",), id="a sum"),
        pytest.param("It is n + 1, and more.", (), id="one that is there, before a comma"),
        pytest.param("It keeps self.size.", ("self.size",), id="a part of the object at hand"),
        pytest.param("It keeps self.n.", (), id="one that is there, before a full stop"),
        pytest.param("It says […] and so on, 3 * or / or, a | b 3 * or / or. c.", (), id="prose"),
    ],
)
def test_code_in_prose_is_a_quote_where_nothing_else_looks_so(claim: str, wrong: tuple[str, ...]) -> None:
    assert misquoted(claim, ['self.n = ", ".join(n + 1)\n']) == wrong


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
    assert "cites all 14 lines of a read" in why("`Pool` keeps `limit` in `self.limit`.", (7, 20))
    assert "cites all 14 lines of a read" in why("It returns `self.last`.", (7, 20))


def test_a_whole_read_may_be_cited_where_all_of_it_is_needed() -> None:
    assert why("`Pool` returns `self.last`.", (7, 20)) == ""
    assert why("What Pool hands back is its last, `self.last`.", (7, 20)) == ""


def test_a_wide_citation_says_where_its_names_stand() -> None:
    assert "stands at a.py:8;" in why("`take` takes a `limit`.", (8, 20))
    assert why("`take` returns `self.last`.", (8, 20)) == ""
    assert why("`take` takes a `limit`.", (8, 19)) == ""


def test_lines_of_another_definition_that_say_more_are_named() -> None:
    assert why("It raises an error with `limit` here.", (8, 8)).startswith(
        "a.py:3 holds what it names, and `raise` too"
    )


def test_a_claim_is_sent_to_where_what_it_says_happens() -> None:
    assert why("If `limit` is greater than what is left, it ends.", (10, 10)).startswith("a.py:")
    assert why("If `limit` is greater than what is left, it ends.", (2, 2)) == ""


def test_within_a_definition_a_citation_is_not_moved() -> None:
    assert why("It returns `limit`.", (2, 2)) == ""


PAIR = """\
def one(text, error, other):
    text = error.wrap(text)
    error.cause = None  # raise error, as it were
    if error is not None and other in text:
        return error.first(text)


def two(text, error, other):
    if error is None:
        raise error
    other = text.copy()
    return text
"""


@pytest.mark.parametrize(
    ("claim", "wrong", "right"),
    [
        pytest.param("What it hands back: the result is `text`.", 5, 12, id="what is returned, not what it is made of"),
        pytest.param("Here `error` is thrown.", 3, 10, id="a comment raises nothing"),
        pytest.param("There is a test whether `error` is `None`.", 4, 9, id="is, not is not"),
        pytest.param("There is a test whether `error` is not `None`.", 9, 4, id="is not, not is"),
        pytest.param("Callers have to handle `error`.", 4, 10, id="what callers handle is raised"),
        pytest.param("Whether `text` is in `other` is not asked.", 11, 4, id="in"),
        pytest.param("text is returned.", 2, 12, id="everyday words that are names, where nothing else is named"),
        pytest.param("It calls `text.copy`, and other gets it.", 12, 11, id="an everyday word that is a target there"),
    ],
)
def test_lines_that_say_it_are_held_against_lines_that_do_not(claim: str, wrong: int, right: int) -> None:
    """The wrong line holds every name of the claim too, or all that was read of them."""
    assert why(claim, (right, right), code=PAIR, reads=[(1, 5), (8, 12)]) == ""
    assert why(claim, (wrong, wrong), code=PAIR, reads=[(1, 5), (8, 12)]) != ""


TWICE = """\
class Old:
    def load(self, path, strict=None):
        if strict:
            pass
        self.path = path


class New:
    def load(self, path, strict=None): self.path = path
"""


def test_a_definition_that_a_claim_names_is_not_beaten_by_one_of_the_same_name() -> None:
    assert why("`load` sets `self.path` to `path`.", (2, 5), code=TWICE, reads=[(2, 5), (9, 9)]) == ""


def test_a_default_is_none_as_well_as_what_is_tested_for_it() -> None:
    code = "def f(x=None):\n    pass\n\n\ndef g(x):\n    if x is None:\n        x = None\n"
    assert why("`f` takes `x`, which is `None` unless given.", (1, 1), code=code, reads=[(1, 2), (5, 7)]) == ""


def test_a_word_behind_a_name_in_backticks_is_not_called_by_it() -> None:
    """`set` is an identifier of the evidence, and what `limit` is "set to" is not that."""
    code = "def f(limit):\n    g(limit=3)\n\n\ndef h():\n    return set()\n"
    assert why("It calls `g` with `limit` set to 3.", (2, 2), code=code, reads=[(1, 2), (5, 6)]) == ""


def test_an_extractive_claim_is_cut_from_its_lines_and_stays() -> None:
    assert why("If `limit` is greater than what is left, it ends.", (10, 10), most=EXTRACTIVE_MAX_LINES) == ""
