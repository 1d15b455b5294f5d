"""Several processes at one workspace: each does its work, and what they leave equals a fresh index."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from torture.counts import share
from torture.harness import Bench, Started
from torture.making import edit, make

FILES = 150
COMMANDS = (("index",), ("search", "fetch_order"), ("ask", "what does fetch_order do?"))

times = pytest.mark.parametrize("dice", range(share(10)), indirect=True)


@pytest.mark.parametrize("n_processes", [2, 4])
@times
def test_at_once(bench: Bench, dice: random.Random, tmp_path: Path, n_processes: int) -> None:
    """All of them begin a new index, then all of them mend it after edits; none of them has anything to complain of."""
    root, cache = make(tmp_path / "tree", dice, FILES, own=False), bench.cache()
    for _ in range(2):
        started = [bench.start(cache, root, *dice.choice(COMMANDS)) for _ in range(n_processes)]
        runs = [process.ended() for process in started]
        assert [(run.code, run.err) for run in runs] == [(0, "")] * n_processes
        seen = bench.seen(cache, root)
        seen.same_as(bench.fresh(root))
        assert (seen.parsed, seen.logged) == (0, ())
        edit(root, dice, FILES // 4)


@times
def test_one_edits_while_another_indexes(bench: Bench, dice: random.Random, tmp_path: Path) -> None:
    """The runs end well, whatever they met; once it is quiet, the next one says what a fresh one says."""
    root, cache = make(tmp_path / "tree", dice, FILES, own=False), bench.cache()
    for _ in range(2):
        started = [bench.start(cache, root, *dice.choice(COMMANDS)) for _ in range(2)]
        while any(runs(process) for process in started):
            edit(root, dice, 5)
        ends = [process.ended() for process in started]
        assert [(run.code in (0, 3), run.err) for run in ends] == [(True, "")] * 2, ends
        seen = bench.seen(cache, root)
        seen.same_as(bench.fresh(root))
        assert seen.logged == ()
        shutil.rmtree(root)
        make(root, dice, FILES, own=False)


@times
def test_one_is_killed_beside_another(bench: Bench, dice: random.Random, tmp_path: Path) -> None:
    """The other goes on, and neither its results nor the next run's know of it."""
    root, cache = make(tmp_path / "tree", dice, FILES, own=False), bench.cache()
    other = bench.start(cache, root, "index")
    bench.start(cache, root, "index").killed(dice.uniform(0, 2), group=dice.random() < 0.5)
    run = other.ended()
    assert (run.code, run.err) == (0, "")
    seen = bench.seen(cache, root)
    seen.same_as(bench.fresh(root))
    assert (seen.parsed, seen.logged) == (0, ())


def runs(process: Started) -> bool:
    return process.process.poll() is None
