"""Signed feature hashing, against the definition term by term."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolrag.adapters.embed_hashing import DIMENSIONS, HashingEmbedder
from toolrag.ports import Embeddable

weights = st.floats(0.125, 100, width=32)


@given(st.lists(st.dictionaries(st.integers(0, 2**64 - 1), weights, max_size=8), max_size=4))
def test_each_term_adds_its_weight_with_its_sign_to_its_place(texts: list[dict[int, float]]) -> None:
    found = HashingEmbedder().embed(
        [Embeddable("", np.array(list(one), np.uint64), np.array(list(one.values()), np.float32)) for one in texts]
    )
    for row, one in zip(found, texts, strict=True):
        expected = np.zeros(DIMENSIONS)
        for term, weight in one.items():
            expected[term % 256] += weight if term // 256 % 2 else -weight
        length = np.linalg.norm(expected)
        np.testing.assert_allclose(row, expected / length if length else expected, atol=1e-5)


def test_texts_that_share_words_are_near_and_others_are_not() -> None:
    rows = np.array([[1, 2, 3, 4], [1, 2, 3, 5], [600, 700, 800, 900]], np.uint64)
    found = HashingEmbedder().embed([Embeddable("", row, np.ones(4, np.float32)) for row in rows])
    assert found[0] @ found[1] == pytest.approx(0.75)
    assert found[0] @ found[2] == pytest.approx(0.0, abs=0.3)
