"""Ignore files agree with git, 2,000 times, and one that explodes costs a run no more than its sentence."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from ignore_cases import cases, git_ignored, walked, without_settings

from torture.counts import share
from torture.harness import Bench
from torture.making import make, put

CASES_IN_ONE = 50


@pytest.mark.parametrize("dice", range(share(2_000 // CASES_IN_ONE)), indirect=True)
def test_ignore_files_agree_with_git(dice: random.Random, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Random lines, in every place where git looks for them, give git's verdict for each file and folder."""
    without_settings(monkeypatch, tmp_path)
    for case in cases(tmp_path, dice, CASES_IN_ONE):
        assert walked(case) == git_ignored(case), case.files


def test_ignore_files_that_explode(bench: Bench, dice: random.Random, tmp_path: Path) -> None:
    """Too heavy, too heavy together with those above, too large: each that is not used is named, and costs little."""
    root = make(tmp_path / "tree", dice, 30, own=False)
    for number in range(300):
        put(root, f"n/n/n/{'a' * 240}{number}.py", "x = 1\n")
    plain = bench.run(bench.cache(), root, "index").json
    lines = [f"*a*a*a*b{number}\n" for number in range(5_000)]
    for folder, n_lines in [("n", 1_000), ("n/n", 1_000), ("core", 5_000)]:
        put(root, f"{folder}/.gitignore", "".join(lines[:n_lines]))
    put(root, "web/.gitignore", "*a*a*a*b\n" * 100_000)
    heavy = bench.run(bench.cache(), root, "index").json
    assert heavy["files"] == plain["files"]
    problems = [problem for problem in heavy["problems"] if problem not in plain["problems"]]
    named = sorted({name for problem in problems for name in re.findall(r'"(\S*\.gitignore)"', problem)})
    assert named == ["core/.gitignore", "n/n/.gitignore", "web/.gitignore"]
    assert len(problems) == len(named)
    assert heavy["seconds"] < plain["seconds"] + 20
