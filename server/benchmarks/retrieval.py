"""NDCG@10 of the retriever on development questions, by repository, by language and over all, and its time a query.

    python server/benchmarks/retrieval.py QUESTIONS.jsonl REPOS.json FOLDER [--whole]

QUESTIONS has lines of {repo, query, gold: [{path, start, end}], blank?}; REPOS a list of {name, language,
benchmark_root}, FOLDER each repository under its name. NDCG@10 as semble's benchmark defines it: each of the ten
places is a passage, a gold file counts at its first one (a gold range at the first that overlaps it), so several
passages of one file use up places. `--whole` indexes whole repositories, tests and docs included, not benchmark_root.

`blank` has the numbers of lines that are emptied before indexing: questions that are docstrings are asked of code
without them. Such a repository is copied first.

Repositories that are not there are named and left out. A question whose gold files are not all there is counted and
named; it scores what can be found, as semble's own number has it, and the mean without such questions is printed too.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import shutil
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toolrag import app
from toolrag.config import Settings
from toolrag.ports import Candidate, Scope

Question = dict[str, Any]


@dataclass(frozen=True)
class Scored:
    """One question's score."""

    repository: str
    language: str
    ndcg: float
    seconds: float
    is_whole: bool
    """All of its gold files are there."""


async def evaluate(folder: Path, repository: dict[str, Any], prefix: str, questions: list[Question]) -> list[Scored]:
    """Index a checkout's folder and ask it everything."""
    scored = []
    with app.open_place(str(folder / prefix), Settings()) as place:
        async with app.open_workspace(place, refresh=True, progress=lambda *_: None) as workspace:
            assert workspace.dense is not None
            await workspace.dense
            for question in questions:
                began = time.perf_counter()
                found = await workspace.retriever.search(question["query"], 10, Scope())
                seconds = time.perf_counter() - began
                is_whole = all((folder / gold["path"]).is_file() for gold in question["gold"])
                value = ndcg(found.candidates, question["gold"], prefix)
                scored.append(Scored(repository["name"], repository["language"], value, seconds, is_whole))
    return scored


def ndcg(found: tuple[Candidate, ...], gold: list[dict[str, Any]], prefix: str) -> float:
    """Gain 1 for each gold place at its first passage's rank, over the best possible."""
    gains = [0.0] * 10
    for wanted in gold:
        for rank, candidate in enumerate(found):
            path = f"{prefix}/{candidate.path}" if prefix else candidate.path
            start, end = wanted.get("start"), wanted.get("end")
            near = start is None or (candidate.lines.start < end and start <= candidate.lines.end)
            if path == wanted["path"] and near:
                gains[rank] = 1.0
                break
    ideal = sum(1 / math.log2(rank + 2) for rank in range(min(10, len(gold))))
    return sum(gain / math.log2(rank + 2) for rank, gain in enumerate(gains)) / ideal


@contextmanager
def blanked(folder: Path, prefix: str, questions: list[Question]) -> Iterator[Path]:
    """The checkout, or where lines are to be emptied a copy of what is indexed and read, with its gold files so."""
    lines: dict[str, set[int]] = defaultdict(set)
    for question in questions:
        for number in question.get("blank", ()):
            lines[question["gold"][0]["path"]].add(number)
    if not lines:
        yield folder
        return
    with tempfile.TemporaryDirectory() as temporary:
        copy = Path(temporary) / folder.name
        shutil.copytree(folder / prefix, copy / prefix, symlinks=True)
        for path, numbers in lines.items():
            if (copy / path).is_file():
                rows = (copy / path).read_bytes().split(b"\n")
                (copy / path).write_bytes(b"\n".join(b"" if at in numbers else row for at, row in enumerate(rows, 1)))
        yield copy


def print_table(scored: list[Scored]) -> None:
    """By repository, by language, over all."""
    by_repository, by_language = defaultdict(list), defaultdict(list)
    for one in scored:
        by_repository[one.repository, one.language].append(one)
        by_language[one.language].append(one)
    for (name, language), rows in by_repository.items():
        print(f"{name:<24} {language:<12} {summary(rows)}")
    print()
    for language, rows in sorted(by_language.items()):
        print(f"{language:<24} {'':<12} {summary(rows)}")
    print(f"\n{'all':<24} {'':<12} {summary(scored)}")
    lacking = [one for one in scored if not one.is_whole]
    print(f"{len(lacking)} of {len(scored)} questions have a gold file that is not there")
    if lacking:
        print(f"{'all but those':<24} {'':<12} {summary([one for one in scored if one.is_whole])}")
    times = sorted(one.seconds for one in scored)
    if times:
        print(f"query p50 {1000 * times[len(times) // 2]:.1f} ms, p95 {1000 * times[int(0.95 * len(times))]:.1f} ms")


def summary(rows: list[Scored]) -> str:
    """The count and the mean."""
    return f"{len(rows):>4} questions  NDCG@10 {mean(one.ndcg for one in rows):.3f}"


def mean(values: Iterable[float]) -> float:
    found = list(values)
    return sum(found) / len(found) if found else 0.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("questions", type=Path)
    parser.add_argument("repositories", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--whole", action="store_true", help="index whole repositories, not benchmark_root")
    given = parser.parse_args()
    by_repository: dict[str, list[Question]] = defaultdict(list)
    for line in given.questions.read_text("utf-8").split("\n"):
        if line:
            question = json.loads(line)
            by_repository[question["repo"]].append(question)
    scored: list[Scored] = []
    missing: list[str] = []
    for repository in json.loads(given.repositories.read_text("utf-8")):
        name = repository["name"]
        prefix = "" if given.whole else repository["benchmark_root"] or ""
        if not (given.folder / name / prefix).is_dir():
            missing.append(f"{name} ({len(by_repository[name])} questions)")
        elif by_repository[name]:
            print(f"{name} …", file=sys.stderr, flush=True)
            with blanked(given.folder / name, prefix, by_repository[name]) as folder:
                scored += asyncio.run(evaluate(folder, repository, prefix, by_repository[name]))
    print_table(scored)
    print(f"repositories not there: {', '.join(missing) or 'none'}")


if __name__ == "__main__":
    main()
