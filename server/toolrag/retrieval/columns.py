"""Columns of a corpus out of files' analyses, row by row: names as hashes, roles, symbols and calls. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, get_args

import numpy as np
import numpy.typing as npt

from toolrag.retrieval.tokens import plain_name, term_hash
from toolrag.symbols import Analysis, Kind, Span

Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
UInt8 = npt.NDArray[np.uint8]
UInt64 = npt.NDArray[np.uint64]

DEFINING_KINDS: Final[frozenset[Kind]] = frozenset({"class", "function", "method", "type"})
"""Kinds whose exact name counts in full; a constant's or a heading's counts less."""

# What a passage is, as bits of `Corpus.roles`.
DEFINES: Final = 1
"""Its span's kind is one of DEFINING_KINDS."""
CONSTANT: Final = 2
BODILESS: Final = 4
"""It is a function's signature and no more: a prototype, an abstract method, or all on one line."""

KINDS: Final[tuple[Kind, ...]] = get_args(Kind)
"""A symbol's kind is kept as its place here."""


def last_name(name: str) -> str:
    """The last part of a dotted or scoped name."""
    if name.isidentifier():
        return name
    for mark in ("::", "#", ".", "\\", "->"):
        name = name.rsplit(mark, 1)[-1]
    return name.strip()


def passages_in(analyses: Sequence[Analysis]) -> tuple[UInt64, UInt64, UInt8, Int64]:
    """Hash of the last name, hash of its plain name, role and text id of each passage."""
    exact, plain, roles = [], [], []
    for analysis in analyses:
        by_span = [_role(span) for span in analysis.parsed.spans]
        for passage in analysis.parsed.passages:
            name_hash, plain_hash, role = (0, 0, 0) if passage.span is None else by_span[passage.span]
            exact.append(name_hash)
            plain.append(plain_hash)
            roles.append(role)
    text_ids = np.concatenate([np.zeros(0, np.int64), *(analysis.terms.text_ids for analysis in analyses)])
    return np.array(exact, np.uint64), np.array(plain, np.uint64), np.array(roles, np.uint8), text_ids


def _role(span: Span) -> tuple[int, int, int]:
    name = last_name(span.name)
    role = DEFINES if span.kind in DEFINING_KINDS else CONSTANT if span.kind == "constant" else 0
    if span.kind in ("function", "method") and span.header.end >= span.lines.end:
        role |= BODILESS
    plain = plain_name(name)
    return term_hash(name) if name else 0, term_hash(plain) if plain else 0, role


def symbols_in(files: Sequence[int], analyses: Sequence[Analysis]) -> tuple[UInt64, Int32, Int32]:
    """Hash of every symbol's last name, its file's number, and the values of `Corpus.symbols`."""
    rows = [
        (
            *(term_hash(last_name(span.name)), file, ordinal, span.header.start, KINDS.index(span.kind)),
            *_halves(term_hash(span.container)),
        )
        for file, analysis in zip(files, analyses, strict=True)
        for ordinal, span in enumerate(analysis.parsed.spans)
    ]
    return _columns(rows, 5)


def labels_in(analyses: Sequence[Analysis]) -> dict[int, str]:
    """Every last name and container of their symbols, by hash."""
    labels: dict[int, str] = {}
    for analysis in analyses:
        for span in analysis.parsed.spans:
            for label in (last_name(span.name), span.container):
                labels[term_hash(label)] = label
    return labels


def containers(values: Int32) -> UInt64:
    """`term_hash` of each symbol's container, out of the values of `Corpus.symbols`."""
    halves = np.ascontiguousarray(values[:, 3:5]).astype(np.int32, copy=False)
    return halves.view(np.uint32).astype(np.uint64) @ np.array([1 << 32, 1], np.uint64)


def merge_labels(names: UInt64, values: Int32, *parts: tuple[UInt64, Sequence[str]]) -> tuple[UInt64, tuple[str, ...]]:
    """What the hashes of these symbols stand for, ascending, out of parts that are ascending too."""
    wanted = np.unique(np.concatenate([names, containers(values)]))
    found = np.full(len(wanted), "", object)
    for keys, labels in parts:
        if len(keys):
            at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
            has = keys[at] == wanted
            found[has] = np.array(labels, object)[at[has]]
    return wanted, tuple(found.tolist())


def _halves(value: int) -> tuple[int, int]:
    """64 bits as two signed numbers of 32, upper first."""
    high, low = value >> 32, value & 0xFFFFFFFF
    return high - ((high >> 31) << 32), low - ((low >> 31) << 32)


def calls_in(files: Sequence[int], analyses: Sequence[Analysis]) -> tuple[UInt64, Int32, Int32]:
    """Hash of every called name, its file's number, its line and the span around it, or -1."""
    rows = [
        (term_hash(reference.name), file, reference.line, -1 if reference.span is None else reference.span)
        for file, analysis in zip(files, analyses, strict=True)
        for reference in analysis.parsed.references
        if reference.kind == "call"
    ]
    return _columns(rows, 2)


def _columns(rows: Sequence[tuple[int, ...]], n_values: int) -> tuple[UInt64, Int32, Int32]:
    names = np.array([row[0] for row in rows], np.uint64)
    rest = np.array([row[1:] for row in rows], np.int32).reshape(len(rows), 1 + n_values)
    return names, rest[:, 0].copy(), rest[:, 1:].copy()
