"""Where HNSW begins to pay: the exact index against it, by number of vectors, on the vectors of real code.

    python server/benchmarks/vectors.py FOLDER

The folder is indexed in memory. Of its vectors, those of other passages than the ones in the index are the questions,
so that nothing is found by being itself. Prints milliseconds a search (median), seconds to build, and recall@10.
"""

from __future__ import annotations

import asyncio
import os
import platform
import statistics
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import numpy.typing as npt
from toolrag import app
from toolrag.adapters.cache_dir import DATABASE, cache_home
from toolrag.adapters.fingerprint import analysis_fingerprint
from toolrag.adapters.store import Store
from toolrag.adapters.vectors_flat import EXACT_BELOW, FlatVectors
from toolrag.adapters.vectors_hnsw import HnswVectors
from toolrag.config import IndexLimits, Settings
from toolrag.ports import VectorIndex

SIZES = (1_000, 2_500, 5_000, 10_000, 20_000, 40_000, 80_000, 160_000)
QUESTIONS = 200
NEIGHBOURS = 50
"""What a search asks for (`retriever.NEAREST`)."""
SEED = 7

Rows = npt.NDArray[np.float32]


async def vectors_of(folder: str) -> Rows:
    """Every vector of a folder, in an order drawn with SEED."""
    settings = Settings(index=IndexLimits(vectors="exact", max_files=sys.maxsize))
    with app.open_place(folder, settings) as place:
        async with app.open_workspace(place, refresh=True, progress=lambda *_: None) as workspace:
            assert workspace.dense is not None
            await workspace.dense
    (database,) = cache_home().rglob(DATABASE)
    embedder = app.embedder()
    store = Store(database, analysis_fingerprint())
    found = store.vectors(embedder.id, sorted(store.vector_ids(embedder.id)), embedder.dimensions)
    store.close()
    rows = np.stack(list(found.values()))
    return np.asarray(np.random.default_rng(SEED).permutation(rows), np.float32)


def filled(index: VectorIndex, rows: Rows) -> float:
    """Puts the rows in; how many seconds that took."""
    began = time.perf_counter()
    index.add(range(len(rows)), rows)
    return time.perf_counter() - began


def searched(index: VectorIndex, questions: Rows) -> tuple[float, list[list[int]]]:
    """Milliseconds a search, the median, and what each found."""
    times, found = [], []
    for question in questions:
        began = time.perf_counter()
        neighbours = index.nearest(question, NEIGHBOURS)
        times.append(1_000 * (time.perf_counter() - began))
        found.append([number for number, _ in neighbours])
    return statistics.median(times), found


def main(folder: str) -> None:
    with tempfile.TemporaryDirectory() as cache:
        os.environ["XDG_CACHE_HOME"] = cache
        rows = asyncio.run(vectors_of(folder))
    questions, rows = rows[:QUESTIONS], rows[QUESTIONS:]
    print(
        f"{len(rows):,} vectors of {Path(folder).name}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, "
        f"Python {platform.python_version()}; the exact index serves below {EXACT_BELOW:,}"
    )
    print(f"{'vectors':>9} {'exact ms':>9} {'hnsw ms':>9} {'build s':>9} {'recall@10':>10}")
    for size in SIZES:
        if size > len(rows):
            break
        exact, graph = FlatVectors(rows.shape[1]), HnswVectors(rows.shape[1])
        filled(exact, rows[:size])
        seconds = filled(graph, rows[:size])
        exact_ms, wanted = searched(exact, questions)
        graph_ms, found = searched(graph, questions)
        hits = [len(set(one[:10]) & set(other[:10])) for one, other in zip(wanted, found, strict=True)]
        print(f"{size:>9,} {exact_ms:>9.2f} {graph_ms:>9.2f} {seconds:>9.1f} {sum(hits) / (10 * len(hits)):>10.3f}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
