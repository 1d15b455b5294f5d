"""Names the form of what is kept: an analysis, or a corpus, that another form of the code made is not used."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from typing import Final

import toolrag
from toolrag.adapters.codec import CODEC_VERSION
from toolrag.retrieval.languages import LANGUAGES

_MODULES: Final = ("text", "symbols")
_RETRIEVAL: Final = tuple(
    "headings language language_table languages outline passages prose rst sentences spans syntax terms tokens".split()
)


@cache
def analysis_fingerprint() -> str:
    """A digest of the code, queries and grammars that make an analysis of a text; any change is another form."""
    digest = hashlib.sha256(f"{toolrag.__version__} {CODEC_VERSION}".encode())
    grammars = sorted(language.grammar[0] for language in LANGUAGES.values() if language.grammar)
    for distribution in ["tree-sitter", *grammars]:
        digest.update(f" {distribution} {version(distribution)}".encode())
    package = files("toolrag")
    retrieval = package / "retrieval"
    for resource in [
        *(package / f"{name}.py" for name in _MODULES),
        *(retrieval / f"{name}.py" for name in _RETRIEVAL),
        *sorted((retrieval / "queries").iterdir(), key=lambda query: query.name),
    ]:
        if resource.is_file():
            digest.update(resource.read_bytes())
    return digest.hexdigest()[:16]


@cache
def corpus_fingerprint() -> str:
    """A digest of the code that makes a corpus of analyses."""
    digest = hashlib.sha256(analysis_fingerprint().encode())
    for name in ("columns", "corpus", "file_names", "paths", "postings", "tables"):
        digest.update((files("toolrag.retrieval") / f"{name}.py").read_bytes())
    return digest.hexdigest()[:16]
