"""The naming rule of PROTOCOL section 2: what a claim names is in the lines it cites, to the letter."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from toolrag.answer.naming import Vocabulary, check_names, joined, vocabulary

CITED = """\
def send(self, request, max_retries=3):
    timeout = 0x10 + 1_000
    if self.pool.isClosed and timeout <= 2.50:
        raise ValueError("the pool is closed")
    return two_parts
"""
OTHER = "class Session:\n    limit = 77\n    def adopt(self): return open(HTTP2)\n"


def verdict(claim: str, cited: str = CITED, other: str = OTHER) -> str:
    """`passes`, or what is wrong: `invented x`, `elsewhere y`, `names nothing`."""
    found = check_names(claim, vocabulary([cited]), vocabulary([cited, other]))
    wrong = [f"invented {' '.join(found.invented)}"] if found.invented else []
    wrong += [f"elsewhere {' '.join(found.elsewhere)}"] if found.elsewhere else []
    assert found.passes == (not wrong and bool(found.supported))
    return "; ".join(wrong) or ("passes" if found.supported else "names nothing")


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        pytest.param("It calls `send`.", "passes", id="a backticked name of the lines"),
        pytest.param("It calls `receive`.", "invented receive", id="a backticked name of no line"),
        pytest.param("It calls `Session`.", "elsewhere Session", id="a backticked name of other lines"),
        pytest.param("It calls `Send`.", "invented Send", id="another case"),
        pytest.param("It calls `sen`.", "invented sen", id="a part of a name"),
        pytest.param("It calls `self.pool.isClosed`.", "passes", id="a dotted name, part by part"),
        pytest.param("It calls `self.pool.reopen`.", "invented reopen", id="one part is invented"),
        pytest.param("It calls ``send`` and `request`.", "passes", id="two backticks"),
        pytest.param("`return two_parts …`", "passes", id="shortened code"),
        pytest.param("`timeout <= 2.50`", "passes", id="a comparison"),
        pytest.param("`timeout >= 2.50`", "invented >=", id="the comparison turned round"),
        pytest.param("`timeout == 2.50`", "invented ==", id="another comparison"),
        pytest.param("`send` -> `request`", "passes", id="an arrow in prose compares nothing"),
        pytest.param("`request -> two_parts`", "passes", id="nor does one in code"),
        pytest.param("It sends.", "names nothing", id="prose without a name"),
        pytest.param("", "names nothing", id="nothing"),
        pytest.param("`+=` and ``", "names nothing", id="backticks around nothing that is a name"),
        pytest.param('It says "…".', "names nothing", id="quotes around no word"),
        pytest.param("The timeout is two_parts.", "passes", id="in prose, an identifier with an underscore"),
        pytest.param("It asks isClosed.", "passes", id="in prose, one with an inner capital"),
        pytest.param("It speaks HTTP2.", "elsewhere HTTP2", id="in prose, one with a digit, of other lines"),
        pytest.param("It does send.", "passes", id="in prose, what the lines call"),
        pytest.param("It will adopt them.", "elsewhere adopt", id="in prose, what other lines call"),
        pytest.param("The pool is closed.", "passes", id="in prose, what the lines use as an identifier"),
        pytest.param("The request is closed.", "passes", id="an everyday word may be the lines' own"),
        pytest.param("The limit is closed.", "names nothing", id="and says nothing where it is another's"),
        pytest.param("limit is closed.", "elsewhere limit", id="unless a sentence begins with it in lower case"),
        pytest.param("It sets limit to 3.", "elsewhere limit", id="or no article stands where English has one"),
        pytest.param(
            "It asks other.limit too, by send.", "elsewhere limit", id="or it is written as a part of another"
        ),
        pytest.param("It opens one, as one does, with send.", "passes", id="one is a pronoun"),
        pytest.param("A snake_of_no_line is fine.", "names nothing", id="in prose, a name of no line is a word"),
        pytest.param(r"It asks two\_parts.", "passes", id="escaped Markdown is read as it shows"),
        pytest.param(r"It asks \_adopt\_.", "names nothing", id="an escaped underscore makes another word"),
        pytest.param("It tries 3 times.", "passes", id="a number of the lines"),
        pytest.param("It tries three times.", "passes", id="as a word"),
        pytest.param("Three `send`s.", "passes", id="as a word with a capital"),
        pytest.param("It tries 4 times.", "invented 4", id="a number of no line"),
        pytest.param("It tries four times.", "invented four", id="a word's number of no line"),
        pytest.param("It is 77.", "elsewhere 77", id="a number of other lines"),
        pytest.param("It waits 16.", "passes", id="a hexadecimal by value"),
        pytest.param("It waits `16` and 0b1_0000 and 0o20.", "passes", id="in other bases"),
        pytest.param("It waits 1000.", "passes", id="digits in groups"),
        pytest.param("It waits 1e3 and 1000.0.", "passes", id="with an exponent, and as a float"),
        pytest.param("It is 2.5.", "passes", id="a float by value"),
        pytest.param("It is 2.", "invented 2", id="a part of a float is another number"),
        pytest.param("It is 5.", "invented 5", id="so are its decimals"),
        pytest.param("thirteen of them `send`", "passes", id="words go up to twelve"),
        pytest.param("`three`", "invented three", id="a backticked word is a name, not a number"),
        pytest.param('It says "the pool is closed".', "passes", id="a quoted string"),
        pytest.param("It says “the pool is closed”.", "passes", id="in curly quotes"),
        pytest.param("It says 'the pool'.", "passes", id="a part of a string, by whole tokens"),
        pytest.param('It says "the pool is close".', "invented the pool is close", id="a part of a token"),
        pytest.param('It says "The pool is closed".', "invented The pool is closed", id="a quote in another case"),
        pytest.param('It says "closed pool".', "invented closed pool", id="a quote in another order"),
        pytest.param('It says "Session: limit".', "elsewhere Session: limit", id="a quote of other lines"),
        pytest.param("It's the pool's `send`.", "passes", id="apostrophes quote nothing"),
        pytest.param("`send` and `receive` of `Session`", "invented receive; elsewhere Session", id="both at once"),
    ],
)
def test_what_a_claim_names(claim: str, expected: str) -> None:
    assert verdict(claim) == expected


@pytest.mark.parametrize(
    ("claim", "cited", "expected"),
    [
        pytest.param("It is 0.5.", "x = .5", "passes", id="a float without its zero"),
        pytest.param("It is 5.", "x = .5", "invented 5", id="which is not its decimals"),
        pytest.param("It is `x`.", f"x = 0x{'f' * 400}", "passes", id="a number no float can hold"),
        pytest.param(f"{'9' * 400}", f"{'9' * 399}8", f"invented {'9' * 400}", id="huge numbers are told apart"),
        pytest.param("9007199254740993", "9007199254740992", "invented 9007199254740993", id="to the last digit"),
        pytest.param("`x` is 1e99999999999999999999.", "x = 1e99999999999999999999", "passes", id="a huge exponent"),
        pytest.param("It does if.", "if(x)", "names nothing", id="a keyword before a bracket is not called"),
        pytest.param("`a\u200db`", "a\u200db = 1", "passes", id="a zero-width joiner is the same on both sides"),
        pytest.param("`ab`", "a\u200db = 1", "invented ab", id="and never left out"),
        pytest.param("`a\\u200db`", "a\u200db = 1", "passes", id="also as it is written out"),
        pytest.param("`pаss`", "pass", "invented pаss", id="a look-alike letter is another letter"),
        pytest.param('"x y"', "x\ny", "passes", id="a quote over a line end"),
    ],
)
def test_odd_lines(claim: str, cited: str, expected: str) -> None:
    assert verdict(claim, cited, "") == expected


def test_a_quote_does_not_reach_over_two_texts() -> None:
    assert not check_names('"a b"', vocabulary(["a", "b"]), vocabulary(["a", "b"])).passes


IDENTIFIERS = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True)
CODE = st.text(st.sampled_from("ab_Z019.x \n()'\"#=<>+-`\\é漢"), min_size=1, max_size=60)


@given(CODE, st.data())
def test_a_claim_of_the_lines_own_tokens_passes(code: str, data: st.DataObject) -> None:
    cited = vocabulary([code])
    assume(cited.words)
    chosen = data.draw(st.lists(st.sampled_from(sorted(cited.words)), min_size=1, max_size=6))
    assert check_names(" and ".join(f"`{token}`" for token in chosen), cited, vocabulary([code, "x y z"])).passes


@given(CODE, IDENTIFIERS, st.text(max_size=20))
def test_a_name_of_no_line_always_fails(code: str, name: str, around: str) -> None:
    cited: Vocabulary = vocabulary([code])
    assume(name not in cited.words)
    claim = f"{around.replace('`', ' ')} `{name}`"
    found = check_names(claim, cited, cited)
    assert name in found.invented
    assert not found.passes


@given(st.text(max_size=80), st.text(max_size=80), st.text(max_size=80))
def test_no_text_raises_and_each_name_has_one_verdict(claim: str, code: str, other: str) -> None:
    found = check_names(claim, vocabulary([code]), vocabulary([code, other]))
    # A number may be supported by value in prose and missing as a token in quotes.
    assert not set(found.invented) & set(found.elsewhere)


def test_what_parts_hold_together_is_what_the_whole_holds() -> None:
    texts = ["def f(x):\n    return g(x) + LIMIT\n", "if a <= 0x10:\n    raise KeyError(a.b)\n", ""]
    parts = [vocabulary([text]) for text in texts]
    assert joined(parts) == vocabulary(texts)
    assert joined([]) == vocabulary([])
