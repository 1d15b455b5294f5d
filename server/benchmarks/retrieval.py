"""Retrieval quality on questions with gold places: NDCG@10, by repository and over all.

    python server/benchmarks/retrieval.py QUESTIONS.jsonl REPOS.json FOLDER

QUESTIONS has lines of {repo, query, gold: [{path, start, end}]}, REPOS a list of {name, language, benchmark_root},
FOLDER each repository under its name. Repositories that are not there are named and left out. NDCG@10 as semble's
benchmark defines it: each of the ten places is a passage, a gold file counts at its first one (a gold range at the
first that overlaps it), so several passages of one file use up places.
"""

from __future__ import annotations

import asyncio
import json
import math
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

from toolrag import app
from toolrag.config import Settings
from toolrag.ports import Candidate, Scope


async def evaluate(folder: Path, prefix: str, questions: list[dict[str, Any]]) -> tuple[list[float], list[float]]:
    """NDCG@10 and seconds of each question."""
    scores, seconds = [], []
    with app.open_place(str(folder / prefix), Settings()) as place:
        async with app.open_workspace(place, refresh=True, progress=lambda *_: None) as workspace:
            assert workspace.dense is not None
            await workspace.dense
            for question in questions:
                began = time.perf_counter()
                found = await workspace.retriever.search(question["query"], 10, Scope())
                seconds.append(time.perf_counter() - began)
                scores.append(ndcg(found.candidates, question["gold"], prefix))
    return scores, seconds


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


def main(questions_path: str, repositories_path: str, folder: str) -> None:
    by_repository: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in Path(questions_path).read_text("utf-8").split("\n"):
        if line:
            question = json.loads(line)
            by_repository[question["repo"]].append(question)
    everything: list[float] = []
    times: list[float] = []
    missing: list[str] = []
    for repository in json.loads(Path(repositories_path).read_text("utf-8")):
        name = repository["name"]
        if not (Path(folder) / name).is_dir():
            missing.append(name)
            continue
        scores, seconds = asyncio.run(
            evaluate(Path(folder) / name, repository["benchmark_root"] or "", by_repository[name])
        )
        everything += scores
        times += seconds
        print(f"{name:<24} {repository['language']:<12} {len(scores):>4} questions  NDCG@10 {mean(scores):.3f}")
    times.sort()
    print(f"{'all':<24} {'':<12} {len(everything):>4} questions  NDCG@10 {mean(everything):.3f}")
    if times:
        print(f"query p50 {1000 * times[len(times) // 2]:.1f} ms, p95 {1000 * times[int(0.95 * len(times))]:.1f} ms")
    if missing:
        print(f"not there: {', '.join(missing)}")


def mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else 0.0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
