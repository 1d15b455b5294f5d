"""What every Embedder does, the real one and the double."""

from __future__ import annotations

import numpy as np
import pytest
from index_doubles import SumEmbedder, analysis_of
from toolrag.adapters.embed_hashing import HashingEmbedder
from toolrag.ports import Embeddable, Embedder
from toolrag.retrieval.terms import embeddable_passages, embeddable_question
from toolrag.text import Text

SOURCE = "X = 1\n\n\ndef send(retries):\n    return retries + X\n\n\ndef receive():\n    return ''\n"
EMPTY = Embeddable("", np.zeros(0, np.uint64), np.zeros(0, np.float32))

EMBEDDERS = pytest.mark.parametrize(
    "embedder", [pytest.param(HashingEmbedder(), id="hashing"), pytest.param(SumEmbedder(), id="double")]
)


def texts() -> list[Embeddable]:
    return [*embeddable_passages(Text(SOURCE), analysis_of(SOURCE)), EMPTY]


@EMBEDDERS
def test_vectors_have_the_said_shape_and_length_one_or_none(embedder: Embedder) -> None:
    found = embedder.embed(texts())
    assert found.shape == (len(texts()), embedder.dimensions)
    assert found.dtype == np.float32
    lengths = np.linalg.norm(found, axis=1)
    np.testing.assert_allclose(lengths, [*[1.0] * (len(texts()) - 1), 0.0], atol=1e-5)


@EMBEDDERS
def test_no_texts_are_no_rows(embedder: Embedder) -> None:
    assert embedder.embed([]).shape == (0, embedder.dimensions)
    assert embedder.embed([EMPTY, EMPTY]).tolist() == [[0.0] * embedder.dimensions] * 2


@EMBEDDERS
def test_a_text_s_vector_depends_on_nothing_but_the_text(embedder: Embedder) -> None:
    batch = texts()
    together = embedder.embed(batch)
    np.testing.assert_array_equal(embedder.embed(batch[::-1])[::-1], together)
    np.testing.assert_array_equal(np.concatenate([embedder.embed([one]) for one in batch]), together)
    np.testing.assert_array_equal(type(embedder)().embed(batch), together)


@EMBEDDERS
def test_a_question_has_a_vector_like_any_text(embedder: Embedder) -> None:
    question = embeddable_question("send retries", ["send", "retry"], lambda _: 2.0)
    assert np.linalg.norm(embedder.embed([question])[0]) == pytest.approx(1, abs=1e-5)


@EMBEDDERS
def test_its_name_says_its_kind_and_size(embedder: Embedder) -> None:
    assert embedder.id.endswith(f"-{embedder.dimensions}")
