"""What a journal costs an answer without a model: each question asked with and without one, in turn.

    python server/benchmarks/journal.py FOLDER [ROUNDS]

FOLDER is indexed from nothing, in folders of its own. The questions are those of `language_server.py`, which are about
Django; elsewhere they are answered too, with less to read. Each is asked ROUNDS times (9) in both ways, after once to
warm up; its time is the median, and what is printed are medians over the questions. `new` has an empty state folder
for each ask, so that every text is written; `kept` has the texts there, as in all later asks about the same files.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

from language_server import QUESTIONS
from toolrag import app
from toolrag.answer.types import Answer
from toolrag.config import Settings

WAYS: Final = ("without", "kept", "new")


async def main(folder: Path, rounds: int) -> None:
    with app.open_place(str(folder), Settings()) as place:
        async with app.open_workspace(place, refresh=True, progress=lambda *_: None) as workspace:
            assert workspace.dense is not None
            await workspace.dense
            plain, journaled = workspace.extractive(), workspace.journaled()
            assert journaled.journals is not None
            kept = journaled.journals.folder
            times: dict[str, list[float]] = {way: [] for way in WAYS}
            longest: dict[str, float] = dict.fromkeys(WAYS, 0.0)
            sizes = []
            for question in QUESTIONS:
                taken: dict[str, list[float]] = {way: [] for way in WAYS}
                for at in range(rounds + 1):
                    for way in WAYS:
                        if way == "new":
                            shutil.rmtree(kept)
                        ask = plain.answer if way == "without" else journaled.answer
                        seconds, answer = await timed(ask, question)
                        assert (answer.journal is None) == (way == "without"), "the journal was not kept"
                        if at:
                            taken[way].append(seconds)
                sizes.append(sum(path.stat().st_size for path in kept.rglob("*") if path.is_file()))
                for way in WAYS:
                    times[way].append(statistics.median(taken[way]))
                    longest[way] = max(longest[way], times[way][-1])
    base = statistics.median(times["without"])
    for way in WAYS:
        middle = statistics.median(times[way])
        ratio = statistics.median(one / plain for one, plain in zip(times[way], times["without"], strict=True))
        more, slowest = (middle - base) * 1e3, longest[way] * 1e3
        print(f"{way:<8} {middle * 1e3:6.1f} ms  {more:+5.1f} ms  ×{ratio:.3f}  slowest {slowest:.1f} ms")
    print(f"one journal with its texts: {statistics.median(sizes) / 1e3:,.0f} KB, at most {max(sizes) / 1e3:,.0f} KB")


async def timed(ask: Callable[[str], Awaitable[Answer]], question: str) -> tuple[float, Answer]:
    """Seconds of one answer, and the answer."""
    began = time.perf_counter()
    answer = await ask(question)
    return time.perf_counter() - began, answer


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as made:
        os.environ |= {"XDG_CACHE_HOME": f"{made}/cache", "XDG_STATE_HOME": f"{made}/state"}
        asyncio.run(main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) == 3 else 9))
