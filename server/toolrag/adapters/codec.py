"""An Analysis as bytes: what the parse process answers with and what the store keeps. JSON and raw arrays, no pickle.

4 bytes   length of the JSON that follows, big-endian
JSON      {spans, passages, references, problems, arrays: [length in items, …]}
arrays    little-endian, in the order of _ARRAYS
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from toolrag.symbols import Analysis, Bags, FileTerms, ParsedFile, Passage, Reference, Span
from toolrag.text import LineRange

CODEC_VERSION: Final = 1
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
                *((span.doc.start, span.doc.end) if span.doc else ()),
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
    """The analysis that `encode_analysis` was given. Raises ValueError for bytes that are not one's."""
    size = int.from_bytes(data[:4], "big")
    try:
        header = json.loads(data[4 : 4 + size])
        arrays = list(_arrays(data, 4 + size, header["arrays"]))
        parsed = ParsedFile(
            spans=tuple(_span(row) for row in header["spans"]),
            passages=tuple(Passage(span, LineRange(start, end)) for span, start, end in header["passages"]),
            references=tuple(Reference(*row) for row in header["references"]),
            problems=tuple(header["problems"]),
        )
    except (KeyError, TypeError) as error:
        raise ValueError(f"not an analysis: {error}") from None
    terms = FileTerms(Bags(*arrays[0:3]), Bags(*arrays[3:6]), Bags(*arrays[6:9]), arrays[9])
    return Analysis(parsed, terms)


def _span(row: list[Any]) -> Span:
    name, container, kind, start, end, header_start, header_stop, header_end, *doc = row
    return Span(
        name,
        container,
        kind,
        LineRange(start, end),
        LineRange(header_start, header_stop),
        header_end,
        LineRange(*doc) if doc else None,
    )


def _arrays(data: bytes, offset: int, lengths: list[int]) -> Iterator[npt.NDArray[Any]]:
    for kind, length in zip(_ARRAYS, lengths, strict=True):
        yield np.frombuffer(data, kind, length, offset)
        offset += length * kind.itemsize
    if offset != len(data):
        raise ValueError("not an analysis: its length is wrong")
