"""Doubles for the index: files as the corpus takes them, a second embedder, and a small tree on disk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from toolrag.adapters.parse_worker import analyse
from toolrag.ports import Embeddable
from toolrag.retrieval.corpus import Corpus, IndexedFile, build_corpus
from toolrag.retrieval.languages import language_of
from toolrag.symbols import Analysis
from toolrag.text import blob_sha


def analysis_of(text: str, language: str = "python") -> Analysis:
    """What the parse process would answer."""
    return analyse(text, language, 60.0)


def indexed(files: Mapping[str, str]) -> list[IndexedFile]:
    """Files as the corpus takes them, in the mapping's order."""
    return [
        IndexedFile(path, blob_sha(text.encode()), language_of(path) or "", analysis_of(text, language_of(path) or ""))
        for path, text in files.items()
    ]


def corpus_of(files: Mapping[str, str]) -> Corpus:
    """The corpus of some texts by path."""
    return build_corpus(indexed(files))


def write_tree(root: Path, files: Mapping[str, str | bytes]) -> None:
    """Files below a folder, which is made."""
    root.mkdir(parents=True, exist_ok=True)
    for path, content in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)


class SumEmbedder:
    """An Embedder of two dimensions: it weighs a text's terms by whether they are even or odd."""

    id = "sum-2"
    dimensions = 2

    def embed(self, texts: Sequence[Embeddable]) -> npt.NDArray[np.float32]:
        """Each term's weight goes to one of the two."""
        rows = np.zeros((len(texts), 2), np.float32)
        for row, text in zip(rows, texts, strict=True):
            np.add.at(row, (text.terms & np.uint64(1)).astype(np.int64), text.weights)
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        return np.asarray(rows / np.where(lengths > 0, lengths, 1), np.float32)
