"""Several corpora as one: folders that are ranked against each other, and parts of one that is large. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from toolrag.retrieval.columns import merge_labels
from toolrag.retrieval.corpus import Corpus, FileKey, build_corpus, update_corpus
from toolrag.retrieval.file_names import file_names
from toolrag.retrieval.postings import Postings, merge_postings
from toolrag.retrieval.tables import Table, merge_tables
from toolrag.symbols import Analysis

PART_FILES: Final = 512
"""Files whose analyses are in memory at once while a corpus is built: they take several times what their arrays do."""


def follow(old: Corpus, files: Sequence[FileKey], analysis_of: Callable[[FileKey], Analysis | None]) -> Corpus:
    """The corpus of these files: `update_corpus`, and from nothing the same in parts."""
    if old.paths or len(files) <= PART_FILES:
        return update_corpus(old, files, analysis_of)
    parts = [
        update_corpus(old, files[first : first + PART_FILES], analysis_of) for first in range(0, len(files), PART_FILES)
    ]
    while len(parts) > 1:  # neighbours first: each row is copied log(parts) times, not once a part
        parts = [join_corpora(parts[at : at + 2]) for at in range(0, len(parts), 2)]
    return parts[0]


def join_corpora(parts: Sequence[Corpus], before: Corpus | None = None) -> Corpus:
    """The corpus of all their files, part after part; equal, array by array, to one that was built of all of them.

    `before` is what an earlier call gave: where the paths are the same, what they say is taken from it.
    """
    if len(parts) < 2:
        return parts[0] if parts else build_corpus([])
    first_files = np.cumsum([0, *(len(part.paths) for part in parts)]).astype(np.int32)
    first_passages = np.cumsum([0, *(part.n_passages for part in parts)]).astype(np.int32)
    paths = tuple(path for part in parts for path in part.paths)
    postings, symbols, calls = parts[0].postings, parts[0].symbols, parts[0].calls
    for at, part in enumerate(parts[1:], 1):
        n_passages, n_files = first_passages[at], first_files[at]
        moved = Postings(
            part.postings.terms, part.postings.ptr, part.postings.passages + n_passages, part.postings.counts
        )
        postings = merge_postings(postings, np.arange(n_passages, dtype=np.int32), moved)
        same = np.arange(n_files, dtype=np.int32)
        symbols = merge_tables(symbols, same, _moved(part.symbols, int(n_files)))
        calls = merge_tables(calls, same, _moved(part.calls, int(n_files)))
    parts_labels = [(part.label_keys, part.labels) for part in parts]
    label_keys, labels = merge_labels(symbols.names, symbols.values, *parts_labels)
    return Corpus(
        paths=paths,
        shas=tuple(sha for part in parts for sha in part.shas),
        languages=tuple(language for part in parts for language in part.languages),
        names=before.names if before is not None and before.paths == paths else file_names(paths),
        spans_of=np.concatenate([part.spans_of for part in parts]),
        file_of=np.concatenate([part.file_of + first for part, first in zip(parts, first_files, strict=False)]),
        ordinal=np.concatenate([part.ordinal for part in parts]),
        name=np.concatenate([part.name for part in parts]),
        plain=np.concatenate([part.plain for part in parts]),
        roles=np.concatenate([part.roles for part in parts]),
        text_ids=np.concatenate([part.text_ids for part in parts]),
        lengths=np.concatenate([part.lengths for part in parts]),
        postings=postings,
        symbols=symbols,
        label_keys=label_keys,
        labels=before.labels if before is not None and before.labels == labels else labels,
        calls=calls,
    )


def _moved(table: Table, n_files: int) -> Table:
    return Table(table.names, table.files + np.int32(n_files), table.values)
