"""Ask questions whose answers were looked up by hand, and say where each answer's first citation lands.

    python server/benchmarks/questions.py FOLDER

FOLDER is what `fetch_corpora.py` made. A question counts when the first citation overlaps one of its gold places; one
without gold asks for what is not there, and counts when that is said. Each `NAME_questions.json` beside this file is a
set, printed by itself; exit code 1 when one falls below its floor. What the sets are:

- `tuned`: tuned on, and some of their answers had been seen when their gold was written. No measure of new questions.
- `fresh`: written, with narrow gold, by someone who had seen no answer. On first sight 16 of 30 landed and 7 of 10
  absences were said; faults they showed were mended and weights were chosen with their scores in view since.
- `held_out`: forty questions and ten absences about ten packages that `random.Random(20261130).sample` drew from the
  sorted names of held_out_packages.json, written with their gold before any answer was seen. Nobody who worked on the
  answers has looked at one of them: only the totals are known. On first sight 17 of 40 landed; we want 28.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from fetch_corpora import Row, corpus, question_sets
from toolrag import app
from toolrag.answer.citations import place
from toolrag.answer.types import Answer
from toolrag.config import JournalSettings, Settings

SETTINGS: Final = Settings(journal=JournalSettings(enabled=False))
"""Nobody replays a benchmark."""
LEAST: Final = (0.7, 0.7)
"""The share of a set's questions that must land, and of its absences that must be said, where FLOORS has no other."""
FLOORS: Final = {"tuned": (0.75, 0.0), "fresh": (0.6, 0.8), "held_out": (0.4, 0.8)}


def run(folder: Path, rows: Sequence[Row]) -> list[tuple[Row, bool]]:
    """All questions of a set with whether each counts, package by package."""
    packages: dict[Path, list[Row]] = defaultdict(list)
    for row in rows:
        packages[corpus(folder, row["package"], row["version"])].append(row)
    return [one for root, asked in packages.items() for one in asyncio.run(ask(root, asked))]


async def ask(root: Path, rows: Sequence[Row]) -> list[tuple[Row, bool]]:
    """Whether each of a package's questions counts; prints a line for each."""
    results = []
    began = time.perf_counter()
    with app.open_place(str(root), SETTINGS) as opened:
        async with app.open_workspace(opened, refresh=True, progress=lambda *_: None) as workspace:
            assert workspace.dense is not None
            await workspace.dense
            print(f"{root.name}: ready after {time.perf_counter() - began:.2f} s")
            for row in rows:
                answer = await workspace.answerer("extractive").answer(row["question"])
                results.append((row, lands(answer, row["gold"])))
                first = place(answer.citations[0]) if answer.citations else "nothing"
                said = "" if answer.outcome == "answered" else f" ({answer.outcome})"
                print(f"  {'ok  ' if results[-1][1] else 'MISS'} {row['question']}  →  {first}{said}")
    return results


def lands(answer: Answer, gold: Sequence[str]) -> bool:
    """Whether an answer's first citation is where it should be; without gold, whether it says that it is not there."""
    if not gold:
        return answer.outcome != "answered"
    if not answer.citations:
        return False
    first = answer.citations[0]
    return any(overlaps(first.snapshot.path, first.lines.start + 1, first.lines.end, one) for one in gold)


def overlaps(path: str, start: int, end: int, gold: str) -> bool:
    """Whether lines of a file share one with a gold place."""
    gold_path, _, lines = gold.rpartition(":")
    first, last = (int(number) for number in lines.split("-"))
    return path == gold_path and start <= last and first <= end


def main(folder: Path) -> None:
    """Every set, and whether each holds its floors."""
    below = False
    counts = []
    for name, rows in question_sets().items():
        print(f"== {name}")
        results = run(folder, rows)
        least_there, least_absent = FLOORS.get(name, LEAST)
        for what, landed, least in (
            (
                "first citations land where an expert would look",
                [ok for row, ok in results if row["gold"]],
                least_there,
            ),
            ("absences are said", [ok for row, ok in results if not row["gold"]], least_absent),
        ):
            if landed:
                held = sum(landed) >= least * len(landed)
                below |= not held
                counts.append(
                    f"{name}: {sum(landed)} of {len(landed)} {what} (floor {least:.0%}){'' if held else ', BELOW'}"
                )
    print("", *counts, sep="\n")
    if below:
        sys.exit(1)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(Path(sys.argv[1]))
