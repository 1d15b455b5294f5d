"""What a parsed file is made of. Pure data; line numbers are 0-based and half-open.

No text is kept beside names: signature, doc and body are cut from a snapshot whose sha agrees, when they are needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from toolrag.text import LineRange

Kind = Literal[
    "class", "constant", "field", "function", "method", "module", "section", "type"
]  # in the words of LSP's SymbolKind where it has one; a section is a Markdown heading with what follows it
ReferenceKind = Literal["call", "base"]


@dataclass(frozen=True, slots=True)
class Span:
    """A symbol's lines, from its doc comment or first decorator to the last line of its body."""

    name: str
    container: str
    """Names of the enclosing symbols from the outside in, joined by `.` (` > ` for sections); empty at the top."""
    kind: Kind
    lines: LineRange
    header: LineRange
    """The signature's lines: from the `def` or `class` line to the one that opens the body."""
    header_end: int
    """Characters of the header's last line that belong to the signature."""
    doc: LineRange | None = None
    """The doc comment's or docstring's lines."""

    @property
    def qualified_name(self) -> str:
        """Container and name, as a person would say them."""
        if not self.container:
            return self.name
        joint = " > " if self.kind == "section" else " " if self.name.startswith(".") else "."
        return f"{self.container}{joint}{self.name}"


@dataclass(frozen=True, slots=True)
class Passage:
    """What is searched: a run of lines, part of a span or of the file's top level.

    Passages of one file do not overlap and together cover every line that is not blank, except that a constant is
    also a passage of its own.
    """

    span: int | None
    """Index into the file's spans; None for lines of the top level."""
    lines: LineRange


@dataclass(frozen=True, slots=True)
class Reference:
    """A place where a name is called, or stands as a base class. By name only: nothing is resolved."""

    name: str
    line: int
    kind: ReferenceKind
    span: int | None
    """The innermost span around it; None at the top level."""


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """Everything the index knows of one text. `problems` are sentences: parsing itself never fails."""

    spans: tuple[Span, ...]
    passages: tuple[Passage, ...]
    references: tuple[Reference, ...]
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Bags:
    """Bags of terms, one a passage, as a sparse matrix by rows: passage i has entries `ptr[i]` to `ptr[i + 1]`."""

    ptr: npt.NDArray[np.int32]
    terms: npt.NDArray[np.uint64]
    """Hashes of tokens (`retrieval.tokens.term_hash`), ascending within a bag."""
    counts: npt.NDArray[np.uint32]


@dataclass(frozen=True, eq=False)
class FileTerms:
    """The lexical side of a parsed file: bags for each field of its passages, in their order."""

    name: Bags
    scope: Bags
    body: Bags
    text_ids: npt.NDArray[np.int64]
    """What each passage's vector is kept by: 63 bits of the SHA-256 of its text with line ends folded."""


@dataclass(frozen=True, eq=False)
class Analysis:
    """What the parse process gives for one text."""

    parsed: ParsedFile
    terms: FileTerms
