"""Count the terms of a parsed file, passage by passage: the lexical side of an Analysis. Pure.

Runs in the parse process, so that the index thread only concatenates arrays.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

from toolrag.ports import Embeddable
from toolrag.retrieval.tokens import IDENTIFIER, identifier_tokens, term_hash
from toolrag.symbols import Analysis, Bags, FileTerms, ParsedFile
from toolrag.text import Text, fold


def file_terms(text: Text, parsed: ParsedFile) -> FileTerms:
    """The bags of each passage's name, scope and body, and the hash of its text."""
    names, scopes, bodies, ids = [], [], [], []
    for passage in parsed.passages:
        span = None if passage.span is None else parsed.spans[passage.span]
        body = text.slice(passage.lines)
        names.append(count_terms(span.name if span else ""))
        scopes.append(count_terms(span.container if span else ""))
        bodies.append(count_terms(body))
        ids.append(text_id(body))
    return FileTerms(bags(names), bags(scopes), bags(bodies), np.array(ids, np.int64))


def text_id(text: str) -> int:
    """What a passage's vector is kept by: the first 63 bits of the SHA-256 of its text with line ends folded.

    63, so that it is a positive integer in SQLite and a label in hnswlib.
    """
    digest = hashlib.sha256(fold(text).encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:8], "big") >> 1


def count_terms(text: str) -> dict[int, int]:
    """How often each term (`term_hash` of a token) occurs in a text."""
    counts: dict[int, int] = {}
    for identifier, times in Counter(IDENTIFIER.findall(text)).items():
        for token in identifier_tokens(identifier):
            term = term_hash(token)
            counts[term] = counts.get(term, 0) + times
    return counts


def bags(counted: Sequence[Mapping[int, int]]) -> Bags:
    """Counts as a sparse matrix, a row each, terms ascending within a row."""
    ptr = np.zeros(len(counted) + 1, np.int32)
    np.cumsum([len(counts) for counts in counted], out=ptr[1:])
    rows = [sorted(counts.items()) for counts in counted]
    return Bags(
        ptr,
        np.array([term for row in rows for term, _ in row], np.uint64),
        np.array([count for row in rows for _, count in row], np.uint32),
    )


def embeddable_passages(text: Text, analysis: Analysis) -> list[Embeddable]:
    """Every passage of a file as an embedder wants it."""
    body = analysis.terms.body
    weights = np.log1p(body.counts).astype(np.float32)
    return [
        Embeddable(text.slice(passage.lines), body.terms[first:last], weights[first:last])
        for passage, first, last in zip(analysis.parsed.passages, body.ptr[:-1], body.ptr[1:], strict=True)
    ]


def embeddable_question(question: str, question_tokens: Iterable[str], idf: Callable[[str], float]) -> Embeddable:
    """A question as an embedder wants it; its squared idf stands for the idf on both sides of the product.

    The passages' side has none, so that a stored vector stays right while the corpus grows.
    """
    found = list(question_tokens)
    return Embeddable(
        question, np.array(hashes(found), np.uint64), np.array([idf(token) ** 2 for token in found], np.float32)
    )


def hashes(tokens: Iterable[str]) -> list[int]:
    """The term of each token."""
    return [term_hash(token) for token in tokens]
