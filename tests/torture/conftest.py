"""For every test here: a seed that is printed, dice from it, and a bench to run commands on."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

from torture.counts import SEED, SHARE, VECTORS, dice_of

pytest.register_assert_rewrite("torture.harness")  # before it is imported, so that what differs is shown

from torture.harness import Bench  # noqa: E402

SAID = (
    f"torture seed {SEED}, share {SHARE:g}, vectors {VECTORS}: "
    f"`make torture SEED={SEED} SHARE={SHARE:g} VECTORS={VECTORS}` does the same again"
)


def pytest_report_header() -> str:
    """Before the first test, in case that the last never comes."""
    return SAID


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Beside the failures."""
    terminalreporter.write_line(SAID)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Processes are found by what `/proc` says of them."""
    if sys.platform != "linux":
        for item in items:
            item.add_marker(pytest.mark.skip(reason="needs Linux: /proc and pidfd"))


@pytest.fixture
def dice(request: pytest.FixtureRequest) -> random.Random:
    """Dice of the test's own: which others run beside it changes nothing. A number as parameter gives others."""
    return dice_of(request.node.name)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """Commands with caches below the test's folder."""
    return Bench(tmp_path)
