"""What every VectorIndex does, the exact one and HNSW."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from conftest import HAS_HNSWLIB
from toolrag.adapters.vectors_flat import FlatVectors
from toolrag.ports import VectorIndex

DIMENSIONS = 8
Vectors = npt.NDArray[np.float32]


def hnsw(dimensions: int) -> VectorIndex:
    from toolrag.adapters.vectors_hnsw import HnswVectors

    return HnswVectors(dimensions)


ENGINES = {"exact": FlatVectors} | ({"hnsw": hnsw} if HAS_HNSWLIB else {})
Make = Callable[..., VectorIndex]


@pytest.fixture(params=list(ENGINES))
def make(request: pytest.FixtureRequest) -> Make:
    factory = ENGINES[request.param]
    return lambda dimensions=DIMENSIONS: factory(dimensions)


def unit(count: int, seed: int = 1, dimensions: int = DIMENSIONS) -> Vectors:
    found = np.random.default_rng(seed).normal(size=(count, dimensions))
    return np.asarray(found / np.linalg.norm(found, axis=1, keepdims=True), np.float32)


def axis(*places: int) -> Vectors:
    return np.eye(DIMENSIONS, dtype=np.float32)[list(places)]


def filled(make: Make, count: int) -> tuple[VectorIndex, Vectors]:
    index, vectors = make(), unit(count)
    index.add(range(count), vectors)
    return index, vectors


def assert_only_1(found: list[tuple[int, float]]) -> None:
    """One pair: the id 1, and a cosine of 1."""
    assert [id_ for id_, _ in found] == [1]
    assert found[0][1] == pytest.approx(1)


def test_an_empty_index_has_nothing(make: Make) -> None:
    index = make()
    assert index.ids == frozenset()
    assert index.nearest(axis(0)[0], 5) == []
    index.add([], np.zeros((0, DIMENSIONS), np.float32))
    index.remove([])
    assert index.ids == frozenset()


def test_nearest_first_with_cosines(make: Make) -> None:
    index = make()
    index.add([30, 2**62, 10], np.stack([axis(0)[0], axis(1)[0], (axis(0)[0] + axis(1)[0]) / np.sqrt(2)]))
    assert index.ids == {10, 30, 2**62}
    found = index.nearest(axis(0)[0], 3)
    assert [id_ for id_, _ in found] == [30, 10, 2**62]
    assert [cosine for _, cosine in found] == pytest.approx([1, 0.5**0.5, 0], abs=1e-5)
    assert all(type(id_) is int and type(cosine) is float for id_, cosine in found)


def test_a_limit_is_kept_and_may_be_larger_than_what_is_there(make: Make) -> None:
    index, vectors = filled(make, 5)
    assert len(index.nearest(vectors[0], 2)) == 2
    assert len(index.nearest(vectors[0], 50)) == 5
    assert index.nearest(vectors[0], 0) == []
    assert index.nearest(vectors[0], -1) == []


def test_equal_cosines_are_ordered_by_id(make: Make) -> None:
    index = make()
    index.add([5, 9, 3, 7, 1], axis(0, 0, 0, 0, 1))
    assert [id_ for id_, _ in index.nearest(axis(0)[0], 4)] == [3, 5, 7, 9]


def test_an_id_that_is_there_gets_the_new_vector(make: Make) -> None:
    index = make()
    index.add([1, 2], axis(0, 1))
    index.add([1], axis(2))
    assert index.ids == {1, 2}
    assert_only_1(index.nearest(axis(2)[0], 1))
    assert dict(index.nearest(axis(0)[0], 2)) == {1: pytest.approx(0), 2: pytest.approx(0)}


def test_of_an_id_that_is_given_twice_the_last_vector_counts(make: Make) -> None:
    index = make()
    index.add([1, 1], axis(0, 1))
    assert_only_1(index.nearest(axis(1)[0], 5))


def test_what_is_removed_is_not_found_and_what_is_unknown_is_passed_over(make: Make) -> None:
    index = make()
    index.add([1, 2, 3], axis(0, 1, 2))
    index.remove([2, 99, 2])
    assert index.ids == {1, 3}
    assert [id_ for id_, _ in index.nearest(axis(1)[0], 5)] == [1, 3]
    index.remove([1, 3])
    assert index.nearest(axis(0)[0], 5) == []


def test_an_id_may_come_back_with_another_vector(make: Make) -> None:
    index = make()
    index.add([1, 2], axis(0, 1))
    index.remove([1])
    index.add([1], axis(3))
    assert index.ids == {1, 2}
    assert_only_1(index.nearest(axis(3)[0], 1))


@pytest.mark.parametrize("kept", [1, 7, 40])
def test_the_right_ones_are_found_after_most_are_removed(make: Make, kept: int) -> None:
    index, vectors = filled(make, 2_000)
    index.remove(range(kept, 2_000))
    assert index.ids == frozenset(range(kept))
    expected = sorted(range(kept), key=lambda at: -float(vectors[at] @ vectors[0]))
    assert [id_ for id_, _ in index.nearest(vectors[0], 100)] == expected
    index.add(range(5_000, 7_000), unit(2_000, seed=2))
    assert len(index.nearest(vectors[0], 50)) == 50


def test_what_is_saved_is_taken_up_and_goes_on(make: Make, tmp_path: Path) -> None:
    index, vectors = filled(make, 200)
    index.remove(range(100))
    index.save(str(tmp_path / "v"))
    again = make()
    again.add([12_345], axis(0))
    assert again.load(str(tmp_path / "v"))
    assert again.ids == index.ids
    assert again.nearest(vectors[150], 10) == index.nearest(vectors[150], 10)
    again.add([1], axis(4))
    again.remove([150])
    assert_only_1(again.nearest(axis(4)[0], 1))
    assert 150 not in dict(again.nearest(vectors[150], 200))
    assert os.listdir(tmp_path) == ["v"]
    assert (tmp_path / "v").stat().st_mode & 0o777 == 0o600


def test_an_empty_index_can_be_saved_and_taken_up(make: Make, tmp_path: Path) -> None:
    make().save(str(tmp_path / "v"))
    index, _ = filled(make, 3)
    assert index.load(str(tmp_path / "v"))
    assert index.ids == frozenset()
    index.add([1], axis(0))
    assert index.ids == {1}


def assert_unchanged(index: VectorIndex) -> None:
    assert index.ids == {1}
    assert_only_1(index.nearest(axis(0)[0], 5))


def test_a_file_that_is_missing_cut_or_altered_changes_nothing(make: Make, tmp_path: Path) -> None:
    path = tmp_path / "v"
    index = make()
    index.add([1], axis(0))
    assert not index.load(str(path))
    (tmp_path / "folder").mkdir()
    assert not index.load(str(tmp_path / "folder"))
    filled(make, 3)[0].save(str(path))
    data = path.read_bytes()
    for at in range(0, len(data), max(1, len(data) // 40)):
        path.write_bytes(data[:at])
        assert not index.load(str(path))
        path.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        assert not index.load(str(path))
    assert_unchanged(index)


def test_a_file_of_another_dimension_or_engine_changes_nothing(make: Make, tmp_path: Path) -> None:
    path = str(tmp_path / "v")
    index = make()
    index.add([1], axis(0))
    for other in (make(4), *(factory(DIMENSIONS) for name, factory in ENGINES.items() if name != index.engine)):
        other.save(path)
        assert not index.load(path)
    assert_unchanged(index)


def test_a_folder_that_cannot_be_written_is_an_os_error(make: Make, tmp_path: Path) -> None:
    index, _ = filled(make, 3)
    with pytest.raises(OSError, match=r".*"):
        index.save(str(tmp_path / "missing" / "v"))
    assert len(index.ids) == 3


def test_the_engine_is_named(make: Make) -> None:
    assert make().engine in ENGINES
