"""HNSW alone: how much it finds of what is there, that it does not rot, and that it gives way to the exact answer."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from toolrag.adapters.embed_hashing import DIMENSIONS, HashingEmbedder
from toolrag.adapters.sealed_file import read_sealed, write_sealed
from toolrag.adapters.vectors_flat import FlatVectors
from toolrag.adapters.vectors_hnsw import CAPACITY, HnswVectors
from toolrag.ports import Embeddable
from toolrag.retrieval.terms import count_terms

N_PASSAGES = 3_000
N_LINES = 8


def passages() -> Iterator[str]:
    """Pieces of the standard library: real code, there wherever the tests run."""
    for path in sorted(Path(ast.__file__).parent.glob("*.py")):
        lines = path.read_text("utf-8").split("\n")
        for first in range(0, len(lines), N_LINES):
            yield "\n".join(lines[first : first + N_LINES])


@pytest.fixture(scope="module")
def vectors() -> npt.NDArray[np.float32]:
    texts = []
    for _, passage in zip(range(N_PASSAGES + 100), passages(), strict=False):
        counts = count_terms(passage)
        weights = np.log1p(np.fromiter(counts.values(), np.float32, len(counts)))
        texts.append(Embeddable(passage, np.fromiter(counts, np.uint64, len(counts)), weights))
    return HashingEmbedder().embed(texts)


def test_it_finds_nearly_all_that_an_exact_search_finds(vectors: npt.NDArray[np.float32]) -> None:
    """Recall@10 by cosine: passages that are as near as the tenth count, whichever of them it gives."""
    held, asked = vectors[:N_PASSAGES], vectors[N_PASSAGES:]
    index = HnswVectors(DIMENSIONS)
    index.add(range(N_PASSAGES), held)
    found = 0
    for question in asked:
        tenth = np.sort(held @ question)[-10]
        found += sum(cosine >= tenth - 1e-5 for _, cosine in index.nearest(question, 10))
    assert found / (10 * len(asked)) >= 0.98


def test_the_same_vectors_in_the_same_order_give_the_same_graph(
    vectors: npt.NDArray[np.float32], tmp_path: Path
) -> None:
    for name in "ab":
        index = HnswVectors(DIMENSIONS)
        index.add(range(500), vectors[:500])
        index.save(str(tmp_path / name))
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_the_dead_do_not_pile_up(vectors: npt.NDArray[np.float32]) -> None:
    """Edits replace passages for as long as an editor is open."""
    index = HnswVectors(DIMENSIONS)
    for first in range(0, 8_000, 200):
        index.add(range(first, first + 200), vectors[:200])
        index.remove(range(first - 200, first))
    assert index.ids == frozenset(range(7_800, 8_000))
    assert index._n_dead() <= CAPACITY
    assert [id_ for id_, _ in index.nearest(vectors[7], 1)] == [7_807]


def test_where_the_graph_cannot_reach_enough_the_exact_answer_is_given(
    vectors: npt.NDArray[np.float32], monkeypatch: pytest.MonkeyPatch
) -> None:
    index, flat = HnswVectors(DIMENSIONS), FlatVectors(DIMENSIONS)
    for one in (index, flat):
        one.add(range(50), vectors[:50])
        one.remove(range(10))

    class Unreachable:
        def __init__(self, real: object) -> None:
            self._real = real

        def __getattr__(self, name: str) -> object:
            return getattr(self._real, name)

        def knn_query(self, *_: object, **__: object) -> None:
            raise RuntimeError("Cannot return the results in a contiguous 2D array. Probably ef or M is too small")

    monkeypatch.setattr(index, "_index", Unreachable(index._index))
    assert index.nearest(vectors[20], 7) == flat.nearest(vectors[20], 7)


@pytest.mark.parametrize(
    "header",
    [
        pytest.param({"live": [1, 99]}, id="an id that the graph has not"),
        pytest.param({"live": "12"}, id="ids that are no list"),
        pytest.param({"bytes": 5}, id="another size"),
        pytest.param({"dimensions": 4}, id="other dimensions"),
        pytest.param({"kind": "exact"}, id="another engine"),
    ],
)
def test_a_header_that_does_not_fit_its_graph_is_a_doubt(
    vectors: npt.NDArray[np.float32], tmp_path: Path, header: dict[str, object]
) -> None:
    index = HnswVectors(DIMENSIONS)
    index.add([1, 2], vectors[:2])
    path = tmp_path / "v"
    index.save(str(path))
    found = read_sealed(path)
    assert found is not None
    write_sealed(path, found[0] | header, [bytes(found[1])])
    assert not index.load(str(path))
    assert index.ids == {1, 2}


def test_bytes_that_are_no_graph_are_a_doubt(tmp_path: Path) -> None:
    path = tmp_path / "v"
    header = {"kind": "hnsw", "dimensions": DIMENSIONS, "bytes": 3, "live": []}
    write_sealed(path, header, [b"abc"])
    assert not HnswVectors(DIMENSIONS).load(str(path))
