"""Postings: which passage holds which term how often, by field, as arrays; built, cut and merged. Pure.

Counts and not scores are kept, so that a file can be taken out and put in while the averages that BM25F needs move:
what a count is worth is worked out for the terms of a question alone (`retrieval.ranking`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

import numpy as np
import numpy.typing as npt

from toolrag.retrieval.paths import path_tokens
from toolrag.retrieval.tokens import term_hash
from toolrag.symbols import Analysis

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
UInt8 = npt.NDArray[np.uint8]
UInt64 = npt.NDArray[np.uint64]
Scalar = TypeVar("Scalar", bound=np.generic)

FIELDS: Final = ("name", "scope", "path", "body")
MOST: Final = 255
"""Counts stop here: BM25F has long levelled off."""

_COUNT_BITS: Final = 8
_FIELD_BITS: Final = 2
_LOW_BITS: Final = _COUNT_BITS + _FIELD_BITS


@dataclass(frozen=True, eq=False)
class Postings:
    """By term, then by passage; each pair once."""

    terms: UInt64
    """Ascending."""
    ptr: Int64
    """Term i has the rows `ptr[i]` to `ptr[i + 1]` of the next two."""
    passages: Int32
    counts: UInt8
    """Shape (rows, len(FIELDS)): how often the passage has the term in each field, up to MOST."""


def collect_postings(
    paths: Sequence[str], analyses: Sequence[Analysis], first_passages: Sequence[int]
) -> tuple[Postings, Int32]:
    """The postings of some files, whose passages have numbers from `first_passages` on, and their passages' lengths.

    Lengths have shape (passages, len(FIELDS)), in the files' order: the number of tokens in each field.
    """
    n_passages = [len(analysis.parsed.passages) for analysis in analyses]
    numbers = _ranges(first_passages, n_passages)
    at = np.arange(len(numbers), dtype=np.int32)
    lengths = np.zeros((len(numbers), len(FIELDS)), np.int32)
    terms, keys = [], []
    for field, name in enumerate(FIELDS):
        if name == "path":
            tokens = [np.array([term_hash(token) for token in path_tokens(path)], np.uint64) for path in paths]
            sizes = np.repeat(np.array([len(of_file) for of_file in tokens], np.int64), n_passages)
            found = _join(
                [part for part, count in zip(tokens, n_passages, strict=True) for _ in range(count)], np.uint64
            )
            counts = np.ones(len(found), np.uint32)
        else:
            bags = [getattr(analysis.terms, name) for analysis in analyses]
            sizes = _join([bag.ptr[1:] - bag.ptr[:-1] for bag in bags], np.int32).astype(np.int64)
            found = _join([bag.terms for bag in bags], np.uint64)
            counts = _join([bag.counts for bag in bags], np.uint32)
        rows = np.repeat(at, sizes)
        lengths[:, field] = np.bincount(rows, weights=counts, minlength=len(at))
        terms.append(found)
        low = np.uint64(field << _COUNT_BITS) | np.minimum(counts, MOST).astype(np.uint64)
        keys.append(numbers[rows].astype(np.uint64) << np.uint64(_LOW_BITS) | low)
    return _sorted(np.concatenate(terms), np.concatenate(keys)), lengths


def _sorted(terms: UInt64, keys: UInt64) -> Postings:
    """Postings of rows in any order; a key is passage, field and count in one number.

    Raises OverflowError where terms and passages together need more bits than are left: some 2^27 of each.
    """
    n_rows = len(terms)
    order = np.argsort(terms)
    terms = terms[order]
    is_first = np.ones(n_rows, np.bool_)
    np.not_equal(terms[1:], terms[:-1], out=is_first[1:])
    distinct = terms[is_first]
    # One sort by term and passage: the term's rank stands above the key.
    shift = np.uint64(int(keys.max()).bit_length() if n_rows else 0)
    if len(distinct).bit_length() + int(shift) > 64:
        raise OverflowError(f"{len(distinct):,} terms and such passages do not fit into one sort")
    ranks = (np.cumsum(is_first) - 1).astype(np.uint64)
    packed = ranks << shift | keys[order]
    packed.sort()
    pairs = packed >> np.uint64(_LOW_BITS)
    starts = np.ones(n_rows, np.bool_)
    np.not_equal(pairs[1:], pairs[:-1], out=starts[1:])
    rows = np.cumsum(starts) - 1
    counts = np.zeros((int(rows[-1]) + 1 if n_rows else 0, len(FIELDS)), np.uint8)
    fields = (packed >> np.uint64(_COUNT_BITS) & np.uint64((1 << _FIELD_BITS) - 1)).astype(np.int64)
    counts[rows, fields] = packed & np.uint64((1 << _COUNT_BITS) - 1)
    pairs = pairs[starts]
    passage_bits = shift - np.uint64(_LOW_BITS) if n_rows else shift
    passages = (pairs & ((np.uint64(1) << passage_bits) - np.uint64(1))).astype(np.int32)
    ptr = np.searchsorted(pairs >> passage_bits, np.arange(len(distinct) + 1, dtype=np.uint64))
    return Postings(distinct, ptr.astype(np.int64), passages, counts)


def merge_postings(old: Postings, renumbered: Int32, fresh: Postings) -> Postings:
    """The old rows under their new numbers, without those numbered -1, and the fresh rows among them.

    `renumbered` has the new number of each old passage, ascending but for the -1.
    """
    kept, passages, counts = old, old.passages, old.counts
    if len(renumbered) and not np.array_equal(renumbered, np.arange(len(renumbered), dtype=np.int32)):
        passages = renumbered[old.passages]
        gone = np.flatnonzero(passages < 0)
        if len(gone):
            of_term = np.searchsorted(old.ptr, gone, "right") - 1
            sizes = np.diff(old.ptr) - np.bincount(of_term, minlength=len(old.terms))
            kept = Postings(old.terms[sizes > 0], _pointers(sizes[sizes > 0]), passages, counts)
            passages, counts = np.delete(passages, gone), np.delete(counts.view(np.uint32)[:, 0], gone)
            counts = counts.view(np.uint8).reshape(-1, len(FIELDS))
    if not len(fresh.terms):
        return Postings(kept.terms, kept.ptr, passages, counts)
    if not len(kept.terms):
        return fresh
    return _merged(Postings(kept.terms, kept.ptr, passages, counts), fresh)


def _merged(old: Postings, fresh: Postings) -> Postings:
    """Two sets of postings as one; they have no passage in common."""
    slots = np.searchsorted(old.terms, fresh.terms)
    is_known = slots < len(old.terms)
    is_known[is_known] = old.terms[slots[is_known]] == fresh.terms[is_known]
    terms = np.insert(old.terms, slots[~is_known], fresh.terms[~is_known])
    ranks = np.searchsorted(terms, fresh.terms)
    sizes = np.zeros(len(terms), np.int64)
    old_ranks = np.delete(np.arange(len(terms)), ranks[~is_known])
    sizes[old_ranks] = np.diff(old.ptr)
    n_passages = 1 + max(int(old.passages.max()), int(fresh.passages.max()))
    old_rows = np.repeat(old_ranks * n_passages, np.diff(old.ptr)) + old.passages
    fresh_rows = np.repeat(ranks * n_passages, np.diff(fresh.ptr)) + fresh.passages
    places = np.searchsorted(old_rows, fresh_rows)
    sizes[ranks] += np.diff(fresh.ptr)
    counts = np.insert(old.counts.view(np.uint32)[:, 0], places, fresh.counts.view(np.uint32)[:, 0])
    return Postings(
        terms,
        _pointers(sizes),
        np.insert(old.passages, places, fresh.passages),
        counts.view(np.uint8).reshape(-1, len(FIELDS)),
    )


def _pointers(sizes: Int64) -> Int64:
    ptr = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=ptr[1:])
    return ptr


def _ranges(firsts: Sequence[int], sizes: Sequence[int]) -> Int32:
    """The numbers from each first on."""
    parts = [np.arange(first, first + size, dtype=np.int32) for first, size in zip(firsts, sizes, strict=True)]
    return _join(parts, np.int32)


def _join(parts: Sequence[npt.NDArray[Scalar]], kind: type[Scalar]) -> npt.NDArray[Scalar]:
    return np.concatenate(parts) if parts else np.zeros(0, kind)
