"""A corpus on disk, so that a start without changes loads arrays and parses nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

from toolrag.adapters.sealed_file import read_sealed, write_sealed
from toolrag.retrieval.corpus import Corpus
from toolrag.retrieval.file_names import FileNames
from toolrag.retrieval.postings import Postings
from toolrag.retrieval.tables import Table

_PARTS: Final[dict[str, type]] = {"names": FileNames, "postings": Postings, "symbols": Table, "calls": Table}
"""Members of a corpus that are made of arrays themselves."""


def save_corpus(path: Path, corpus: Corpus, key: str) -> None:
    """Writes the corpus under a key that names what it was built from. Raises OSError."""
    members = dict(_members(corpus, ""))
    texts = {name: value for name, value in members.items() if isinstance(value, tuple)}
    arrays = {name: np.ascontiguousarray(value) for name, value in members.items() if name not in texts}
    header: dict[str, object] = {
        "key": key,
        "texts": texts,
        "arrays": [[name, array.dtype.str, array.shape] for name, array in arrays.items()],
    }
    write_sealed(path, header, b"".join(array.tobytes() for array in arrays.values()))


def load_corpus(path: Path, key: str) -> Corpus | None:
    """The corpus that was saved under this key; None when there is none or it is in doubt.

    The key must name the code that saved it too (`corpus_fingerprint`): nothing here tells one form from another.
    """
    found = read_sealed(path)
    if found is None or found[0].get("key") != key:
        return None
    header, payload = found
    texts: Any = header["texts"]
    rows: Any = header["arrays"]
    members: dict[str, Any] = {name: tuple(value) for name, value in texts.items()}
    offset = 0
    for name, kind, shape in rows:
        array = np.frombuffer(payload, np.dtype(kind), int(np.prod(shape)), offset).reshape(shape)
        # Some begin where an array of their kind may not: those are copied, since NumPy is slow on them.
        members[name] = np.require(array, requirements="A")
        offset += array.nbytes
    for part, kind in _PARTS.items():
        members[part] = kind(**{field.name: members.pop(f"{part}.{field.name}") for field in fields(kind)})
    return Corpus(**members)


def _members(of: Any, prefix: str) -> Iterator[tuple[str, Any]]:
    """Arrays and tuples of texts by their dotted names."""
    for field in fields(of):
        value = getattr(of, field.name)
        if is_dataclass(value):
            yield from _members(value, f"{prefix}{field.name}.")
        else:
            yield f"{prefix}{field.name}", value
