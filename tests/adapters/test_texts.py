"""What was read not long ago is taken for what is there only where the file says so, and for hints alone."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from toolrag.adapters import texts
from toolrag.adapters.documents import Documents
from toolrag.adapters.fence import Fence
from toolrag.adapters.roots import open_root
from toolrag.adapters.texts import GRAIN_NS
from toolrag.config import ReadLimits


class Bench:
    """Documents over one file, and how often the disk was read."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.file = root / "a.py"
        self.file.write_text("a = 1\n")
        self.fence = Fence([open_root(root)], ReadLimits())
        self.documents = Documents(self.fence)
        self.n_reads = 0
        real = Fence.read

        def read(*arguments: object) -> object:
            self.n_reads += 1
            return real(*arguments)  # type: ignore[arg-type] # as it was called

        monkeypatch.setattr(Fence, "read", read)

    def glance(self) -> str | None:
        (found,) = asyncio.run(self.documents.glances(["a.py"]))
        return None if found is None else found.text.content

    def snapshot(self) -> str:
        return asyncio.run(self.documents.snapshot("a.py")).text.content


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    made = Bench(tmp_path, monkeypatch)
    yield made
    made.fence.close()


@pytest.fixture
def _later(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are read long after they were written, so that their times tell."""
    real = time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: real() + 10 * GRAIN_NS)


@pytest.mark.usefixtures("_later")
def test_an_unchanged_file_is_read_once_for_hints_and_each_time_as_evidence(bench: Bench) -> None:
    assert [bench.glance() for _ in range(3)] == ["a = 1\n"] * 3
    assert bench.n_reads == 1
    assert [bench.snapshot() for _ in range(3)] == ["a = 1\n"] * 3
    assert bench.n_reads == 4


@pytest.mark.usefixtures("_later")
def test_a_file_that_was_written_or_replaced_is_read_again(bench: Bench) -> None:
    bench.glance()
    bench.file.write_text("b = 1\n")
    assert bench.glance() == "b = 1\n"
    other = bench.file.with_name("b.py")
    other.write_text("c = 1\n")
    os.replace(other, bench.file)
    assert bench.glance() == "c = 1\n"
    bench.file.unlink()
    assert bench.glance() is None


def test_times_that_are_too_young_tell_nothing(bench: Bench) -> None:
    """Within the clock's grain a file of the same size may change without a trace."""
    bench.glance()
    bench.glance()
    assert bench.n_reads == 2


@pytest.mark.usefixtures("_later")
def test_a_file_that_got_a_second_name_is_judged_again(bench: Bench) -> None:
    """The name may be a secret's."""
    bench.glance()
    os.link(bench.file, bench.file.with_name(".env"))
    assert bench.glance() is None


@pytest.mark.usefixtures("_later")
def test_an_open_document_is_its_buffer(bench: Bench) -> None:
    bench.glance()
    bench.documents.open(f"file://{bench.file}", "typed = 1\n", 1)
    assert bench.glance() == "typed = 1\n"
    bench.documents.close(f"file://{bench.file}")
    assert bench.glance() == "a = 1\n"


@pytest.mark.usefixtures("_later")
def test_what_was_read_longest_ago_goes_first(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts, "MOST_CHARACTERS", 10)
    bench.file.with_name("b.py").write_text("b = 12345\n")
    bench.glance()
    asyncio.run(bench.documents.snapshot("b.py"))
    assert bench.n_reads == 2
    assert bench.glance() == "a = 1\n"
    assert bench.n_reads == 3
