"""A corpus on disk, so that a start without changes loads arrays and parses nothing."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any, Final

import numpy as np

from toolrag.adapters.sealed_file import read_sealed, write_sealed
from toolrag.retrieval.corpus import Corpus

_TEXTS: Final = ("paths", "shas", "languages")
_NUMBERS: Final = ("n_spans",)


def save_corpus(path: Path, corpus: Corpus, key: str) -> None:
    """Writes the corpus under a key that names what it was built from. Raises OSError."""
    arrays = _array_names()
    values = [np.ascontiguousarray(getattr(corpus, name)) for name in arrays]
    header: dict[str, object] = {name: getattr(corpus, name) for name in (*_TEXTS, *_NUMBERS)}
    header["key"] = key
    header["arrays"] = [[name, value.dtype.str, len(value)] for name, value in zip(arrays, values, strict=True)]
    write_sealed(path, header, b"".join(value.tobytes() for value in values))


def load_corpus(path: Path, key: str) -> Corpus | None:
    """The corpus that was saved under this key; None when there is none or it is in doubt.

    The key must name the code that saved it too (`corpus_fingerprint`): nothing here tells one form from another.
    """
    found = read_sealed(path)
    if found is None or found[0].get("key") != key:
        return None
    header, payload = found
    members: dict[str, Any] = {name: header[name] for name in _NUMBERS}
    for name in _TEXTS:
        texts: Any = header[name]
        members[name] = tuple(texts)
    offset = 0
    rows: Any = header["arrays"]
    for name, kind, length in rows:
        array = np.frombuffer(payload, np.dtype(kind), length, offset)
        # Some begin where an array of their kind may not: those are copied, since NumPy is slow on them.
        members[name] = np.require(array, requirements="A")
        offset += array.nbytes
    return Corpus(**members)


def _array_names() -> list[str]:
    return [field.name for field in fields(Corpus) if field.name not in (*_TEXTS, *_NUMBERS)]
