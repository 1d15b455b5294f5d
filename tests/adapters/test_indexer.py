"""One refresh after another over a small tree: only what changed is parsed, and what may not be known is forgotten."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from index_doubles import analysis_of, write_tree
from parser_double import InlineParser
from toolrag.adapters import collection, hard_links
from toolrag.adapters.fence import Fence
from toolrag.adapters.indexer import Indexer
from toolrag.adapters.parse_wire import NOT_STARTED, without_symbols
from toolrag.adapters.refresh import BATCH, GRAIN_NS, Coverage
from toolrag.adapters.roots import open_root
from toolrag.adapters.store import Stat, Store
from toolrag.adapters.worker_thread import WorkerThread
from toolrag.config import IndexLimits, ReadLimits
from toolrag.symbols import Analysis
from toolrag.text import blob_sha

FILES = {"a.py": "def a():\n    pass\n", "src/b.py": "def b():\n    a()\n", "c.md": "# C\n\nText.\n"}


class CountingParser(InlineParser):
    """Notes what it parses."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    async def parse(self, text: str, language: str) -> Analysis:
        self.texts.append(text)
        return await super().parse(text, language)


class Bench:
    """A tree, its store, and refreshes of the one into the other."""

    def __init__(self, root: Path, store: Store) -> None:
        self.root = root
        self.store = store
        self.parser = CountingParser()
        self.scrubs = 0

    def refresh(
        self,
        progress: Callable[[int, int], None] = lambda *_: None,
        deny: tuple[str, ...] = (),
        max_bytes: int = 1_000,
        max_line: int = 20_000,
    ) -> Coverage:
        self.parser.texts.clear()
        opened = open_root(self.root)
        fence = Fence([opened], ReadLimits(), deny)
        thread = WorkerThread("index")
        try:
            limits = IndexLimits(max_file_bytes=max_bytes, max_line_characters=max_line)
            one = Indexer(fence, opened, self.store, self.parser, limits, thread, self._scrubbing)
            return asyncio.run(one.refresh(progress))[0]
        finally:
            thread.close()
            fence.close()

    def _scrubbing(self) -> None:
        self.scrubs += 1

    def write(self, path: str, content: str | bytes) -> None:
        write_tree(self.root, {path: content})

    @property
    def kept(self) -> dict[str, str]:
        return {path: row.sha for path, row in self.store.files().items() if not row.left_out}


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    write_tree(tmp_path / "root", FILES)
    store = Store(None, "1")
    yield Bench(tmp_path / "root", store)
    store.close()


@pytest.fixture
def _later(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are read long after they were written, so that their times tell."""
    real = time.time_ns
    monkeypatch.setattr(time, "time_ns", lambda: real() + 10 * GRAIN_NS)


def shas(files: dict[str, str]) -> dict[str, str]:
    return {path: blob_sha(text.encode()) for path, text in files.items()}


def test_the_first_run_parses_every_file_and_the_second_none(bench: Bench) -> None:
    first = bench.refresh()
    assert bench.kept == shas(FILES)
    assert (first.files, first.parsed, first.changed) == (3, 3, True)
    assert first.languages == {"markdown": 1, "python": 2}
    second = bench.refresh()
    assert (second.files, second.parsed, second.changed) == (3, 0, False)
    assert bench.parser.texts == []


@pytest.mark.usefixtures("_later")
def test_a_file_whose_state_is_as_before_is_not_even_read(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.refresh()
    monkeypatch.setattr(Fence, "read", lambda *_: pytest.fail("it was read"))
    assert bench.refresh().files == 3


def test_an_edited_file_alone_is_parsed(bench: Bench) -> None:
    bench.refresh()
    bench.write("a.py", "def other():\n    pass\n")
    found = bench.refresh()
    assert bench.parser.texts == ["def other():\n    pass\n"]
    assert (found.parsed, found.changed) == (1, True)


@pytest.mark.usefixtures("_later")
def test_other_bytes_of_the_same_size_and_mtime_are_seen(bench: Bench) -> None:
    bench.refresh()
    status = (bench.root / "a.py").stat()
    bench.write("a.py", "def z():\n    pass\n")
    os.utime(bench.root / "a.py", ns=(status.st_atime_ns, status.st_mtime_ns))
    assert bench.refresh().changed
    assert bench.kept["a.py"] == blob_sha(b"def z():\n    pass\n")


@pytest.mark.parametrize(("seconds", "is_read"), [(0, True), (1, True), (3, False)])
def test_a_file_that_was_read_within_the_clock_s_grain_of_a_write_is_read_again(
    bench: Bench, seconds: int, is_read: bool
) -> None:
    """Its state may be that of a later write: here the row has the new state with the old text's sha."""
    bench.refresh()
    bench.write("a.py", "def z():\n    pass\n")
    status = (bench.root / "a.py").stat()
    stat = Stat(status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino)
    read_ns = status.st_ctime_ns + seconds * 1_000_000_000
    bench.store.put_file(replace(bench.store.files()["a.py"], stat=stat, read_ns=read_ns))
    assert bench.refresh().changed is is_read


@pytest.mark.parametrize("moment", [0, 4_102_444_800, -86_400], ids=["1970", "2100", "before 1970"])
def test_odd_clocks_cost_no_parse_and_hide_no_change(bench: Bench, moment: int) -> None:
    for path in FILES:
        os.utime(bench.root / path, (moment, moment))
    bench.refresh()
    assert not bench.refresh().changed
    assert bench.parser.texts == []
    bench.write("a.py", "def z():\n    pass\n")
    os.utime(bench.root / "a.py", (moment, moment))
    assert bench.refresh().parsed == 1


def test_a_removed_file_leaves_and_its_analysis_waits_for_it(bench: Bench) -> None:
    bench.refresh()
    (bench.root / "a.py").unlink()
    found = bench.refresh()
    assert (found.files, found.changed) == (2, True)
    assert "a.py" not in bench.kept
    bench.write("a.py", FILES["a.py"])
    assert (bench.refresh().parsed, bench.scrubs) == (0, 0)


def test_a_renamed_file_and_a_twin_cost_no_parse(bench: Bench) -> None:
    bench.refresh()
    (bench.root / "a.py").rename(bench.root / "z.py")
    bench.write("twin.py", FILES["a.py"])
    assert bench.refresh().parsed == 0
    assert set(bench.kept) == {"c.md", "src/b.py", "twin.py", "z.py"}


def test_twins_of_one_run_are_parsed_once(bench: Bench) -> None:
    bench.write("twin.py", FILES["a.py"])
    assert bench.refresh().parsed == 3


@pytest.mark.usefixtures("_later")
def test_a_row_whose_analysis_is_lost_is_parsed_again(bench: Bench) -> None:
    bench.refresh()
    bench.store._db.execute("DELETE FROM analysis WHERE sha = ?", (bench.kept["a.py"],))
    assert bench.refresh().parsed == 1


def test_what_is_not_indexed_is_counted_by_reason_and_said(bench: Bench) -> None:
    bench.write("large.py", "x = 1\n" * 1_000)
    bench.write("latin.py", "é".encode("latin-1"))
    bench.write("binary.py", b"a\0b")
    bench.write("photo.jpg", b"")
    bench.write(".env", "SECRET=1")
    bench.write(".gitignore", "build/\n")
    bench.write("build/x.py", "x = 1\n")
    os.symlink("loop.py", bench.root / "loop.py")
    found = bench.refresh()
    assert found.files == 4
    assert found.skipped == {"gitignored": 1, "language": 1, "not_text": 2, "secret": 1, "too_large": 1}
    assert found.problems == (
        "large.py has 6,000 bytes; files over index.max_file_bytes (1,000) are read when named, but not indexed.",
    )


@pytest.mark.usefixtures("_later")
def test_a_file_with_a_line_that_nobody_reads_is_named_and_not_read_again(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.write("data.py", f"x = '{'a' * 20_000}'\n")
    found = bench.refresh(max_bytes=100_000)
    assert found.skipped == {"long_line": 1}
    assert found.problems == (
        "data.py: It has a line of 20,006 characters. Files with lines over index.max_line_characters (20,000) "
        "are read when named, but not indexed.",
    )
    with monkeypatch.context() as patch:
        patch.setattr(Fence, "read", lambda *_: pytest.fail("it was read"))
        assert bench.refresh(max_bytes=100_000) == replace(found, parsed=0, changed=False)
    again = bench.refresh(max_bytes=100_000, max_line=20_006)
    assert (again.files, again.skipped) == (4, {})


@pytest.mark.parametrize(("size", "files"), [(999, 1), (1_000, 1), (1_001, 0)])
def test_the_largest_file_that_is_indexed_has_exactly_the_limit(bench: Bench, size: int, files: int) -> None:
    for path in FILES:
        (bench.root / path).unlink()
    bench.write("a.py", "#" * size)
    assert bench.refresh(max_bytes=1_000).files == files


def test_a_file_that_grows_out_of_the_index_leaves_it(bench: Bench) -> None:
    bench.refresh()
    bench.write("a.py", "x = 1\n" * 1_000)
    assert bench.refresh().changed
    assert "a.py" not in bench.kept


def test_what_could_not_be_parsed_for_want_of_a_parser_is_said_and_tried_again(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def absent(_: object, text: str, language: str) -> Analysis:
        return without_symbols(NOT_STARTED) if text == FILES["a.py"] else analysis_of(text, language)

    with monkeypatch.context() as patch:
        patch.setattr(CountingParser, "parse", absent)
        for _ in range(2):
            found = bench.refresh()
            assert (found.files, found.skipped) == (2, {"unparsed": 1})
            assert not found.complete
            assert found.problems == (f"a.py: {NOT_STARTED}",)
    assert bench.refresh().problems == ()
    assert "a.py" in bench.kept


def test_a_text_that_its_parser_fails_on_is_named_and_searched_as_plain_text(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It crashes or hangs every time: it is not tried in each run, and its words are found."""

    async def crash(_: object, text: str, language: str) -> Analysis:
        is_odd = (text, language) == (FILES["a.py"], "python")
        return without_symbols("The parser crashed on it.") if is_odd else analysis_of(text, language)

    monkeypatch.setattr(CountingParser, "parse", crash)
    said = ("a.py: The parser crashed on it.", "a.py: It is searched as plain text.")
    first = bench.refresh()
    assert (first.files, first.skipped, first.complete, first.problems) == (3, {}, True, said)
    analysis = bench.store.analysis(bench.kept["a.py"], "python")
    assert analysis is not None
    assert (len(analysis.parsed.spans), len(analysis.parsed.passages)) == (0, 1)
    again = bench.refresh()
    assert (again.parsed, again.problems) == (0, said)


@pytest.mark.usefixtures("_later")
def test_a_problem_with_a_file_is_said_in_every_run(bench: Bench) -> None:
    bench.write("odd.py", "[\n" * 30_000)
    first = bench.refresh(max_bytes=100_000).problems
    assert len(first) == 1
    assert first[0].startswith("odd.py: ")
    assert bench.refresh(max_bytes=100_000).problems == first
    (bench.root / "odd.py").rename(bench.root / "new.py")
    assert bench.refresh(max_bytes=100_000).problems == (first[0].replace("odd.py", "new.py"),)


def test_one_indexer_can_be_used_again(bench: Bench) -> None:
    bench.write("binary.py", b"a\0b")
    opened = open_root(bench.root)
    fence = Fence([opened], ReadLimits())
    thread = WorkerThread("index")
    one = Indexer(fence, opened, bench.store, bench.parser, IndexLimits(), thread)
    first, _ = asyncio.run(one.refresh(lambda *_: None))
    second, _ = asyncio.run(one.refresh(lambda *_: None))
    thread.close()
    fence.close()
    assert (first.parsed, second.parsed) == (3, 0)
    assert first.skipped == second.skipped == {"not_text": 1}


def test_a_run_that_is_killed_leaves_whole_batches_and_the_next_one_ends_it(bench: Bench) -> None:
    files = {f"{number:03}.py": f"def f{number}():\n    pass\n" for number in range(2 * BATCH + 5)}
    write_tree(bench.root, files)

    def stop(done: int, _: int) -> None:
        if done == 2 * BATCH:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        bench.refresh(progress=stop)
    assert len(bench.kept) == 2 * BATCH
    assert len(bench.store.analysed()) == 2 * BATCH
    assert bench.refresh().parsed == len(files) + len(FILES) - 2 * BATCH
    assert bench.kept == shas(files | FILES)


def test_what_is_nobodys_source_is_counted_and_left_out(bench: Bench) -> None:
    """By path, or by a generator's mark; each under its reason, and in no search."""
    write_tree(
        bench.root,
        {
            "vendor/lib.py": "def vendored(): pass\n",
            "api_pb2.py": "def generated_by_name(): pass\n",
            "made.py": "# @generated\ndef generated_by_mark(): pass\n",
            "package-lock.json": "{}\n",
            "own.py": "def own(): pass\n",
        },
    )
    coverage = bench.refresh()
    assert {reason: coverage.skipped.get(reason) for reason in ("vendored", "generated", "lock_file")} == {
        "vendored": 1,
        "generated": 2,
        "lock_file": 1,
    }
    assert "own.py" in bench.kept
    assert "made.py" not in bench.kept


def test_progress_counts_what_must_be_read(bench: Bench) -> None:
    seen: list[tuple[int, int]] = []
    bench.refresh(progress=lambda done, total: seen.append((done, total)))
    assert seen == [(0, 3), (3, 3)]


def test_a_store_does_not_grow_for_ever(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collection, "SPARE_LEAST", 2)
    monkeypatch.setattr(collection, "SPARE_PER_FILE", 0)
    for number in range(6):
        bench.write("a.py", f"def a{number}():\n    pass\n")
        bench.refresh()
    assert len(bench.store.analysed()) == 3 + 2
    assert bench.scrubs == 0


def rename(root: Path) -> None:
    (root / "a.py").rename(root / ".env")


def rename_and_edit(root: Path) -> None:
    rename(root)
    (root / ".env").write_text("SECRET=other")


def copy_and_remove(root: Path) -> None:
    (root / ".env").write_bytes((root / "a.py").read_bytes())
    (root / "a.py").unlink()


def move_into_a_denied_folder(root: Path) -> None:
    (root / ".toolragignore").write_text("private/\n")
    (root / "private").mkdir()
    (root / "a.py").rename(root / "private" / "a.py")


def deny_by_name(root: Path) -> None:
    (root / ".toolragignore").write_text("a.py\n")


def link_to_a_denied_name(root: Path) -> None:
    os.link(root / "a.py", root / ".env")


def link_from_where_no_walk_goes(root: Path) -> None:
    (root / "node_modules").mkdir()
    os.link(root / "a.py", root / "node_modules" / ".env")


DENIALS = [
    rename,
    rename_and_edit,
    copy_and_remove,
    move_into_a_denied_folder,
    deny_by_name,
    link_to_a_denied_name,
    link_from_where_no_walk_goes,
]


@pytest.mark.parametrize("deny", DENIALS)
def test_what_becomes_denied_is_scrubbed_with_its_earlier_texts(bench: Bench, deny: Callable[[Path], None]) -> None:
    bench.write("a.py", "def an_earlier_secret():\n    pass\n")
    bench.refresh()
    bench.write("a.py", FILES["a.py"])
    bench.refresh()
    bench.store.put_vectors("e", {1: np.ones(2, np.float32)})
    deny(bench.root)
    bench.refresh()
    assert bench.scrubs == 1
    assert set(bench.kept) == {"c.md", "src/b.py"}
    assert {sha for sha, _ in bench.store.analysed()} == set(bench.kept.values())
    assert bench.store.vector_ids("e") == set()


def test_the_user_s_own_globs_scrub_too(bench: Bench) -> None:
    bench.refresh()
    bench.refresh(deny=("a.*",))
    assert (bench.scrubs, set(bench.kept)) == (1, {"c.md", "src/b.py"})


def test_a_text_that_an_allowed_file_has_too_stays(bench: Bench) -> None:
    bench.write("twin.py", FILES["a.py"])
    bench.refresh()
    rename(bench.root)
    bench.refresh()
    assert bench.scrubs == 1
    assert (bench.kept["twin.py"], "python") in bench.store.analysed()


def test_a_secret_that_was_always_there_makes_no_removed_file_a_secret(bench: Bench) -> None:
    bench.write(".env", "SECRET=1 and of another size")
    bench.refresh()
    (bench.root / "a.py").unlink()
    bench.refresh()
    assert bench.scrubs == 0
    assert len(bench.store.analysed()) == 3


def test_what_the_fence_could_not_do_is_told(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """A tree too large for every hard link to be known, and a glob that is no pattern."""
    monkeypatch.setattr(hard_links, "MAX_ENTRIES", 1)
    os.link(bench.root / "a.py", bench.root / "twin.py")
    found = bench.refresh(deny=("private/[",))
    assert ["hard link" in problem for problem in found.problems] == [False, True]
    assert "private" in found.problems[0]
