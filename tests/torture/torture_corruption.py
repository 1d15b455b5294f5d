"""Cache files that are cut, altered, replaced or swapped: a fresh index's results, and one line for what was thrown away."""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from torture.counts import dice_of, share
from torture.harness import Bench, Seen, cache_files
from torture.making import edit, make

PAGE = 4_096
FILES = 120


def truncate(file: Path, dice: random.Random, _other: Path) -> None:
    os.truncate(file, dice.randrange(1, file.stat().st_size))


def cut_to_a_page(file: Path, dice: random.Random, _other: Path) -> None:
    os.truncate(file, PAGE * dice.randrange(1, max(2, file.stat().st_size // PAGE)))


def flip(file: Path, dice: random.Random, _other: Path) -> None:
    data = bytearray(file.read_bytes())
    for _ in range(64):
        data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
    file.write_bytes(data)


def zero_a_page(file: Path, dice: random.Random, _other: Path) -> None:
    data = bytearray(file.read_bytes())
    start = PAGE * dice.randrange(max(1, len(data) // PAGE))
    length = len(data[start : start + PAGE])
    data[start : start + PAGE] = bytes(length)
    file.write_bytes(data)


def delete(file: Path, _dice: random.Random, _other: Path) -> None:
    file.unlink()


def empty(file: Path, _dice: random.Random, _other: Path) -> None:
    file.write_bytes(b"")


def fifo(file: Path, _dice: random.Random, _other: Path) -> None:
    file.unlink()
    os.mkfifo(file, 0o600)


def folder(file: Path, _dice: random.Random, _other: Path) -> None:
    file.unlink()
    (file / "inner").mkdir(parents=True)
    (file / "inner" / "file").write_text("x")


def link(file: Path, _dice: random.Random, _other: Path) -> None:
    moved = file.with_name("elsewhere")
    file.rename(moved)
    file.symlink_to(moved)


def garbage(file: Path, dice: random.Random, _other: Path) -> None:
    file.write_bytes(dice.randbytes(file.stat().st_size))


def swap(file: Path, _dice: random.Random, other: Path) -> None:
    shutil.copyfile(other, file)


Corruption = Callable[[Path, random.Random, Path], None]
CORRUPTIONS: tuple[Corruption, ...] = (
    truncate, cut_to_a_page, flip, zero_a_page, delete, empty, fifo, folder, link, garbage, swap,
)  # fmt: skip
DATABASE = "index.sqlite"
FILES_OF_AN_INDEX = (DATABASE, f"{DATABASE}-wal", f"{DATABASE}-shm", "corpus.bin", "vectors-*.bin")
ALL = [(name, corruption) for name in FILES_OF_AN_INDEX for corruption in CORRUPTIONS]
NOT_DAMAGE = (delete, swap)
"""What leaves a file that is none, or is whole but of something else: like one that is out of date."""


@dataclass(frozen=True)
class Indexed:
    """A workspace, and the cache of a run that ended while its database was still open: it has a log."""

    root: Path
    cache: Path


def indexed(bench: Bench, name: str, dice: random.Random) -> Indexed:
    """Indexed, edited, and indexed again."""
    root, cache = make(bench.folder / name, dice, FILES, own=False), bench.cache()
    assert bench.run(cache, root, "index").code == 0
    edit(root, dice, FILES // 4)
    with closing(sqlite3.connect(cache_files(cache) / DATABASE)) as reader:
        reader.execute("SELECT count(*) FROM file").fetchone()
        assert bench.run(cache, root, "index").code == 0
        kept = bench.cache(cache)
    assert all(list(cache_files(kept).glob(name)) for name in FILES_OF_AN_INDEX)
    return Indexed(root, kept)


@pytest.fixture(scope="module")
def shared_bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return Bench(tmp_path_factory.mktemp("corruption"))


@pytest.fixture(scope="module")
def ours(shared_bench: Bench) -> Indexed:
    return indexed(shared_bench, "tree", dice_of("ours"))


@pytest.fixture(scope="module")
def others(shared_bench: Bench) -> Indexed:
    return indexed(shared_bench, "other", dice_of("others"))


@pytest.fixture(scope="module")
def fresh(shared_bench: Bench, ours: Indexed) -> Seen:
    return shared_bench.fresh(ours.root)


@pytest.mark.parametrize(
    ("name", "corrupt"),
    dice_of("corruptions").sample(ALL, share(len(ALL))),
    ids=lambda value: value if isinstance(value, str) else value.__name__,
)
def test_a_cache_file_is_damaged(
    shared_bench: Bench,
    ours: Indexed,
    others: Indexed,
    fresh: Seen,
    dice: random.Random,
    name: str,
    corrupt: Corruption,
) -> None:
    """The next run finds what a fresh index finds, and so does one that must make everything from the database again.

    One line says that a file was thrown away; none says it again, and none is said where nothing was.
    """
    cache = shared_bench.cache(ours.cache)
    (file,) = cache_files(cache).glob(name)
    (other,) = cache_files(others.cache).glob(name)
    corrupt(file, dice, other)
    seen = shared_bench.seen(cache, ours.root)
    seen.same_as(fresh)
    for made in cache_files(cache).glob("*.bin"):
        shutil.rmtree(made) if made.is_dir() else made.unlink()
    again = shared_bench.seen(cache, ours.root)
    again.same_as(fresh)
    logged = seen.logged + again.logged
    if name.startswith(DATABASE):
        # SQLite mends its log by itself, and does not see every change: what was moved aside was thrown away.
        assert len(logged) == len(list(cache_files(cache).glob("*.damaged"))), logged
    else:
        assert len(logged) == (corrupt not in NOT_DAMAGE), logged
    shutil.rmtree(cache)


@pytest.mark.parametrize("table", ["analysis", "vector"])
def test_what_the_database_holds_is_altered(shared_bench: Bench, ours: Indexed, fresh: Seen, table: str) -> None:
    """SQLite has no checksums: bytes that rot in the middle of a value are seen by us, or by nobody."""
    cache = shared_bench.cache(ours.cache)
    with closing(sqlite3.connect(cache_files(cache) / DATABASE)) as database, database:
        changed = database.execute(
            f"UPDATE {table} SET data = CAST(substr(data, 1, length(data) / 2) || zeroblob((length(data) + 1) / 2) AS BLOB)"
        )
        assert changed.rowcount > 0
    for made in cache_files(cache).glob("*.bin"):
        made.unlink()
    seen = shared_bench.seen(cache, ours.root)
    seen.same_as(fresh)
    assert len(seen.logged) == 1
