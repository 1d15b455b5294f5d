"""A hover is what toolrag wrote: nothing of a file becomes markup in it, and each link leads to lines that were read."""

from __future__ import annotations

import re

from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from toolrag.answer.hover.facts import Call, Definition, Facts, Place
from toolrag.answer.hover.markup import explain_link, written
from toolrag.text import Form, LineRange, Text, TextSnapshot

PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
PARSER.validateLink = lambda _: True  # type: ignore[method-assign] # by itself it refuses links to files
BARE_ADDRESS = re.compile(r"(?i)(?:https?://|ftp://|www\.|mailto:|\w@)[^\W_]")
MARKUP = st.lists(
    st.sampled_from(
        [*"`*_[]()<>!#~|&-+=.:;/\\@'\"1 \n\t%é\u200b\u202e\x1b", "ab", "www.", "http://", "```", "](", "&lt;"]
    ),
    max_size=20,
).map("".join)


def place(path: str, symbol: str = "", line: int = 2, uri: str = "file:///w/a.py") -> Place:
    snapshot = TextSnapshot(uri, "w", path, Text("\n" * 9), Form(), "0" * 40, "disk")
    return Place(snapshot, LineRange(line, line + 3), line, symbol)


def facts(word: str, path: str = "a.py", uri: str = "file:///w/a.py", **more: object) -> Facts:
    """Everything that may come from a file is `word`."""
    one = Definition(place(path, word, uri=uri), "python", "function", word, word, word)
    given: dict[str, object] = {
        "name": word, "key": (word, ""), "definitions": (one, one), "is_certain": True, "n_definitions": 2,
        "all_definitions": True, "calls": (Call(word, place(path, uri=uri)),), "n_naming": 3, "n_files": 1,
        "all_naming": True, "naming": (place(path, word, uri=uri),), "tests": (place(path, word, uri=uri),),
    }  # fmt: skip
    return Facts(**{**given, **more})  # type: ignore[arg-type] # members of Facts


@given(MARKUP, st.booleans())
@example("[a](http://b)", True)
@example("<img src=x>", True)
@example("```\n# a\n<script>", True)
@example("![x](https://attacker.invalid/?d=1)", False)
@example("&#60;b&#62;", True)
def test_nothing_of_a_file_becomes_markup(word: str, is_certain: bool) -> None:
    tokens = PARSER.parse(written(facts(word, word or "a", is_certain=is_certain), "markdown"))
    kinds = {token.type for token in tokens}
    assert kinds <= {"fence", "paragraph_open", "inline", "paragraph_close"}
    for token in tokens:
        for child in token.children or ():
            assert child.type in ("text", "code_inline", "link_open", "link_close"), (child.type, word)
            if child.type == "text":
                assert not BARE_ADDRESS.search(child.content)
            if child.type == "link_open":
                assert child.attrGet("href") == "file:///w/a.py#L3"
    links = sum(child.type == "link_open" for token in tokens for child in token.children or ())
    assert links == 5


@given(MARKUP)
def test_a_uri_of_any_characters_is_one_target(odd: str) -> None:
    uri = f"untitled:{odd}"
    tokens = PARSER.parse(written(facts("send", uri=uri), "markdown"))
    targets = {
        str(child.attrGet("href")) for token in tokens for child in token.children or () if child.type == "link_open"
    }
    assert len(targets) == 1
    (target,) = targets
    assert target.startswith("untitled:")
    assert target.endswith("#L3") != ("#" in odd)


@given(MARKUP)
def test_plain_text_hides_nothing(word: str) -> None:
    shown = written(facts(word, word or "a"), "plaintext")
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f\u200b\u202e]", shown)
    assert "](" in word or "](" not in shown


def test_what_is_said() -> None:
    shown = written(facts("send"), "plaintext")
    assert shown.split("\n\n") == [
        "send",
        "send",
        "Function send, a.py:3-5.",
        "1 other symbol has this name: send in a.py:3-5.",
        "Calls, by name: send (a.py:3).",
        "send is named on 3 other lines of 1 file: a.py:3 in send.",
        "In tests: a.py:3 in send.",
    ]


def test_several_are_said_to_be_several_and_counts_that_may_be_higher_say_so() -> None:
    several = written(facts("send", is_certain=False, n_definitions=7, calls=(), tests=()), "plaintext")
    assert several.split("\n\n")[0] == "7 symbols are named send: send in a.py:3-5; send in a.py:3-5."
    open_ended = facts("send", is_certain=False, all_definitions=False, all_naming=False, naming=(), tests=(), calls=())
    assert written(open_ended, "plaintext").split("\n\n") == [
        "2 or more symbols are named send: send in a.py:3-5; send in a.py:3-5.",
        "send is named on 3 or more other lines of 1 or more files.",
    ]
    assert "on no other line." in written(facts("send", n_naming=0), "plaintext")
    assert "on no other line that was looked at." in written(facts("send", n_naming=0, all_naming=False), "plaintext")


def test_explain_is_a_link_to_a_command_with_its_argument() -> None:
    assert explain_link("file:///a (1).py", 2, 4) == (
        "[Explain](command:toolrag.explain?%5B%7B%22textDocument%22%3A%20%7B%22uri%22%3A%20%22file%3A%2F%2F%2Fa%20%281%29"
        ".py%22%7D%2C%20%22position%22%3A%20%7B%22line%22%3A%202%2C%20%22character%22%3A%204%7D%7D%5D)"
    )
