"""Why a passage was found, in a few words a person can check. Pure."""

from __future__ import annotations

from toolrag.retrieval.corpus import last_name
from toolrag.retrieval.paths import path_tokens
from toolrag.retrieval.query import Query
from toolrag.retrieval.terms import hashes
from toolrag.retrieval.tokens import identifier_tokens, question_words
from toolrag.symbols import Analysis, Bags


def reasons_for(query: Query, path: str, analysis: Analysis, ordinal: int) -> tuple[str, ...]:
    """Such as `exact name`, `“cache” in name, path`, `“retry” in body`: exact names, then each word of the query."""
    at = analysis.parsed.passages[ordinal].span
    name = "" if at is None else last_name(analysis.parsed.spans[at].name)
    reasons = ["exact name"] if name in query.names else []
    fields = {
        "name": _terms(analysis.terms.name, ordinal),
        "scope": _terms(analysis.terms.scope, ordinal),
        "path": set(hashes(path_tokens(path))),
        "body": _terms(analysis.terms.body, ordinal),
    }
    for word in question_words(query.text):
        wanted = set(hashes(identifier_tokens(word)))
        # A name stands in the body too: the body is only worth saying when it is the only place.
        places = [field for field in ("name", "scope", "path") if wanted & fields[field]]
        if not places and wanted & fields["body"]:
            places = ["body"]
        if places:
            reasons.append(f"“{word}” in {', '.join(places)}")
    return tuple(reasons) or ("similar words",)


def _terms(field: Bags, row: int) -> set[int]:
    return set(field.terms[field.ptr[row] : field.ptr[row + 1]].tolist())
