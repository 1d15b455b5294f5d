"""Find a symbol of one text in another version of it. Pure."""

from __future__ import annotations

from toolrag.symbols import ParsedFile, Span


def find_symbol(parsed: ParsedFile, span: Span) -> Span | None:
    """The span of the same name, container and kind; None when there is none, or more than one."""
    wanted = (span.name, span.container, span.kind)
    same = [other for other in parsed.spans if (other.name, other.container, other.kind) == wanted]
    return same[0] if len(same) == 1 else None


def parent_of(parsed: ParsedFile, span: Span) -> Span | None:
    """The innermost symbol that holds all of this one."""
    around = [other for other in parsed.spans if other is not span and span.lines in other.lines and other != span]
    return min(around, key=lambda other: len(other.lines), default=None)
