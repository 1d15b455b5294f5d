"""Who raises an error: the functions that name it as called come in beside it, and no test does."""

from __future__ import annotations

import asyncio

import pytest
from answer_doubles import MemoryRetriever
from toolrag.answer.raisers import PASSED_ON, is_error, with_raisers
from toolrag.ports import Candidate, Scope

FILES = {
    "src/errors.py": "class Full(Exception):\n    pass\n\n\nclass Plain:\n    pass\n",
    "src/pool.py": "class Pool:\n    def put(self, one):\n        if self.n > 9:\n            raise Full(one)\n",
    "src/other.py": "class Gone(LookupError):\n    pass\n\n\nclass Place:\n    pass\n\n\ndef find():\n    raise Gone()\n",
    "tests/test_pool.py": "def test_full():\n    raise Full(1)\n",
}


def definition(name: str) -> Candidate:
    (one,) = asyncio.run(MemoryRetriever(FILES).definitions(name, 1, Scope()))
    return one


def raised(name: str) -> list[Candidate]:
    return asyncio.run(with_raisers([definition(name)], MemoryRetriever(FILES), Scope()))


@pytest.mark.parametrize(("name", "raiser"), [("Full", "Pool.put"), ("Gone", "find")])
def test_what_raises_an_error_stands_beside_it(name: str, raiser: str) -> None:
    error, other = raised(name)
    assert error.span is not None
    assert other.span is not None
    assert (error.span.name, other.span.qualified_name) == (name, raiser)
    assert other.score == pytest.approx(max(0.0, PASSED_ON * error.score))


def test_what_is_no_error_brings_nothing_in() -> None:
    assert raised("Place") == [definition("Place")]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        pytest.param("Full", True, id="by its base"),
        pytest.param("Gone", True, id="by the ending of its base"),
        pytest.param("Plain", True, id="by its file"),
        pytest.param("Place", False, id="a class"),
        pytest.param("find", False, id="a function"),
    ],
)
def test_an_error_is_known_by_its_name_its_base_or_its_file(name: str, expected: bool) -> None:
    assert is_error(definition(name)) is expected


def test_a_candidate_that_is_there_already_is_lifted_and_not_doubled() -> None:
    error, raiser = definition("Full"), definition("Pool.put")
    found = asyncio.run(with_raisers([error, raiser], MemoryRetriever(FILES), Scope()))
    assert [one.span for one in found] == [error.span, raiser.span]
