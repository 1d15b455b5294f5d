"""Run a whole workspace over a small tree, for the tests of the composition root."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Self

import pytest
from parser_double import InlineParser
from toolrag import app
from toolrag.adapters.refresh import Coverage
from toolrag.config import IndexLimits, Settings
from toolrag.ports import Candidate, Scope

FILES: dict[str, str | bytes] = {
    "src/session.py": (
        "LIMIT = 3\n\n\nclass Session:\n    def send(self, request):\n        return retry(request, LIMIT)\n"
    ),
    "src/retry.py": "def retry(request, limit):\n    for _ in range(limit):\n        yield request\n",
    "tests/test_retry.py": "def test_retry():\n    assert list(retry(1, 2))\n",
    "README.md": "# Retries\n\nA request is sent three times.\n",
}
QUESTIONS = ("retry", "how often is a request sent", "Session.send", "limit")
ENGINES = ["exact"] if find_spec("hnswlib") is None else ["exact", "hnsw"]

Found = list[tuple[Candidate, ...]]


class InPlace(InlineParser):
    """Stands for the parse process where starting one would only take time."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Nothing was started."""


def run(
    root: Path,
    *,
    refresh: bool = True,
    engine: str = "exact",
    progress: Callable[[str, int, int], None] = lambda *_: None,
) -> tuple[Coverage | None, Found]:
    """Open, ask everything, close."""
    settings = Settings(index=IndexLimits(vectors=engine))  # type: ignore[arg-type] # one of VectorChoice

    async def ask() -> tuple[Coverage | None, Found]:
        with app.open_place(str(root), settings) as place:
            async with app.open_workspace(place, refresh=refresh, progress=progress) as workspace:
                if workspace.dense is not None:
                    await workspace.dense
                results = [await workspace.retriever.search(question, 10, Scope()) for question in QUESTIONS]
                return workspace.coverage, [result.candidates for result in results]

    return asyncio.run(ask())


@contextmanager
def one_line(caplog: pytest.LogCaptureFixture, says: str) -> Iterator[None]:
    """Exactly one line is logged within, and says this."""
    caplog.clear()
    with caplog.at_level(logging.WARNING):
        yield
    assert [says in record.getMessage() for record in caplog.records] == [True]
