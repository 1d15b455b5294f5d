"""An Analysis as bytes: what the parse process answers with and what the store keeps. JSON and raw arrays, no pickle.

4 bytes   length of the JSON that follows, big-endian
JSON      {spans, passages, references, problems, arrays: [length in items, …]}
arrays    little-endian, in the order of _ARRAYS
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final, get_args

import numpy as np
import numpy.typing as npt

from toolrag.symbols import Analysis, Bags, FileTerms, Kind, ParsedFile, Passage, Reference, ReferenceKind, Span
from toolrag.text import LineRange

CODEC_VERSION: Final = 1
_KINDS: Final = frozenset(get_args(Kind))
_REFERENCE_KINDS: Final = frozenset(get_args(ReferenceKind))
_BAG: Final[tuple[np.dtype[Any], ...]] = (np.dtype("<i4"), np.dtype("<u8"), np.dtype("<u4"))
_ARRAYS: Final[tuple[np.dtype[Any], ...]] = (*_BAG, *_BAG, *_BAG, np.dtype("<i8"))


def encode_analysis(analysis: Analysis) -> bytes:
    """The bytes of an analysis; `decode_analysis` gives it back equal."""
    parsed, terms = analysis.parsed, analysis.terms
    arrays = [
        np.ascontiguousarray(array, kind)
        for array, kind in zip(
            [
                *(part for bag in (terms.name, terms.scope, terms.body) for part in (bag.ptr, bag.terms, bag.counts)),
                terms.text_ids,
            ],
            _ARRAYS,
            strict=True,
        )
    ]
    header = {
        "spans": [
            [
                *(span.name, span.container, span.kind, span.lines.start, span.lines.end),
                *(span.header.start, span.header.end, span.header_end),
                *((span.doc.start, span.doc.end) if span.doc is not None else ()),
            ]
            for span in parsed.spans
        ],
        "passages": [[passage.span, passage.lines.start, passage.lines.end] for passage in parsed.passages],
        "references": [[one.name, one.line, one.kind, one.span] for one in parsed.references],
        "problems": parsed.problems,
        "arrays": [len(array) for array in arrays],
    }
    head = json.dumps(header, separators=(",", ":")).encode()
    return b"".join([len(head).to_bytes(4, "big"), head, *(array.tobytes() for array in arrays)])


def decode_analysis(data: bytes) -> Analysis:
    """The analysis that `encode_analysis` was given. Raises ValueError for bytes that are not one's.

    What it gives can be followed without a further look: indices lead somewhere, ranges are ranges, names are text.
    Whether the lines are in the text only the text can say.
    """
    size = int.from_bytes(data[:4], "big")
    try:
        header = json.loads(data[4 : 4 + size])
        arrays = list(_arrays(data, 4 + size, header["arrays"]))
        parsed = ParsedFile(
            spans=tuple(_span(row) for row in header["spans"]),
            passages=tuple(Passage(span, _lines(*lines)) for span, *lines in header["passages"]),
            references=tuple(Reference(*row) for row in header["references"]),
            problems=tuple(header["problems"]),
        )
        terms = FileTerms(Bags(*arrays[0:3]), Bags(*arrays[3:6]), Bags(*arrays[6:9]), arrays[9])
        _check(parsed, terms)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"not an analysis: {error}") from None
    return Analysis(parsed, terms)


def _check(parsed: ParsedFile, terms: FileTerms) -> None:
    """Raises ValueError or TypeError for what `encode_analysis` could not have been given."""
    n_spans, n_passages = len(parsed.spans), len(parsed.passages)
    owners = {one.span for one in parsed.passages} | {one.span for one in parsed.references}
    texts = [*(one.name for one in parsed.references), *parsed.problems]
    sound = (
        all(isinstance(span.name, str) and isinstance(span.container, str) for span in parsed.spans)
        and {span.kind for span in parsed.spans} <= _KINDS
        and all(type(span.header_end) is int for span in parsed.spans)
        and {one.kind for one in parsed.references} <= _REFERENCE_KINDS
        and all(type(one.line) is int and one.line >= 0 for one in parsed.references)
        and all(isinstance(text, str) for text in texts)
        and all(owner is None or (type(owner) is int and 0 <= owner < n_spans) for owner in owners)
        and len(terms.text_ids) == n_passages
        and all(_is_sound(bag, n_passages) for bag in (terms.name, terms.scope, terms.body))
    )
    if not sound:
        raise ValueError("its parts do not fit together")


def _is_sound(bag: Bags, n_rows: int) -> bool:
    return (
        len(bag.ptr) == n_rows + 1
        and bag.ptr[0] == 0
        and bag.ptr[-1] == len(bag.terms) == len(bag.counts)
        and bool((bag.ptr[1:] >= bag.ptr[:-1]).all())
    )


def _span(row: list[Any]) -> Span:
    name, container, kind, start, end, header_start, header_stop, header_end, *doc = row
    return Span(
        name,
        container,
        kind,
        _lines(start, end),
        _lines(header_start, header_stop),
        header_end,
        _lines(*doc) if doc else None,
    )


def _lines(start: Any, end: Any) -> LineRange:
    if type(start) is not int or type(end) is not int:
        raise TypeError(f"lines {start!r} to {end!r}")
    return LineRange(start, end)


def _arrays(data: bytes, offset: int, lengths: list[int]) -> Iterator[npt.NDArray[Any]]:
    for kind, length in zip(_ARRAYS, lengths, strict=True):
        if length < 0:
            raise ValueError("an array has no such length")  # to NumPy -1 is all there is
        yield np.frombuffer(data, kind, length, offset)
        offset += length * kind.itemsize
    if offset != len(data):
        raise ValueError("its length is wrong")
