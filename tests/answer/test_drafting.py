"""What a model writes becomes drafts: claims with cuts, or a sentence that tells the model why not."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from toolrag.answer.drafting import FORMAT, MAX_CHARACTERS, MAX_CITES, Cite, Drafts, Written, resolve
from toolrag.answer.types import Cut, Draft, Evidence
from toolrag.text import Form, LineRange, Text, TextSnapshot, blob_sha

PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
BARE_ADDRESS = re.compile(r"(?i)(?:https?://|ftp://|www\.|mailto:|\w@)[^\W_]")


def drafted(*pieces: str) -> list[Written]:
    drafts = Drafts()
    return [written for piece in pieces for written in drafts.feed(piece)] + drafts.end()


def shown(*pieces: str) -> list[str]:
    """Each claim's text with its citations as they are told to a model."""
    return [" ".join([one.text, *map(str, one.cites)]) for one in drafted(*pieces)]


@pytest.mark.parametrize(
    ("citation", "cites"),
    [
        pytest.param("[e1:12-18]", "[e1:12-18]", id="as told"),
        pytest.param("[e1:3]", "[e1:3]", id="one line"),
        pytest.param("[e1]", "[e1]", id="the whole read"),
        pytest.param("[e1:12-18] [e2:3]", "[e1:12-18] [e2:3]", id="two"),
        pytest.param("[e1:12-18][e2:3]", "[e1:12-18] [e2:3]", id="two that touch"),
        pytest.param("[e1:12-18, e2:3]", "[e1:12-18] [e2:3]", id="two in one"),
        pytest.param("[e1:12-18; e2:3 and e3]", "[e1:12-18] [e2:3] [e3]", id="other joints"),
        pytest.param("[e1:12-18 e2:3]", "[e1:12-18] [e2:3]", id="no joint"),
        pytest.param("[e1:12-18, 20, 22-23]", "[e1:12-18] [e1:20] [e1:22-23]", id="more lines of one read"),
        pytest.param("[e1, lines 12-18]", "[e1:12-18]", id="in words"),
        pytest.param("[e1: line 12]", "[e1:12]", id="one in words"),
        pytest.param("[e1:12 to 18]", "[e1:12-18]", id="a range in words"),
        pytest.param("(e1:12-18)", "[e1:12-18]", id="round brackets"),
        pytest.param("(see [e1:12-18])", "[e1:12-18]", id="brackets around brackets"),
        pytest.param("[[e1:12-18]]", "[e1:12-18]", id="twice in brackets"),
        pytest.param("【e1:12】", "[e1:12]", id="lenticular brackets"),
        pytest.param("[e1 12-18]", "[e1:12-18]", id="a blank"),
        pytest.param("[e1#L12-L18]", "[e1:12-18]", id="a fragment"),
        pytest.param("[e1:L12-L18]", "[e1:12-18]", id="with L"),
        pytest.param("[e1:12–18]", "[e1:12-18]", id="an en dash"),
        pytest.param("[E1: 12 - 18 ]", "[e1:12-18]", id="capital and blanks"),
        pytest.param("`[e1:12-18]`", "[e1:12-18]", id="in code marks"),
        pytest.param("**[e1:12-18]**", "[e1:12-18]", id="in bold"),
        pytest.param("[e1:12-18](a.py)", "[e1:12-18]", id="as a link"),
        pytest.param("[e1:3] [e1:3]", "[e1:3]", id="the same twice"),
        pytest.param("[e1:18-12]", "[e1:18-12]", id="reversed, which is refused later"),
    ],
)
def test_a_citation_is_found_and_taken_off(citation: str, cites: str) -> None:
    """However a model writes it, after the sentence, before its period, within it and before it."""
    assert shown(f"`f` returns 1 {citation}.") == [f"`f` returns 1. {cites}"]
    assert shown(f"`f` returns 1. {citation}  ") == [f"`f` returns 1. {cites}"]
    assert shown(f"`f` {citation} returns 1") == [f"`f` returns 1 {cites}"]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("`a[e1]` and `f(e1:3)` are code", id="in code"),
        pytest.param("handle(e1)", id="an argument"),
        pytest.param("[12-18]", id="no evidence"),
        pytest.param("[e1:x]", id="no number"),
        pytest.param("[e1:3 as read]", id="more words"),
        pytest.param("[e1:12345678901]", id="too many digits"),
        pytest.param("[e1:1.5]", id="a fraction"),
    ],
)
def test_what_only_looks_like_a_citation_stays(text: str) -> None:
    (written,) = drafted(text)
    assert written.cites == ()
    assert written.text.replace("\\", "") == text


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        pytest.param("A x. [e1:1]\n\nB y. [e1:2]", ["A x. [e1:1]", "B y. [e1:2]"], id="paragraphs"),
        pytest.param("A x. [e1:1]\nB y. [e1:2]", ["A x. [e1:1]", "B y. [e1:2]"], id="a line each"),
        pytest.param("A\nx. [e1:1]", ["A x. [e1:1]"], id="a folded line"),
        pytest.param("A x.\n[e1:1]\n[e1:2]", ["A x. [e1:1] [e1:2]"], id="citations on lines of their own"),
        pytest.param("A x.\n\n[e1:1]", ["A x. [e1:1]"], id="and in a paragraph of their own"),
        pytest.param("A x.\n\nB y.\n\n[e1:1]", ["A x.", "B y. [e1:1]"], id="which is the nearest one's"),
        pytest.param("- A x. [e1:1]\n* B y [e1:2]\n  z.", ["A x. [e1:1]", "B y [e1:2]", "z."], id="bullets"),
        pytest.param("1. A x. [e1:1]\n2) B y. [e1:2]", ["A x. [e1:1]", "B y. [e1:2]"], id="numbers"),
        pytest.param("- A\n  x. [e1:1]\n  - B y. [e1:2]", ["A x. [e1:1]", "B y. [e1:2]"], id="an item in an item"),
        pytest.param("> A x. [e1:1]", ["A x. [e1:1]"], id="quoted"),
        pytest.param("# Head [e1:1]\nA x. [e1:1]", ["A x. [e1:1]"], id="a heading"),
        pytest.param("Head\n====\nA x. [e1:1]", ["A x. [e1:1]"], id="an underlined heading"),
        pytest.param("**Head**\n\nA x. [e1:1]", ["A x. [e1:1]"], id="a heading in bold"),
        pytest.param("A x. [e1:1]\n\n---\n\nB y. [e1:2]", ["A x. [e1:1]", "B y. [e1:2]"], id="a rule"),
        pytest.param("It does this:\n\n- A x. [e1:1]", ["A x. [e1:1]"], id="what leads to a list"),
        pytest.param("A x. [e1:1]\n\nSources:\n- [e1:1]\n- [e2]", ["A x. [e1:1]"], id="a list of sources"),
        pytest.param("A x. [e1:1]\n\nSources: [e1:1], [e2]", ["A x. [e1:1]"], id="a line of sources"),
        pytest.param("A is:\n```py\nx = 1 # [e1:9]\n```\n[e1:1]", ["A is. [e1:1]"], id="fenced code within a claim"),
        pytest.param("A x. [e1:1]\n\n~~~\nB y. [e1:2]\n~~~~\n", ["A x. [e1:1]"], id="fenced code after a claim"),
        pytest.param("````\n```\nA\n````\nB y. [e1:2]", ["B y. [e1:2]"], id="a fence within a longer one"),
        pytest.param("```f()``` calls `g` [e1:2]", ["```f()``` calls `g` [e1:2]"], id="code marks that are no fence"),
        pytest.param("<think>\nA x. [e1:1]\n\n</think>\nB y. [e1:2]", ["B y. [e1:2]"], id="thought aloud"),
        pytest.param("<Thinking>A [e1:1]</thinking>B y. [e1:2]", ["B y. [e1:2]"], id="on one line"),
        pytest.param("A x [e1:1]\n</think>\nB y. [e1:2]", ["B y. [e1:2]"], id="opened before the answer began"),
        pytest.param("<think>A x. [e1:1]", [], id="thought to the end"),
        pytest.param("`<think>` opens it [e1:1]", ["`<think>` opens it [e1:1]"], id="code that speaks of thinking"),
        pytest.param("A x.\r\n\r\nB y. [e1:2]\r", ["A x.", "B y. [e1:2]"], id="other line ends"),
        pytest.param("[e1:3]: A x.", ["A x. [e1:3]"], id="the citation first"),
        pytest.param("A [e1:3], [e1:4], and b [e2:1]; c.", ["A, and b; c. [e1:3] [e1:4] [e2:1]"], id="marks between"),
        pytest.param(
            "**`f`** and *g* use 2 ** 3, *a and *b [e1:1]",
            ["`f` and g use 2 \\*\\* 3, \\*a and \\*b [e1:1]"],
            id="stress",
        ),
        pytest.param(
            "See [the docs](http://a.b) ![x](http://c) [e1:1]", ["See the docs x [e1:1]"], id="links and images"
        ),
        pytest.param("__init__ sets <b>x</b> [e1:1]", ["\\_\\_init\\_\\_ sets \\<b\\>x\\</b\\> [e1:1]"], id="HTML"),
        pytest.param("a\u200bb\x1b [e1:1]", ["a\\\\u200bb\\\\x1b [e1:1]"], id="hidden characters"),
        pytest.param("", [], id="nothing"),
        pytest.param(" \n\n***\n", [], id="no words"),
    ],
)
def test_claims_of_an_answer(answer: str, expected: list[str]) -> None:
    assert shown(answer) == expected


def test_a_claim_comes_as_soon_as_it_is_complete() -> None:
    """With the blank line after it; one without citations waits for what comes next."""
    drafts = Drafts()
    assert drafts.feed("A x. [e1") == []
    assert drafts.feed(":1]\n") == []
    assert [one.text for one in drafts.feed("\nB y.\n\n")] == ["A x."]
    assert [one.text for one in drafts.feed("C z. [e1:2]\n\n")] == ["B y.", "C z."]
    assert drafts.end() == []


def test_what_a_model_wrote_is_kept_to_be_sent_back() -> None:
    (written,) = drafted("- **A** <b>\n```\nx\n```\n  c [e1:1]")
    assert written == Written("A \\<b\\> c", (Cite("e1", 1, 1),), "- **A** <b>\n  c [e1:1]")


@pytest.mark.parametrize(
    "text", ["NO ANSWER", "no answer.", " **No answer.**\n", "`NO_ANSWER`", "<think>x</think>\nNO ANSWER"]
)
def test_giving_up_is_understood(text: str) -> None:
    drafts = Drafts()
    assert [*drafts.feed(text), *drafts.end()] == []
    assert drafts.gave_up


@pytest.mark.parametrize(
    "text",
    ["", "No answer is returned [e1:1]", "A x. [e1:1]\n\nNO ANSWER", "NO ANSWER\n\nA x. [e1:1]", "```\nNO ANSWER\n```"],
)
def test_what_has_a_claim_does_not_give_up(text: str) -> None:
    drafts = Drafts()
    drafts.feed(text)
    drafts.end()
    assert not drafts.gave_up


def test_a_reason_for_giving_up_does_not_undo_it() -> None:
    drafts = Drafts()
    drafts.feed("NO ANSWER\n\nNothing that was read speaks of it.")
    assert [one.text for one in drafts.end()] == ["Nothing that was read speaks of it."]
    assert drafts.gave_up


PIECES = st.lists(
    st.sampled_from(
        [
            *"`*_[]()<>!#~|&-+=.:;/\\@'\"1 \n\r\té\u200b\x1b\0",
            *("ab", "www.", "http://", "```", "](", "![", "&lt;", "\n\n", "\n- ", "[e1:3]", "(e2)", "[e1:", "e2]"),
            *("<think>", "</think>", "NO ANSWER", "\n```\n", "\n> ", "**", "\n---\n", "see"),
        ]
    ),
    max_size=30,
)


@given(PIECES, st.data())
@example(["a [e1:3]", "\r", "\n", "b [e1:4]"], None)
def test_however_an_answer_is_cut_the_same_claims_come(pieces: list[str], data: st.DataObject | None) -> None:
    text = "".join(pieces)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text))))) if data else list(range(len(text)))
    bounds = [0, *cuts, len(text)]
    one, other = Drafts(), Drafts()
    whole = [*one.feed(text), *one.end()]
    parts = [item for start, end in pairwise(bounds) for item in other.feed(text[start:end])]
    assert [*parts, *other.end()] == whole
    assert one.gave_up == other.gave_up


@given(PIECES)
@example(["`a", "[e1:3]", "`b"])
@example(["**`", "**", "`<b>"])
@example(["`*a", "*` <b> *", "`"])
@example(["[", "[e1:3]", "](http://a.b)"])
@example(["a ", "[e1:3]", "\n- b"])
@example(["!", "[e1:3]", "(x)"])
@example(["[e1:3]", "- b"])
@example(["`a`", "[e1:3]", "`b`"])
@example(["\\", "[e1:3]", "<b>"])
def test_a_claim_is_words_and_code(pieces: list[str]) -> None:
    """No Markdown parser finds anything else in it, and a renderer that links bare addresses finds none."""
    for written in drafted("".join(pieces)):
        blocks = PARSER.parse(written.text)
        assert [block.type for block in blocks] in ([], ["paragraph_open", "inline", "paragraph_close"]), written
        children = [child for block in blocks for child in block.children or ()]
        assert {child.type for child in children} <= {"text", "code_inline"}, written
        assert not any(BARE_ADDRESS.search(child.content) for child in children if child.type == "text")
        assert "\0" not in written.text
        assert "\n" not in written.text


@given(st.text(max_size=200))
def test_no_answer_is_too_strange(text: str) -> None:
    for written in drafted(text):
        assert isinstance(resolve(written, {}), str)


@pytest.mark.parametrize(
    "unit", ["`", "[e1 ", "[e1:1,", "(", "**a", "*`", "```\n", "<think>", "e1 ", "\n- ", "[e1:3]\n", "1 to ", "\r"]
)
def test_no_answer_takes_long(unit: str) -> None:
    # Twice the text in about twice the time: with a quadratic rule this test would take minutes.
    assert drafted(unit * 20_000) is not None


CONTENT = "".join(f"line {number}\n" for number in range(1, 60))
SNAPSHOT = TextSnapshot("file:///w/a.py", "w", "a.py", Text(CONTENT), Form(), blob_sha(CONTENT.encode()), "disk")
EVIDENCE = {"e1": Evidence("e1", SNAPSHOT, LineRange(9, 20)), "e2": Evidence("e2", SNAPSHOT, LineRange(29, 30))}


def resolved(text: str, evidence: dict[str, Evidence] = EVIDENCE) -> Draft | str:
    (written,) = drafted(text)
    return resolve(written, evidence)


def test_a_draft_has_cuts_of_the_evidence_in_the_order_written() -> None:
    assert resolved("A x. [e2:30] [e1:10-20] [e1]") == Draft(
        "A x.",
        (
            Cut(EVIDENCE["e2"], LineRange(29, 30)),
            Cut(EVIDENCE["e1"], LineRange(9, 20)),
            Cut(EVIDENCE["e1"], LineRange(9, 20)),
        ),
    )


@pytest.mark.parametrize(
    ("text", "why"),
    [
        pytest.param("A x.", "cites nothing", id="no citation"),
        pytest.param("A x. [e3:1]", "there is no evidence e3: the ids are e1, e2", id="evidence it never saw"),
        pytest.param("A x. [e1:9-12]", "e1 holds lines 10-20 of a.py", id="before the read"),
        pytest.param("A x. [e1:10-21]", "e1 holds lines 10-20 of a.py", id="after the read"),
        pytest.param("A x. [e2:29]", "e2 holds line 30 of a.py", id="beside a read of one line"),
        pytest.param("A x. [e1:0]", "e1 holds lines 10-20", id="line 0"),
        pytest.param("A x. [e1:12-11]", "ends before it starts", id="reversed"),
        pytest.param("A x. [e1:12] [e9]", "there is no evidence e9", id="one good, one not"),
        pytest.param(f"A {'x' * MAX_CHARACTERS}. [e1:12]", f"at most {MAX_CHARACTERS}", id="too long"),
        pytest.param(
            "A " + "".join(f"[e1:{10 + at}]" for at in range(MAX_CITES + 1)),
            f"at most {MAX_CITES}",
            id="piece by piece",
        ),
    ],
)
def test_what_cannot_be_a_draft_is_told_why(text: str, why: str) -> None:
    found = resolved(text)
    assert isinstance(found, str)
    assert why in found
    assert re.fullmatch(r"It [^\n]{10,200}\.", found)


def test_without_a_read_there_is_nothing_to_cite() -> None:
    assert "nothing was read yet" in str(resolved("A x. [e1:3]", {}))


def test_what_only_points_says_nothing() -> None:
    assert "says nothing" in str(resolve(Written("", (Cite("e1", 10, 10),), ""), EVIDENCE))


def test_the_form_that_is_told_is_the_one_that_is_read() -> None:
    assert [str(cite) for one in drafted(FORMAT) for cite in one.cites] == ["[e1:12-18]", "[e2:3]"]
