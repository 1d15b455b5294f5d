"""The searchable form of all parsed files: arrays over passages, postings, and tables of names. Pure.

Plain arrays throughout, so that it can be written to disk and taken up again without work, and so that a file that
was edited can be cut out and put in. It holds no text but the names of symbols, so that they can be looked for by a
part; all else is hashes. What a hit says is read again from a snapshot.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeVar

import numpy as np
import numpy.typing as npt

from toolrag.retrieval.columns import BODILESS as BODILESS
from toolrag.retrieval.columns import CONSTANT as CONSTANT
from toolrag.retrieval.columns import DEFINES as DEFINES
from toolrag.retrieval.columns import DEFINING_KINDS as DEFINING_KINDS
from toolrag.retrieval.columns import KINDS as KINDS
from toolrag.retrieval.columns import calls_in, labels_in, merge_labels, passages_in, symbols_in
from toolrag.retrieval.columns import containers as containers
from toolrag.retrieval.columns import last_name as last_name
from toolrag.retrieval.file_names import FileNames, file_names
from toolrag.retrieval.postings import FIELDS, Postings, UInt8, collect_postings, merge_postings
from toolrag.retrieval.tables import Table, merge_tables, sort_table
from toolrag.retrieval.tokens import term_hash
from toolrag.symbols import Analysis

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
UInt64 = npt.NDArray[np.uint64]
Float32 = npt.NDArray[np.float32]
Scalar = TypeVar("Scalar", bound=np.generic)

# Field weights and length normalisations of BM25F, and its saturation: tuned on 31 repositories, 853 questions
# (server/ARCHITECTURE.md, "Ranking"). BM25F: Robertson, Zaragoza, "The Probabilistic Relevance Framework" (2009).
FIELD_WEIGHTS: Final = {"name": 8.0, "scope": 1.0, "path": 2.0, "body": 0.3}
FIELD_B: Final = {"name": 0.6, "scope": 0.3, "path": 0.6, "body": 0.75}
K1: Final = 2.2


@dataclass(frozen=True, eq=False)
class IndexedFile:
    """One file of the manifest with the analysis of its text."""

    path: str
    sha: str
    language: str
    analysis: Analysis


@dataclass(frozen=True, slots=True)
class FileKey:
    """One file of the manifest. Two of the same sha and language have the same analysis."""

    path: str
    sha: str
    language: str


@dataclass(frozen=True, eq=False)
class Corpus:
    """Immutable. Passages are numbered through all files, in the files' order."""

    paths: tuple[str, ...]
    shas: tuple[str, ...]
    languages: tuple[str, ...]
    names: FileNames
    spans_of: Int32
    """Number of symbols of each file."""
    file_of: Int32
    """The file of each passage."""
    ordinal: Int32
    """Its number within that file."""
    name: UInt64
    """`term_hash` of its span's last name, exactly as written; 0 for the top level."""
    plain: UInt64
    """`term_hash` of that name's `plain_name`; 0 for the top level and for operators."""
    roles: UInt8
    """Bits: DEFINES, CONSTANT, BODILESS."""
    text_ids: Int64
    """`terms.text_id` of each passage: the name of its vector."""
    lengths: Int32
    """Shape (passages, fields): the number of tokens in each of FIELDS."""
    postings: Postings
    symbols: Table
    """`term_hash` of every symbol's last name, those without a passage of their own included.

    Values: its number in its file, the first line of its header, the place of its kind in KINDS, and the two halves of
    its container's hash (`columns.containers`).
    """
    label_keys: UInt64
    """Each name and container of a symbol by its hash, ascending."""
    labels: tuple[str, ...]
    """What each of them is."""
    calls: Table
    """`term_hash` of each called name, with its line and the index of the innermost span in its file, or -1."""

    @property
    def n_passages(self) -> int:
        """Number of passages."""
        return len(self.file_of)

    @property
    def n_spans(self) -> int:
        """Number of symbols in all files."""
        return int(self.spans_of.sum())

    @cached_property
    def worth(self) -> Float32:
        """Shape (passages, fields): what one occurrence in a field adds to a passage's BM25F frequency."""
        average = self.lengths.mean(axis=0) if len(self.lengths) else np.zeros(len(FIELDS))
        weights = np.array([FIELD_WEIGHTS[field] for field in FIELDS])
        b = np.array([FIELD_B[field] for field in FIELDS])
        worth: Float32 = (weights / (1 - b + b * self.lengths / np.maximum(average, 1e-6))).astype(np.float32)
        return worth

    def term(self, term: int) -> int | None:
        """The number of a term, None where no passage has it."""
        terms = self.postings.terms
        at = int(np.searchsorted(terms, np.uint64(term)))
        return at if at < len(terms) and int(terms[at]) == term else None

    def passages_with(self, at: int) -> Int32:
        """The passages that have term number `at`, ascending."""
        return self.postings.passages[self.postings.ptr[at] : self.postings.ptr[at + 1]]

    def impacts(self, at: int) -> Float32:
        """For each of those: weighted, length-normalised frequency over the fields, not yet saturated by K1."""
        counts = self.postings.counts[self.postings.ptr[at] : self.postings.ptr[at + 1]]
        impacts: Float32 = np.einsum("pf,pf->p", counts.astype(np.float32), self.worth[self.passages_with(at)])
        return impacts

    def files_defining(self, name: str) -> list[int]:
        """Files that have a symbol of exactly this last name, ascending."""
        return sorted(set(self.symbols.files[self.symbols.rows(term_hash(name))].tolist()))

    def calls_of(self, name: str) -> list[tuple[int, int, int]]:
        """`(file, line, span or -1)` of each place that calls the name, by file and line."""
        rows = self.calls.rows(term_hash(name))
        lines, spans = self.calls.values[rows].T.tolist()
        return sorted(zip(self.calls.files[rows].tolist(), lines, spans, strict=True))


def build_corpus(files: Sequence[IndexedFile]) -> Corpus:
    """All files as one corpus; the order of `files` is kept, so the same files give the same arrays."""
    return splice(_EMPTY, files)


def update_corpus(old: Corpus, files: Sequence[FileKey], analysis_of: Callable[[FileKey], Analysis | None]) -> Corpus:
    """The corpus of these files, in their order, with what the old one has of them; the others are analysed.

    A file whose analysis is None is left out. Files that stand in another order than in the old corpus count as new.
    """
    numbers = {key: at for at, key in enumerate(zip(old.paths, old.shas, old.languages, strict=True))}
    parts: list[int | IndexedFile] = []
    last = -1
    for file in files:
        at = numbers.get((file.path, file.sha, file.language), -1)
        if at > last:
            parts.append(at)
            last = at
        elif (analysis := analysis_of(file)) is not None:
            parts.append(IndexedFile(file.path, file.sha, file.language, analysis))
    return splice(old, parts)


def splice(old: Corpus, files: Sequence[int | IndexedFile]) -> Corpus:
    """The corpus of some files of an old one, named by their numbers there, ascending, with others put in among them.

    Equal, array by array, to `build_corpus` of all of them, in time that grows with what is new, and for the rest with
    what it takes to copy the arrays.
    """
    kept = [(at, file) for at, file in enumerate(files) if isinstance(file, int)]
    fresh = [(at, file) for at, file in enumerate(files) if isinstance(file, IndexedFile)]
    analyses = [file.analysis for _, file in fresh]
    old_sizes = np.bincount(old.file_of, minlength=len(old.paths))
    sizes = np.zeros(len(files), np.int64)
    kept_at, kept_files = np.array(kept, np.int64).reshape(-1, 2).T
    fresh_at = np.array([at for at, _ in fresh], np.int64)
    sizes[kept_at] = old_sizes[kept_files]
    sizes[fresh_at] = [len(analysis.parsed.passages) for analysis in analyses]
    firsts, old_firsts = np.cumsum(sizes) - sizes, np.cumsum(old_sizes) - old_sizes
    new_file = np.full(len(old.paths), -1, np.int32)
    new_file[kept_files] = kept_at
    # The new number of each old passage, and -1 for those that go.
    shifts = np.zeros(len(old.paths), np.int64)
    shifts[kept_files] = firsts[kept_at] - old_firsts[kept_files]
    is_kept = new_file[old.file_of] >= 0
    new_passage = np.where(is_kept, np.arange(old.n_passages) + shifts[old.file_of], -1).astype(np.int32)
    file_of = np.repeat(np.arange(len(files), dtype=np.int32), sizes)
    is_fresh = np.ones(len(file_of), np.bool_)
    is_fresh[new_passage[is_kept]] = False

    def passages(before: npt.NDArray[Scalar], new: npt.NDArray[Scalar]) -> npt.NDArray[Scalar]:
        """A column of the passages: kept values at their new places, new ones at the others."""
        column = np.empty((len(file_of), *before.shape[1:]), before.dtype)
        column[~is_fresh], column[is_fresh] = before[is_kept], new
        return column

    rows = [
        (old.paths[file], old.shas[file], old.languages[file])
        if isinstance(file, int)
        else (file.path, file.sha, file.language)
        for file in files
    ]
    paths = tuple(path for path, _, _ in rows)
    spans_of = np.zeros(len(files), np.int32)
    spans_of[kept_at] = old.spans_of[kept_files]
    spans_of[fresh_at] = [len(analysis.parsed.spans) for analysis in analyses]
    symbols = merge_tables(old.symbols, new_file, sort_table(*symbols_in(fresh_at.tolist(), analyses)))
    new_labels = sorted(labels_in(analyses).items())
    label_keys, labels = merge_labels(
        *(symbols.names, symbols.values),
        (old.label_keys, old.labels),
        (np.array([key for key, _ in new_labels], np.uint64), [label for _, label in new_labels]),
    )
    postings, lengths = collect_postings([file.path for _, file in fresh], analyses, firsts[fresh_at].tolist())
    name, plain, roles, text_ids = passages_in(analyses)
    return Corpus(
        paths=paths,
        shas=tuple(sha for _, sha, _ in rows),
        languages=tuple(language for _, _, language in rows),
        names=old.names if paths == old.paths else file_names(paths),
        spans_of=spans_of,
        file_of=file_of,
        ordinal=np.arange(len(file_of), dtype=np.int32) - firsts[file_of].astype(np.int32),
        name=passages(old.name, name),
        plain=passages(old.plain, plain),
        roles=passages(old.roles, roles),
        text_ids=passages(old.text_ids, text_ids),
        lengths=passages(old.lengths, lengths),
        postings=merge_postings(old.postings, new_passage, postings),
        symbols=symbols,
        label_keys=label_keys,
        labels=old.labels if labels == old.labels else labels,
        calls=merge_tables(old.calls, new_file, sort_table(*calls_in(fresh_at.tolist(), analyses))),
    )


_EMPTY: Final = Corpus(
    paths=(),
    shas=(),
    languages=(),
    names=file_names(()),
    spans_of=np.zeros(0, np.int32),
    file_of=np.zeros(0, np.int32),
    ordinal=np.zeros(0, np.int32),
    name=np.zeros(0, np.uint64),
    plain=np.zeros(0, np.uint64),
    roles=np.zeros(0, np.uint8),
    text_ids=np.zeros(0, np.int64),
    lengths=np.zeros((0, len(FIELDS)), np.int32),
    postings=Postings(
        np.zeros(0, np.uint64), np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros((0, len(FIELDS)), np.uint8)
    ),
    symbols=Table(np.zeros(0, np.uint64), np.zeros(0, np.int32), np.zeros((0, 5), np.int32)),
    label_keys=np.zeros(0, np.uint64),
    labels=(),
    calls=Table(np.zeros(0, np.uint64), np.zeros(0, np.int32), np.zeros((0, 2), np.int32)),
)
