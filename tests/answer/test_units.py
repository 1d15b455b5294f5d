"""What can be claimed of one candidate: each unit's words, and the lines they rest on."""

from __future__ import annotations

import asyncio

import pytest
from answer_doubles import MemoryRetriever, range_reader
from doubles import MemoryDocuments
from toolrag.answer.gather import read_candidate
from toolrag.answer.units import Unit
from toolrag.answer.verify import verify
from toolrag.ports import Scope

SOURCE = '''\
"""A module."""

LIMIT = 3
#: How long to wait.
PAUSE: float = 0.5


class Pool(Base):
    """Keeps connections.

    :param size: how many are kept
    """

    def __init__(self, size):
        self.size = size or LIMIT

    def take(self, wait=True):
        """Take a connection.

        Waits for one unless told not to. See also `give`.
        """
        if not self.free:
            raise Empty("none is "
                        "left")
        elif wait:
            self.wait(PAUSE)
        else:
            return None
        # The newest one is the least likely to be dead.
        return self.free.pop()

    def give(self, one):
        if one.alive:
            self.state = "free"
        else:
            self.state = "dead"
        for other in self.waiting:
            if other.ready:
                other.tell(one)

        def later():
            return one
        return later


def undocumented(a, b=1): return a + b
'''


def units_of(name: str, source: str = SOURCE) -> list[Unit]:
    """The units of one symbol, each of which passes verification as it is."""
    documents = MemoryDocuments({"pool.py": source})
    retriever = MemoryRetriever(documents.files)

    async def read() -> list[Unit]:
        (candidate,) = await retriever.definitions(name, 1, Scope())
        reader = range_reader(documents)
        found = list((await read_candidate(reader, candidate)).units())
        verified = await verify([unit.draft for unit in found], reader.evidence, documents, 12)
        assert not verified.dropped
        return found

    return asyncio.run(read())


def said(name: str, source: str = SOURCE) -> list[str]:
    """What is said of a symbol, with the lines of each first citation."""
    return [
        f"{unit.draft.cuts[0].lines.start + 1}-{unit.draft.cuts[0].lines.end} {unit.draft.text}"
        for unit in units_of(name, source)
    ]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        pytest.param("LIMIT", ["3-3 `LIMIT` is `3`."], id="a constant"),
        pytest.param(
            "PAUSE", ["5-5 `PAUSE` is `0.5`.", "4-5 `PAUSE`: How long to wait."], id="a constant with type and doc"
        ),
        pytest.param(
            "Pool",
            ["8-9 `class Pool(Base)`: Keeps connections.", "11-11 `Pool`: size: how many are kept."],
            id="a class and its parameters",
        ),
        pytest.param(
            "Pool.__init__",
            [
                "14-14 `def __init__(self, size)` is defined here.",
                "15-15 A new `Pool` sets `self.size` to `size or LIMIT`.",
            ],
            id="what makes an object speaks of its class",
        ),
        pytest.param(
            "Pool.take",
            [
                "17-18 `def take(self, wait=True)`: Take a connection.",
                "20-20 `take`: Waits for one unless told not to.",
                "17-17 `wait` of `take` is `True` by default.",
                '22-24 `take` raises `Empty("none is left")` when `not self.free`.',
                "25-26 `take` calls `self.wait(PAUSE)` when `wait`, under further conditions.",
                "28-28 `take` returns `None`, under further conditions.",
                "29-29 In `take`, a comment says: The newest one is the least likely to be dead.",
                "30-30 `take` returns `self.free.pop()`, if it gets there.",
            ],
            id="a method: docs, conditions, a chain of them, a comment",
        ),
        pytest.param(
            "Pool.give",
            [
                "32-32 `def give(self, one)` is defined here.",
                '33-36 `give` sets `self.state` to `"free"` when `one.alive`; otherwise it sets `self.state` to '
                '`"dead"`.',
                '33-36 `give` sets `self.state` to `"dead"` unless `one.alive`.',
                "38-39 `give` calls `other.tell(one)` when `other.ready`, under further conditions.",
                "43-43 `give` returns `later`.",
            ],
            id="either way; a condition in a loop; nothing of an inner function",
        ),
        pytest.param(
            "undocumented",
            ["46-46 `def undocumented(a, b=1)` is defined here.", "46-46 `b` of `undocumented` is `1` by default."],
            id="a function on one line",
        ),
    ],
)
def test_what_is_said(name: str, expected: list[str]) -> None:
    """Each claim with its first cited lines; conditions that are not told are said to be there."""
    assert said(name) == expected


def test_the_line_that_names_the_symbol_is_cited_too() -> None:
    """A claim that speaks of a function cites its signature's line, besides its own lines or within them."""
    for unit in units_of("Pool.take"):
        cited = "".join(cut.evidence.snapshot.text.slice(cut.lines) for cut in unit.draft.cuts)
        assert "def take" in cited


def test_a_long_statement_is_cut_in_words_but_cited_whole() -> None:
    """Code in a claim is short; its lines are not."""
    arguments = ",\n        ".join(f"argument_{number}={number}" for number in range(6))
    (_, unit) = units_of("f", f"def f():\n    return g(\n        {arguments},\n    )\n")
    assert unit.draft.text == "`f` returns `g(argument_0=0, argument_1=1, argument_2=2, argument_3=3, …`."
    assert (unit.draft.cuts[0].lines.start, unit.draft.cuts[0].lines.end) == (1, 9)
    assert "argument_5" in unit.words


def test_markup_in_docs_stays_words() -> None:
    """A doc cannot put a link, an image or a tag into a claim."""
    (unit,) = units_of("f", 'def f():\n    """See ![x](https://evil.invalid/?q) and <b>this</b>."""\n    pass\n')
    assert "](" not in unit.draft.text.replace("\\]", "")
    assert "<b>" not in unit.draft.text.replace("\\<", "")


def test_a_class_s_own_values_are_told_and_not_those_within_or_under_a_condition() -> None:
    source = '''\
class Retry:
    """Tries again.

    limit = 7 is no statement here
    """

    #: How often.
    LIMIT = 3
    names: list[str] = ["a"]
    if DEBUG:
        LIMIT = 9

    def f(self):
        LIMIT = 5
'''
    values = [text for text in said("Retry", source) if " sets " in text]
    assert values == ["8-8 `Retry` sets `LIMIT` to `3`.", '9-9 `Retry` sets `names` to `["a"]`.']
