"""`kill -9` at random moments: the next run finds what a fresh index finds, and no process is left behind."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from torture.counts import share
from torture.harness import Bench
from torture.making import edit, make

KILLS = 50
"""Of a first run, and again of one after edits."""
KILLS_IN_ONE = 5
"""In one workspace."""
FILES = 250
EDITS = 80

workspaces = pytest.mark.parametrize("dice", range(share(KILLS // KILLS_IN_ONE)), indirect=True)


def killed(bench: Bench, root: Path, new: Callable[[], Path], dice: random.Random, seconds: float) -> Path:
    """The cache folder of a run that was killed somewhere on its way: the parent alone, or all of it.

    `seconds` is how long a run takes. One that ends first is none: the next has a new cache and less time.
    """
    while True:
        cache = new()
        command = dice.choice([("index",), ("search", "fetch_order")])
        began = time.monotonic()
        if bench.start(cache, root, *command).killed(dice.uniform(0, seconds), group=dice.random() < 0.5):
            return cache
        seconds = min(seconds, time.monotonic() - began)


def seconds_of(bench: Bench, cache: Path, root: Path) -> float:
    """How long it takes to bring an index up to date."""
    began = time.monotonic()
    assert bench.run(cache, root, "index").code == 0
    return time.monotonic() - began


@workspaces
def test_a_first_run_is_killed(bench: Bench, dice: random.Random, tmp_path: Path) -> None:
    """Whatever it had kept by then, the next run makes it whole, in silence."""
    root = make(tmp_path / "tree", dice, FILES)
    seconds = seconds_of(bench, bench.cache(), root)
    fresh = bench.fresh(root)
    for _ in range(KILLS_IN_ONE):
        cache = killed(bench, root, bench.cache, dice, seconds)
        seen = bench.seen(cache, root, search_first=dice.random() < 0.5)
        seen.same_as(fresh)
        assert seen.logged == ()


@workspaces
def test_a_run_after_edits_is_killed(bench: Bench, dice: random.Random, tmp_path: Path) -> None:
    """The index was true of another tree; what the killed run had mended of it, and what not, makes no difference."""
    root = make(tmp_path / "tree", dice, FILES)
    before = bench.cache()
    assert bench.run(before, root, "index").code == 0
    edit(root, dice, EDITS)
    seconds = seconds_of(bench, bench.cache(before), root)
    fresh = bench.fresh(root)
    for _ in range(KILLS_IN_ONE):
        cache = killed(bench, root, lambda: bench.cache(before), dice, seconds)
        seen = bench.seen(cache, root, search_first=dice.random() < 0.5)
        seen.same_as(fresh)
        assert seen.logged == ()
