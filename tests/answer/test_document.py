"""An answer as a document: what was said and what is cited, and nothing of a file, a name or a question is markup."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from toolrag.answer.citations import anchor_of
from toolrag.answer.document import SHOWN_LINES, document_of
from toolrag.answer.prose import code, markdown
from toolrag.answer.types import Answer, Callers, Citation, Claim, Reason, Usage
from toolrag.answer.written import find_written
from toolrag.ports import Candidate, Searched
from toolrag.text import Form, LineRange, Text, TextSnapshot

PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
MARKUP = st.lists(
    st.sampled_from(
        [*"`*_[]()<>!#~|&-+=.:;/\\@'\"1 \t\n%é\u200b\u202e\x1b\ud800", "ab", "www.", "http://", "```", "]("]
    ),
    max_size=20,
).map("".join)

FIRST = LineRange(0, 1)


def answer(text: str, path: str = "a b/c.py", lines: LineRange = FIRST, **changes: object) -> Answer:
    whole = Text(text)
    snapshot = TextSnapshot("file:///r/c.py", "r", path, whole, Form(), "0" * 40, "disk")
    cited = Citation("r1", snapshot, lines, whole.sha_of(lines), anchor_of(whole, lines), "f", "verified")
    looked = Candidate("file:///r/d.py", "r", path, "0" * 40, "python", None, None, LineRange(3, 5), "", 1.0, 0.5, ())
    made = Answer(
        id="0" * 16,
        question="what does `f` do?",
        outcome="answered",
        reason=None,
        model="extractive",
        claims=(Claim("c1", f"{code('f')} does something.", ("r1",)),),
        citations=(cited,),
        candidates=(looked,),
        searched=Searched(1_200, 3, True, ("f",)),
        usage=Usage(),
    )
    return replace(made, **changes)  # type: ignore[arg-type] # names of any of its members


def test_an_answer_says_what_is_claimed_what_is_cited_and_where_else_was_looked() -> None:
    given_answer = answer("def f():\n    pass\n", lines=LineRange(0, 2), callers=Callers("f", 1, 1, True))
    pin = given_answer.citations[0].lines_sha[:12]
    assert document_of(given_answer) == (
        f"# what does `f` do?\n\n`extractive`, 1,200 files searched\n\n`f` does something.\n\n"
        f"- `a b/c.py:1-2@{pin}`\n\n```\ndef f():\n    pass\n```\n\n"
        "`f(` is named at 1 place.\n\nAlso looked at: `a b/c.py:4-5`\n"
    )


def test_its_pinned_citations_are_read_as_such() -> None:
    given_answer = answer("def f():\n    pass\n", "src/a b.py")
    found = [one for one in find_written(document_of(given_answer)) if one.pin]
    assert [(one.paths[0], one.pin) for one in found] == [("src/a b.py", given_answer.citations[0].lines_sha[:12])]


@pytest.mark.parametrize(
    ("n", "last"), [(SHOWN_LINES, "x"), (SHOWN_LINES + 1, "… 1 more"), (SHOWN_LINES + 9, "… 9 more")]
)
def test_of_many_lines_the_first_are_shown(n: int, last: str) -> None:
    shown = document_of(answer("x\n" * n, lines=LineRange(0, n))).split("```")[1].strip("\n").split("\n")
    assert shown == ["x"] * SHOWN_LINES + ([] if n == SHOWN_LINES else [last])


def test_without_claims_it_says_why_and_where_to_look() -> None:
    nothing = answer("x", claims=(), citations=(), reason=Reason("nothing_found", "Nothing is *here*."))
    assert "Nothing is \\*here\\*.\n\nWhere to look: `a b/c.py:4-5`\n" in document_of(nothing)


@given(MARKUP)
@example("```\n# a\n<script>alert(1)</script>")
@example("~~~\n[a](http://b)")
@example("![x](https://attacker.invalid/?d=1)")
@example("<!-- -->\n| a |\n|---|\n")
def test_nothing_of_a_file_a_name_or_a_question_is_markup(word: str) -> None:
    text = Text(f"{word}\n{word}")
    given_answer = answer(
        text.content,
        word or "a",
        LineRange(0, text.n_lines),
        question=word or "?",
        claims=(Claim("c1", markdown(word) or "a", ("r1",)),),
        reason=Reason("no_evidence", word or "a"),
        callers=Callers(word or "a", 2, 1, False),
    )
    document = document_of(given_answer)
    document.encode()
    tokens = PARSER.parse(document)
    kinds = [token.type for token in tokens]
    assert set(kinds) <= {
        "heading_open", "heading_close", "paragraph_open", "paragraph_close", "inline", "fence",
        "bullet_list_open", "bullet_list_close", "list_item_open", "list_item_close",
    }  # fmt: skip
    assert (kinds.count("heading_open"), kinds.count("fence"), kinds.count("bullet_list_open")) == (1, 1, 1)
    for token in tokens:
        assert all(child.type in ("text", "code_inline") for child in token.children or ()), word
