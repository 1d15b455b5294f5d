"""Vectors follow the corpus: what is new is embedded once, what is gone goes, and files are only a shortcut."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from index_doubles import SumEmbedder, analysis_of, indexed
from toolrag.adapters import dense
from toolrag.adapters.dense import Dense, DenseState, Progress, vectors_path
from toolrag.adapters.embed_hashing import HashingEmbedder
from toolrag.adapters.store import Store
from toolrag.adapters.store_file import DamagedStoreError
from toolrag.adapters.vectors_flat import FlatVectors
from toolrag.adapters.worker_thread import WorkerThread
from toolrag.errors import ReadError
from toolrag.ports import Embeddable, VectorIndex
from toolrag.retrieval.corpus import Corpus, build_corpus
from toolrag.text import Form, Text, TextSnapshot, blob_sha

FILES = {"a.py": "def a():\n    pass\n\n\ndef b():\n    pass\n", "c.md": "# C\n\nText.\n"}


class CountingEmbedder(SumEmbedder):
    """Notes how many texts it was given."""

    def __init__(self) -> None:
        self.n_texts = 0

    def embed(self, texts: Sequence[Embeddable]) -> npt.NDArray[np.float32]:
        self.n_texts += len(texts)
        return super().embed(texts)


class OtherEngine(FlatVectors):
    """Serves for many vectors, under a name of its own."""

    engine = "other"


class Bench:
    """A store with its vectors, over texts that may change."""

    def __init__(self, folder: Path | None) -> None:
        self.files: dict[str, str] = {}
        self.folder = folder
        self.embedder = CountingEmbedder()
        self.store = Store(None, "1")
        self.thread = WorkerThread("vectors")
        self.many = 10**9
        self.dense = self.fresh()

    def fresh(self) -> Dense:
        """As a new process begins."""
        made = Dense(self._read, self.embedder, self._engine, self.thread)
        made.use(self.store, self.folder)
        return made

    def put(self, files: Mapping[str, str]) -> Corpus:
        """These are the files now, and all of them are known."""
        self.files = dict(files)
        found = indexed(files)
        for file in found:
            self.store.put_analysis(file.sha, file.language, file.analysis)
        return build_corpus(found)

    def follow(self, corpus: Corpus, progress: Progress = lambda *_: None, *, anew: bool = False) -> None:
        async def follow() -> None:
            if anew:
                self.dense = self.fresh()
                await self.dense.take_up(corpus)
            await self.dense.follow(corpus, progress)
            await self.dense.keep()

        asyncio.run(follow())

    @property
    def found(self) -> set[int]:
        """The ids of all that can be found."""
        return {text_id for text_id, _ in self.dense.nearest(np.array([0.6, 0.8], np.float32), 99)}

    def _engine(self, count: int) -> VectorIndex:
        return (OtherEngine if count >= self.many else FlatVectors)(self.embedder.dimensions)

    def _read(self, path: str) -> TextSnapshot:
        if path not in self.files:
            raise ReadError("not_found", "It has gone.")
        text = self.files[path]
        return TextSnapshot(f"file:///{path}", "root", path, Text(text), Form(), blob_sha(text.encode()), "disk")


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    made = Bench(tmp_path)
    yield made
    made.thread.close()
    made.store.close()


def ids(corpus: Corpus) -> set[int]:
    return set(corpus.text_ids.tolist())


def test_each_text_is_embedded_once(bench: Bench) -> None:
    corpus = bench.put(FILES)
    bench.follow(corpus)
    assert corpus.n_passages == bench.embedder.n_texts == 3
    assert bench.store.vector_ids(bench.embedder.id) == bench.found == ids(corpus)
    edited = bench.put(FILES | {"a.py": FILES["a.py"].replace("def b", "def other")})
    bench.follow(edited)
    assert bench.embedder.n_texts == 4
    assert bench.found == ids(edited)


def test_a_file_that_changed_since_or_has_gone_waits_for_the_next_refresh(bench: Bench) -> None:
    corpus = bench.put(FILES)
    bench.files = {"a.py": "def z():\n    pass\n"}
    bench.follow(corpus)
    assert bench.dense.state == DenseState("exact", 0, 3, complete=False)
    bench.files = {"c.md": FILES["c.md"]}
    bench.follow(corpus)
    assert bench.dense.state == DenseState("exact", 1, 3, complete=False)


def test_an_analysis_of_another_text_is_damage(bench: Bench) -> None:
    corpus = bench.put({"a.py": "x()\n"})
    bench.store.put_analysis(corpus.shas[0], "python", analysis_of("\n" * 50 + "x()\n"))
    with pytest.raises(DamagedStoreError):
        bench.follow(corpus)


def test_an_index_holds_exactly_the_corpus_s_vectors(bench: Bench, tmp_path: Path) -> None:
    bench.follow(bench.put(FILES))
    smaller = bench.put({"c.md": FILES["c.md"]})
    bench.follow(smaller, anew=True)
    assert bench.found == ids(smaller)
    (kept,) = tmp_path.iterdir()
    kept.write_bytes(b"damage")
    bench.follow(smaller, anew=True)
    assert bench.found == ids(smaller)


def test_how_much_of_a_corpus_is_in_is_known_before_it_is_followed(bench: Bench) -> None:
    """A search between an edit and its vectors says that they are not in yet."""
    bench.follow(bench.put(FILES))
    assert bench.dense.state == DenseState("exact", 3, 3, complete=True)
    edited = bench.put(FILES | {"d.py": "def d():\n    pass\n"})
    asyncio.run(bench.dense.expect(edited))
    assert bench.dense.state == DenseState("exact", 3, 4, complete=False)
    bench.follow(edited)
    assert bench.dense.state == DenseState("exact", 4, 4, complete=True)


def test_what_is_in_doubt_is_not_complete_until_it_is_followed(bench: Bench) -> None:
    bench.follow(bench.put(FILES))
    edited = bench.put(FILES | {"d.py": "def d():\n    pass\n"})
    bench.dense.doubt()
    assert not bench.dense.state.complete
    seen: list[bool] = []
    bench.follow(edited, lambda *_: seen.append(bench.dense.state.complete))
    assert not any(seen[:-1])
    assert bench.dense.state == DenseState("exact", 4, 4, complete=True)


def test_the_engine_changes_with_the_number_of_vectors_and_its_file_with_it(bench: Bench, tmp_path: Path) -> None:
    bench.many = 4
    bench.follow(bench.put(FILES))
    assert bench.dense.state.engine == "exact"
    larger = bench.put(FILES | {"d.py": "def d():\n    pass\n"})
    bench.follow(larger)
    assert bench.dense.state == DenseState("other", 4, 4, complete=True)
    assert bench.found == ids(larger)
    assert [path.name.split("-")[1] for path in tmp_path.iterdir()] == ["other"]


def test_an_index_that_is_right_is_not_written_again(bench: Bench, tmp_path: Path) -> None:
    corpus = bench.put(FILES)
    bench.follow(corpus)
    (path,) = tmp_path.iterdir()
    os.utime(path, (1, 1))
    bench.follow(corpus, anew=True)
    assert path.stat().st_mtime == 1
    assert bench.embedder.n_texts == 3


def test_what_is_forgotten_is_in_no_file_until_it_is_followed_anew(bench: Bench) -> None:
    """An engine that only marks what it drops would write it down again."""
    corpus = bench.put(FILES)
    bench.follow(corpus)
    before = bench.dense.state
    bench.dense.forget()
    assert bench.found == set()
    bench.follow(corpus)
    assert bench.dense.state == before


def test_an_index_that_cannot_be_kept_still_serves(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    bench = Bench(tmp_path / "missing")
    corpus = bench.put(FILES)
    with caplog.at_level(logging.WARNING):
        bench.follow(corpus)
    assert len(caplog.records) == 1
    assert bench.found == ids(corpus)
    bench.thread.close()
    bench.store.close()


def test_each_engine_and_embedder_has_a_file_of_its_own(tmp_path: Path) -> None:
    """The ids are those of the texts, so the vectors of two embedders would be taken for one another."""
    index = FlatVectors(2)
    one, other = (vectors_path(tmp_path, index, embedder) for embedder in (SumEmbedder(), HashingEmbedder()))
    assert one != other
    assert one.parent == tmp_path
    assert "exact" in one.name


def test_filling_an_index_stops_when_it_is_told_to(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C is heard between two chunks, not after the last: a large index takes minutes. What is in stays in."""
    monkeypatch.setattr(dense, "CHUNK", 1)
    corpus = bench.put(FILES)

    async def stopped() -> None:
        def stop(phase: str, done: int, _total: int) -> None:
            if (phase, done) == ("Linking vectors", 1):
                filling.cancel()

        filling = asyncio.ensure_future(bench.dense.follow(corpus, stop))
        with pytest.raises(asyncio.CancelledError):
            await filling

    asyncio.run(stopped())
    assert 1 <= len(bench.found) <= 2
    bench.follow(corpus)
    assert bench.embedder.n_texts == 3
