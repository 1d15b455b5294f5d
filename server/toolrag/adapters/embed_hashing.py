"""`hashing-256`: signed feature hashing of a text's terms. No model, no files, NumPy only.

Weinberger et al., "Feature Hashing for Large Scale Multitask Learning" (2009). It sees the words BM25F sees, so it
adds little; it fills the port until a trained table does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from toolrag.ports import Embeddable

DIMENSIONS: Final = 256


class HashingEmbedder:
    """The low eight bits of a term's hash choose the dimension, the ninth its sign."""

    @property
    def id(self) -> str:
        """`hashing-256`."""
        return f"hashing-{DIMENSIONS}"

    @property
    def dimensions(self) -> int:
        """256."""
        return DIMENSIONS

    def embed(self, texts: Sequence[Embeddable]) -> npt.NDArray[np.float32]:
        """Shape `(len(texts), 256)`, rows of length 1, or 0 for a text without terms."""
        if not texts:
            return np.zeros((0, DIMENSIONS), np.float32)
        rows = np.repeat(np.arange(len(texts)), [len(text.terms) for text in texts])
        terms = np.concatenate([text.terms for text in texts])
        weights = np.concatenate([text.weights for text in texts])
        columns = (terms & np.uint64(DIMENSIONS - 1)).astype(np.int64)
        signs = np.where(terms >> np.uint64(8) & np.uint64(1), 1.0, -1.0)
        cells = np.bincount(rows * DIMENSIONS + columns, weights=weights * signs, minlength=len(texts) * DIMENSIONS)
        vectors = cells.reshape(len(texts), DIMENSIONS).astype(np.float32)
        lengths = np.sqrt((vectors * vectors).sum(axis=1, keepdims=True))
        return np.asarray(vectors / np.where(lengths > 0, lengths, 1.0), np.float32)
