"""What the table of `languages` says of one language. Pure data; nothing here is about any particular one."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Language:
    """What is known of a language beside its query."""

    name: str
    suffixes: tuple[str, ...]
    """Lower case, with their dot."""

    grammar: tuple[str, str] | None
    """The module that brings the grammar, and its function that gives it; None for what a reader of ours reads."""

    file_names: tuple[str, ...] = ()
    """Whole names of files without a telling suffix, in lower case."""

    shebangs: tuple[str, ...] = ()
    """Programs a first line may name, without version digits."""

    comments: tuple[str, ...] = ()
    """What begins a comment that runs to the end of its line."""

    docstrings: bool = False
    """A string that follows an assignment documents it, and docs have their own markup, not tags (PEP 257)."""

    path_separator: str = "."
    """Stands between the names of enclosing symbols."""

    block_comments: tuple[tuple[str, str], ...] = ()
    """What begins a comment of several lines, as a regular expression, and what ends it."""

    name_separators: tuple[str, ...] = ()
    """What stands between the scope and the name where one name says both: `A::f`."""

    indented: bool = False
    """Indentation tells its blocks, so that a body can be read as statements (`answer.statements`)."""

    shared_queries: tuple[str, ...] = ()
    """Queries that it has in common with other languages, without suffix; read before its own."""

    @property
    def queries(self) -> tuple[str, ...]:
        """Names of its queries' files in `queries/`, in the order they are read; none without a grammar."""
        if self.grammar is None:
            return ()
        return tuple(f"{name}.scm" for name in (*self.shared_queries, self.name))
