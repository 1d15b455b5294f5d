"""Names the form in which this version parses and counts: analyses of another form are not used."""

from __future__ import annotations

import hashlib
from importlib.resources import files
from typing import Final

import toolrag
from toolrag.adapters.codec import CODEC_VERSION

_MODULES: Final = ("languages", "outline", "passages", "spans", "syntax", "terms", "tokens")


def analysis_fingerprint() -> str:
    """A digest of the code and queries that make an analysis of a text; any change of them is another form."""
    digest = hashlib.sha256(f"{toolrag.__version__} {CODEC_VERSION}".encode())
    package = files("toolrag.retrieval")
    for resource in [
        *(package / f"{name}.py" for name in _MODULES),
        *sorted((package / "queries").iterdir(), key=lambda query: query.name),
    ]:
        if resource.is_file():
            digest.update(resource.read_bytes())
    return digest.hexdigest()[:16]
