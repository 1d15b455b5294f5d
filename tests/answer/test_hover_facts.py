"""What is said of a name under the pointer stands in the lines it is said of, at the moment it is said."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from doubles import MemoryDocuments
from hover_doubles import ParsingNames
from toolrag.answer.hover.facts import Facts, Place, gather
from toolrag.answer.hover.names import Front
from toolrag.answer.hover.pointed import pointed_at
from toolrag.text import TextSnapshot

SESSION = '''\
"""Sessions: send is here."""


class Session:
    """Keeps cookies."""

    def send(self, request):
        """Send a request with its cookies.

        Not twice.
        """
        prepared = prepare(request)
        check(prepared)
        check(prepared)
        return self.adapter.send(prepared)  # send it

    def again(self, request):
        return self.send(request)


class Other:
    def send(self):
        return unknown()
'''
FILES = {
    "src/session.py": SESSION,
    "src/prepare.py": "def prepare(request):\n    return request\n\n\ndef check(it):\n    def prepare():\n        pass\n",
    "src/use.py": "from session import Session\n\nLIMIT = 3\n\n\ndef run():\n    return Session().send(LIMIT)\n",
    "tests/test_session.py": "def test_send():\n    Session().send(1)\n",
}


class ChangingNames(ParsingNames):
    """Files change before their lines are read for the last time."""

    def __init__(self, documents: MemoryDocuments, changes: dict[str, str | None]) -> None:
        super().__init__(documents)
        self._changes = changes
        self._files = documents.files

    async def now(self, uris: Sequence[str]) -> list[TextSnapshot | None]:
        for path, text in self._changes.items():
            if text is None:
                del self._files[path]
            else:
                self._files[path] = text
        return await super().now(uris)


def facts(path: str, marked: str, changes: dict[str, str | None] | None = None) -> Facts | None:
    """The facts at the `|` in a piece of a file's text."""
    documents = MemoryDocuments(FILES)
    snapshot = asyncio.run(documents.snapshot(path))
    assert snapshot.text.content.count(marked.replace("|", "")) == 1
    offset = snapshot.text.content.index(marked.replace("|", "")) + marked.index("|")
    pointed = pointed_at(snapshot.text, offset, "python")
    assert pointed is not None
    return asyncio.run(gather(pointed, Front(snapshot, "python"), ChangingNames(documents, changes or {})))


def told(path: str, marked: str, changes: dict[str, str | None] | None = None) -> Facts:
    found = facts(path, marked, changes)
    assert found is not None
    return found


def places(of: Sequence[Place]) -> list[str]:
    return [f"{one.snapshot.path}:{one.line + 1} {one.symbol}" for one in of]


def test_a_definition_tells_of_itself() -> None:
    found = told("src/session.py", "    def se|nd(self, request)")
    first = found.definitions[0]
    assert (first.signature, first.doc, first.qualified, first.kind) == (
        "def send(self, request)", "Send a request with its cookies.", "Session.send", "method",
    )  # fmt: skip
    assert places([first.place]) == ["src/session.py:7 Session.send"]
    assert (found.is_certain, found.n_definitions, found.all_definitions) == (True, 2, True)


def test_what_it_calls_is_each_name_once_on_its_first_line() -> None:
    found = told("src/session.py", "    def se|nd(self, request)")
    assert [(one.name, one.place.line + 1) for one in found.calls] == [("prepare", 12), ("check", 13)]


def test_lines_that_name_it_are_counted_without_its_definitions_and_calls_come_first() -> None:
    found = told("src/session.py", "    def se|nd(self, request)")
    assert places(found.naming)[0].startswith(("src/session.py:15 send", "src/use.py:7 run"))
    assert set(places(found.naming)) == {"src/session.py:15 send", "src/use.py:7 run", "src/session.py:18 again"}
    assert places(found.tests) == ["tests/test_session.py:2 test_send"]
    # Both definitions are listed; the module's docstring is a line that holds the name.
    assert (found.n_naming, found.n_files, found.all_naming) == (5, 3, True)


def test_a_use_tells_of_the_one_definition() -> None:
    found = told("src/use.py", "send(LI|MIT)")
    assert (found.is_certain, found.definitions[0].signature) == (True, "LIMIT = 3")
    assert (found.n_naming, places(found.naming)) == (1, [])  # the line that is pointed to is not told again


def test_several_of_a_name_are_several_and_nothing_is_told_of_the_body_of_one() -> None:
    found = told("src/use.py", "Session().se|nd(LIMIT)")
    assert (found.is_certain, found.n_definitions, found.calls) == (False, 2, ())
    assert [one.qualified for one in found.definitions] == ["Session.send", "Other.send"]


def test_what_stands_before_the_dot_says_which_is_likelier() -> None:
    assert told("src/session.py", "return self.se|nd(request)").definitions[0].qualified == "Session.send"


@pytest.mark.parametrize(
    ("path", "marked"),
    [
        ("src/session.py", "Sessions: se|nd is here"),
        ("src/session.py", "# se|nd it"),
        ("src/session.py", "return unkn|own()"),
        ("src/session.py", "sel|f, request):\n        return"),
        ("src/use.py", "re|turn"),
    ],
    ids=["doc", "comment", "no symbol's name", "a parameter", "keyword"],
)
def test_of_what_is_nothing_nothing_is_said(path: str, marked: str) -> None:
    assert facts(path, marked) is None


def test_lines_that_changed_meanwhile_are_left_out_and_counts_say_that_there_may_be_more() -> None:
    changed = {"src/use.py": "\n" + FILES["src/use.py"], "tests/test_session.py": None}
    found = told("src/session.py", "    def se|nd(self, request)", changed)
    assert set(places(found.naming)) == {"src/session.py:15 send", "src/session.py:18 again"}
    assert (found.tests, found.all_naming) == ((), False)


def test_lines_that_stand_in_a_changed_text_are_told() -> None:
    found = told("src/session.py", "    def se|nd(self, request)", {"src/use.py": FILES["src/use.py"] + "\n# more\n"})
    assert "src/use.py:7 run" in places(found.naming)


def test_of_a_definition_that_is_gone_nothing_is_said() -> None:
    assert facts("src/use.py", "send(LI|MIT)", {"src/use.py": "# nothing\n"}) is None
