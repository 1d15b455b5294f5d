"""The searchable form of all parsed files: arrays over passages, and postings with BM25F impacts. Pure.

Built whole from the files' analyses, and plain arrays throughout, so that it can be written to disk and taken up
again without work. It holds no text and no names, only hashes: what a hit says is read again from a snapshot.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

import numpy as np
import numpy.typing as npt

from toolrag.retrieval.paths import path_tokens
from toolrag.retrieval.terms import bags, hashes
from toolrag.retrieval.tokens import term_hash
from toolrag.symbols import Analysis, Bags, Kind

Int32 = npt.NDArray[np.int32]
UInt64 = npt.NDArray[np.uint64]
Float32 = npt.NDArray[np.float32]
Scalar = TypeVar("Scalar", bound=np.generic)

# Field weights and length normalisations of BM25F, and its saturation: tuned on 31 repositories, 853 questions
# (server/ARCHITECTURE.md, "Ranking"). BM25F: Robertson, Zaragoza, "The Probabilistic Relevance Framework" (2009).
FIELD_WEIGHTS: Final = {"name": 8.0, "scope": 1.0, "path": 2.0, "body": 0.3}
FIELD_B: Final = {"name": 0.6, "scope": 0.3, "path": 0.6, "body": 0.75}
K1: Final = 2.2

DEFINING_KINDS: Final[frozenset[Kind]] = frozenset({"class", "function", "method", "type"})
"""Kinds whose exact name counts in full; a constant's or a heading's counts less."""


@dataclass(frozen=True, eq=False)
class IndexedFile:
    """One file of the manifest with the analysis of its text."""

    path: str
    sha: str
    language: str
    analysis: Analysis


@dataclass(frozen=True, eq=False)
class Corpus:
    """Immutable. Passages are numbered through all files, in the files' order."""

    paths: tuple[str, ...]
    shas: tuple[str, ...]
    languages: tuple[str, ...]
    n_spans: int
    """Number of symbols in all files."""
    file_of: Int32
    """The file of each passage."""
    ordinal: Int32
    """Its number within that file."""
    name: UInt64
    """`term_hash` of its span's last name, exactly as written; 0 for the top level."""
    folded_name: UInt64
    """The same in lower case."""
    defines: npt.NDArray[np.bool_]
    """Its span's kind is one of DEFINING_KINDS."""
    text_ids: npt.NDArray[np.int64]
    """`terms.text_id` of each passage: the name of its vector."""
    terms: UInt64
    """All terms, ascending."""
    ptr: npt.NDArray[np.int64]
    """Postings of term i are entries `ptr[i]` to `ptr[i + 1]` of the next two."""
    postings: Int32
    impacts: Float32
    """Weighted, length-normalised frequency over the fields; not yet saturated by K1."""
    idf: Float32
    symbol_names: UInt64
    """`term_hash` of every symbol's last name, ascending, those without a passage of their own included."""
    symbol_files: Int32
    """The file of each."""
    reference_names: UInt64
    """`term_hash` of each called name, ascending; the next three run beside it."""
    reference_files: Int32
    reference_lines: Int32
    reference_spans: Int32
    """Index of the innermost span in its file, or -1."""

    @property
    def n_passages(self) -> int:
        """Number of passages."""
        return len(self.file_of)

    def term(self, term: int) -> int | None:
        """The number of a term, None where no passage has it."""
        at = int(np.searchsorted(self.terms, np.uint64(term)))
        return at if at < len(self.terms) and int(self.terms[at]) == term else None

    def files_defining(self, name: str) -> list[int]:
        """Files that have a symbol of exactly this last name, ascending."""
        term = np.uint64(term_hash(name))
        first = int(np.searchsorted(self.symbol_names, term, "left"))
        last = int(np.searchsorted(self.symbol_names, term, "right"))
        return sorted(set(self.symbol_files[first:last].tolist()))

    def calls_of(self, name: str) -> list[tuple[int, int, int]]:
        """`(file, line, span or -1)` of each place that calls the name, by file and line."""
        term = np.uint64(term_hash(name))
        first = int(np.searchsorted(self.reference_names, term, "left"))
        last = int(np.searchsorted(self.reference_names, term, "right"))
        rows = zip(
            self.reference_files[first:last].tolist(),
            self.reference_lines[first:last].tolist(),
            self.reference_spans[first:last].tolist(),
            strict=True,
        )
        return sorted(rows)


def build_corpus(files: Sequence[IndexedFile]) -> Corpus:
    """All files as one corpus; the order of `files` is kept, so the same files give the same arrays."""
    analyses = [file.analysis for file in files]
    n_passages = [len(analysis.parsed.passages) for analysis in analyses]
    total = sum(n_passages)
    file_of = np.repeat(np.arange(len(files), dtype=np.int32), n_passages)
    fields = {
        "name": _stack([analysis.terms.name for analysis in analyses]),
        "scope": _stack([analysis.terms.scope for analysis in analyses]),
        "body": _stack([analysis.terms.body for analysis in analyses]),
        "path": _spread(bags([dict.fromkeys(hashes(path_tokens(file.path)), 1) for file in files]), file_of),
    }
    terms, ptr, postings, impacts = _postings(fields, total)
    frequency = np.diff(ptr)
    idf = np.log(1 + (total - frequency + 0.5) / (frequency + 0.5)).astype(np.float32)
    names, folded, defines = _names(analyses)
    symbols = _symbols(analyses)
    references = _references(analyses)
    return Corpus(
        paths=tuple(file.path for file in files),
        shas=tuple(file.sha for file in files),
        languages=tuple(file.language for file in files),
        n_spans=sum(len(analysis.parsed.spans) for analysis in analyses),
        file_of=file_of,
        ordinal=_concatenate((np.arange(count, dtype=np.int32) for count in n_passages), np.int32),
        name=names,
        folded_name=folded,
        defines=defines,
        text_ids=_concatenate((analysis.terms.text_ids for analysis in analyses), np.int64),
        terms=terms,
        ptr=ptr,
        postings=postings,
        impacts=impacts,
        idf=idf,
        symbol_names=symbols[0],
        symbol_files=symbols[1],
        reference_names=references[0],
        reference_files=references[1],
        reference_lines=references[2],
        reference_spans=references[3],
    )


def last_name(name: str) -> str:
    """The last part of a dotted or scoped name."""
    for mark in ("::", "#", ".", "\\", "->"):
        name = name.rsplit(mark, 1)[-1]
    return name.strip()


def _names(analyses: Iterable[Analysis]) -> tuple[UInt64, UInt64, npt.NDArray[np.bool_]]:
    exact, folded, defines = [], [], []
    for analysis in analyses:
        for passage in analysis.parsed.passages:
            span = None if passage.span is None else analysis.parsed.spans[passage.span]
            name = last_name(span.name) if span else ""
            exact.append(term_hash(name) if name else 0)
            folded.append(term_hash(name.lower()) if name else 0)
            defines.append(span is not None and span.kind in DEFINING_KINDS)
    return np.array(exact, np.uint64), np.array(folded, np.uint64), np.array(defines, np.bool_)


def _symbols(analyses: Iterable[Analysis]) -> tuple[UInt64, Int32]:
    rows = [
        (term_hash(last_name(span.name)), file)
        for file, analysis in enumerate(analyses)
        for span in analysis.parsed.spans
    ]
    names = np.array([row[0] for row in rows], np.uint64)
    order = np.argsort(names, kind="stable")
    return names[order], np.array([row[1] for row in rows], np.int32)[order]


def _references(analyses: Iterable[Analysis]) -> tuple[UInt64, Int32, Int32, Int32]:
    rows = [
        (term_hash(reference.name), file, reference.line, -1 if reference.span is None else reference.span)
        for file, analysis in enumerate(analyses)
        for reference in analysis.parsed.references
        if reference.kind == "call"
    ]
    names = np.array([row[0] for row in rows], np.uint64)
    rest = np.array([row[1:] for row in rows], np.int32).reshape(-1, 3)
    order = np.argsort(names, kind="stable")
    rest = rest[order]
    return names[order], rest[:, 0].copy(), rest[:, 1].copy(), rest[:, 2].copy()


def _stack(parts: Sequence[Bags]) -> Bags:
    """The rows of several matrices under one another."""
    sizes = _concatenate((np.diff(part.ptr) for part in parts), np.int32)
    ptr = np.zeros(len(sizes) + 1, np.int32)
    np.cumsum(sizes, out=ptr[1:])
    return Bags(
        ptr,
        _concatenate((part.terms for part in parts), np.uint64),
        _concatenate((part.counts for part in parts), np.uint32),
    )


def _spread(files: Bags, file_of: Int32) -> Bags:
    """The bag of each passage's file as its own."""
    sizes = np.diff(files.ptr)[file_of]
    ptr = np.zeros(len(file_of) + 1, np.int32)
    np.cumsum(sizes, out=ptr[1:])
    starts = files.ptr[:-1][file_of]
    entries = np.repeat(starts - ptr[:-1], sizes) + np.arange(ptr[-1])
    return Bags(ptr, files.terms[entries], files.counts[entries])


def _postings(fields: dict[str, Bags], total: int) -> tuple[UInt64, npt.NDArray[np.int64], Int32, Float32]:
    """Every field's bags summed into one set of postings, by term and then passage."""
    all_terms, all_passages, all_impacts = [], [], []
    for name, field in fields.items():
        sizes = np.diff(field.ptr)
        passages = np.repeat(np.arange(total, dtype=np.int32), sizes)
        lengths = np.bincount(passages, weights=field.counts, minlength=total)
        average = max(float(lengths.mean()) if total else 0.0, 1e-6)
        weight = FIELD_WEIGHTS[name] / (1 - FIELD_B[name] + FIELD_B[name] * lengths / average)
        all_terms.append(field.terms)
        all_passages.append(passages)
        all_impacts.append(weight[passages] * field.counts)
    terms, inverse = np.unique(np.concatenate(all_terms), return_inverse=True)
    keys = inverse.astype(np.int64) * max(total, 1) + np.concatenate(all_passages)
    unique, where = np.unique(keys, return_inverse=True)
    impacts = np.bincount(where, weights=np.concatenate(all_impacts), minlength=len(unique)).astype(np.float32)
    ptr = np.searchsorted(unique, np.arange(len(terms) + 1, dtype=np.int64) * max(total, 1))
    return terms, ptr, (unique % max(total, 1)).astype(np.int32), impacts


def _concatenate(parts: Iterable[npt.NDArray[Scalar]], kind: type[Scalar]) -> npt.NDArray[Scalar]:
    arrays = list(parts)
    return np.concatenate(arrays) if arrays else np.zeros(0, kind)
