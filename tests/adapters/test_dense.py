"""Vectors follow the corpus: what is new is embedded once, what is gone goes, and files are only a shortcut."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from doubles import MemoryDocuments
from index_doubles import SumEmbedder, analysis_of, indexed
from toolrag.adapters import dense
from toolrag.adapters.dense import embed_missing, fill_index, vectors_path
from toolrag.adapters.embed_hashing import HashingEmbedder
from toolrag.adapters.store import Store
from toolrag.adapters.store_file import DamagedStoreError
from toolrag.adapters.vectors_flat import FlatVectors
from toolrag.ports import Embeddable
from toolrag.retrieval.corpus import Corpus, build_corpus

FILES = {"a.py": "def a():\n    pass\n\n\ndef b():\n    pass\n", "c.md": "# C\n\nText.\n"}


class CountingEmbedder(SumEmbedder):
    """Notes how many texts it was given."""

    def __init__(self) -> None:
        self.n_texts = 0

    def embed(self, texts: Sequence[Embeddable]) -> npt.NDArray[np.float32]:
        self.n_texts += len(texts)
        return super().embed(texts)


@pytest.fixture
def store() -> Iterator[Store]:
    opened = Store(None, "1")
    yield opened
    opened.close()


def put(store: Store, files: dict[str, str]) -> Corpus:
    found = indexed(files)
    for file in found:
        store.put_analysis(file.sha, file.language, file.analysis)
    return build_corpus(found)


def embed(corpus: Corpus, store: Store, files: dict[str, str], embedder: CountingEmbedder) -> int:
    return asyncio.run(embed_missing(corpus, store, MemoryDocuments(files), embedder))


def fill(corpus: Corpus, store: Store, embedder: CountingEmbedder, index: FlatVectors, path: Path) -> None:
    asyncio.run(fill_index(corpus, store, embedder, index, path))


def test_each_text_is_embedded_once(store: Store) -> None:
    embedder = CountingEmbedder()
    corpus = put(store, FILES)
    assert embed(corpus, store, FILES, embedder) == corpus.n_passages == embedder.n_texts == 3
    assert store.vector_ids(embedder.id) == set(corpus.text_ids.tolist())
    edited = FILES | {"a.py": FILES["a.py"].replace("def b", "def other")}
    assert embed(put(store, edited), store, edited, embedder) == 1
    assert embedder.n_texts == 4


def test_a_file_that_changed_since_or_has_gone_waits_for_the_next_refresh(store: Store) -> None:
    embedder = CountingEmbedder()
    corpus = put(store, FILES)
    assert embed(corpus, store, {"a.py": "def z():\n    pass\n"}, embedder) == 0
    assert embed(corpus, store, {"c.md": FILES["c.md"]}, embedder) == 1


def test_an_analysis_of_another_text_is_damage(store: Store) -> None:
    corpus = put(store, {"a.py": "x()\n"})
    store.put_analysis(corpus.shas[0], "python", analysis_of("\n" * 50 + "x()\n"))
    with pytest.raises(DamagedStoreError):
        embed(corpus, store, {"a.py": "x()\n"}, CountingEmbedder())


def test_an_index_holds_exactly_the_corpus_s_vectors(store: Store, tmp_path: Path) -> None:
    embedder = CountingEmbedder()
    corpus = put(store, FILES)
    embed(corpus, store, FILES, embedder)
    path = tmp_path / "v"
    index = FlatVectors(embedder.dimensions)
    index.add([5], np.array([[1, 0]], np.float32))
    fill(corpus, store, embedder, index, path)
    assert index.ids == set(corpus.text_ids.tolist())

    smaller = put(store, {"c.md": FILES["c.md"]})
    again = FlatVectors(embedder.dimensions)
    fill(smaller, store, embedder, again, path)
    assert again.ids == set(smaller.text_ids.tolist())

    path.write_bytes(b"damage")
    third = FlatVectors(embedder.dimensions)
    fill(smaller, store, embedder, third, path)
    question = np.array([0.6, 0.8], np.float32)
    assert third.nearest(question, 9) == again.nearest(question, 9)


def test_an_index_that_is_right_is_not_written_again(store: Store, tmp_path: Path) -> None:
    embedder = CountingEmbedder()
    corpus = put(store, FILES)
    embed(corpus, store, FILES, embedder)
    path = tmp_path / "v"
    fill(corpus, store, embedder, FlatVectors(2), path)
    os.utime(path, (1, 1))
    fill(corpus, store, embedder, FlatVectors(2), path)
    assert path.stat().st_mtime == 1


def test_an_index_that_cannot_be_kept_still_serves(
    store: Store, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    embedder = CountingEmbedder()
    corpus = put(store, FILES)
    embed(corpus, store, FILES, embedder)
    index = FlatVectors(2)
    with caplog.at_level(logging.WARNING):
        fill(corpus, store, embedder, index, tmp_path / "missing" / "v")
    assert len(caplog.records) == 1
    assert len(index.ids) == 3


def test_each_engine_and_embedder_has_a_file_of_its_own(tmp_path: Path) -> None:
    """The ids are those of the texts, so the vectors of two embedders would be taken for one another."""
    index = FlatVectors(2)
    one, other = (vectors_path(tmp_path, index, embedder) for embedder in (SumEmbedder(), HashingEmbedder()))
    assert one != other
    assert one.parent == tmp_path
    assert "exact" in one.name


def test_filling_an_index_stops_when_it_is_told_to(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C is heard between two chunks, not after the last: a large index takes minutes."""
    monkeypatch.setattr(dense, "CHUNK", 1)
    embedder = CountingEmbedder()
    corpus = put(store, FILES)
    embed(corpus, store, FILES, embedder)
    index = FlatVectors(2)

    async def stopped() -> None:
        def stop(done: int, _total: int) -> None:
            if done == 1:
                filling.cancel()

        filling = asyncio.ensure_future(fill_index(corpus, store, embedder, index, None, stop))
        with pytest.raises(asyncio.CancelledError):
            await filling

    asyncio.run(stopped())
    assert len(index.ids) == 2
