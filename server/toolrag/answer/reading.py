"""`read_range`: the one door to file text, and the run's ledger of what it returned (PROTOCOL section 1). Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeGuard

from toolrag.answer.types import Evidence, Usage
from toolrag.config import Budget, ReadLimits
from toolrag.errors import ReadError
from toolrag.ports import Candidate, DocumentSource, SpanParser
from toolrag.retrieval.symbols_in import find_symbol
from toolrag.text import LineRange, TextSnapshot


@dataclass(frozen=True, slots=True)
class ReadResult:
    """A successful read: the lines, and the evidence they became."""

    evidence: Evidence
    text: str
    """The exact characters of the lines, each with its line end."""
    lines_sha: str

    def wire(self) -> dict[str, object]:
        """The members of PROTOCOL section 1; `version` only where an editor has one."""
        snapshot, lines = self.evidence.snapshot, self.evidence.lines
        version = {} if snapshot.version is None else {"version": snapshot.version}
        return {
            "path": snapshot.path,
            "root": snapshot.root,
            "uri": snapshot.uri,
            "start": lines.start + 1,
            "end": lines.end,
            "sha": snapshot.sha,
            "linesSha": self.lines_sha,
            "source": snapshot.source,
            **version,
            "dirty": snapshot.dirty,
            "text": self.text,
            "evidenceId": self.evidence.id,
            "totalLines": snapshot.text.n_lines,
            "redactions": [],
        }


class RangeReader:
    """Reads ranges for one run, within its budget, and keeps the evidence."""

    def __init__(self, documents: DocumentSource, parser: SpanParser, limits: ReadLimits, budget: Budget) -> None:
        self._documents = documents
        self._parser = parser
        self._limits = limits
        self._budget = budget
        self._candidates: list[Candidate] = []
        self._evidence: list[Evidence] = []
        self._calls = 0
        self._bytes = 0

    def expect(self, candidates: Iterable[Candidate]) -> None:
        """Candidates of this run: when one turns out stale, the error says where its symbol stands now."""
        self._candidates += candidates

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """Everything read so far, in order."""
        return tuple(self._evidence)

    def usage(self, seconds: float) -> Usage:
        """What was spent so far."""
        return Usage(
            tool_calls=self._calls, reads=len(self._evidence), bytes_read=self._bytes, seconds=round(seconds, 3)
        )

    async def read_range(self, path: str, start: object, end: object, expect_sha: str | None = None) -> ReadResult:
        """Lines `start` to `end`, 1-based and inclusive, of one document as it is now.

        Raises ReadError, any code of PROTOCOL section 1. A failed read makes no evidence.
        """
        self._check_reads(self._calls < self._budget.tool_calls)
        self._calls += 1
        snapshot = await self._documents.snapshot(path)
        if expect_sha is not None and snapshot.sha != expect_sha:
            raise await self._stale(snapshot, expect_sha)
        lines = self._range(snapshot, start, end)
        text = snapshot.text.slice(lines)
        size = len(text.encode("utf-8", "surrogatepass"))
        if size > self._limits.max_bytes:
            most = f"a read gives at most {self._limits.max_bytes:,}"
            message = f"These lines are {size:,} bytes and {most}; ask for fewer."
            if len(lines) == 1:
                message = f"Line {lines.end:,} is {size:,} bytes and {most}; leave it out."
            raise ReadError("too_large", message, totalLines=snapshot.text.n_lines)
        self._check_reads(True)  # others may have been reading while this one waited for its document
        if self._bytes + size > self._budget.bytes:
            raise ReadError(
                "budget_spent", "This run has too few bytes left for these lines; answer from what was read."
            )
        self._bytes += size
        evidence = Evidence(f"e{len(self._evidence) + 1}", snapshot, lines)
        self._evidence.append(evidence)
        return ReadResult(evidence, text, snapshot.text.sha_of(lines))

    def _check_reads(self, may_call: bool) -> None:
        if not may_call or len(self._evidence) >= self._budget.reads:
            raise ReadError("budget_spent", "This run has used up its reads; answer from what was read.")

    def _range(self, snapshot: TextSnapshot, start: object, end: object) -> LineRange:
        total = snapshot.text.n_lines
        name = snapshot.path
        if not _is_whole(start) or not _is_whole(end):
            message = f"start and end are line numbers, such as 1 and 20; {name} has {_lines(total)}."
            raise ReadError("range_invalid", message, totalLines=total)
        if start < 1 or end < start:
            message = f"Lines are counted from 1 and end comes after start; {name} has {_lines(total)}."
            raise ReadError("range_invalid", message, totalLines=total)
        if end - start >= self._limits.max_lines:
            message = (
                f"A read gives at most {self._limits.max_lines:,} lines; ask for fewer of the {total:,} of {name}."
            )
            raise ReadError("too_large", message, totalLines=total)
        if end > total:
            within = "line 1" if total == 1 else f"lines within 1-{total}"
            raise ReadError("range_invalid", f"{name} has {_lines(total)}; ask for {within}.", totalLines=total)
        return LineRange(start - 1, end)

    async def _stale(self, snapshot: TextSnapshot, expected: str) -> ReadError:
        """The error for a text that changed; nothing is cut with numbers that were true of another text."""
        for candidate in self._candidates:
            if candidate.uri == snapshot.uri and candidate.sha == expected and candidate.span is not None:
                analysis = await self._parser.parse(snapshot.text.content, candidate.language)
                now = find_symbol(analysis.parsed, candidate.span)
                if now is not None:
                    lines = {"start": now.lines.start + 1, "end": now.lines.end}
                    message = (
                        f"{snapshot.path} has changed; {candidate.span.qualified_name} stands at lines "
                        f"{lines['start']}-{lines['end']} now: read those with the new sha."
                    )
                    return ReadError("stale_blob", message, sha=snapshot.sha, lines=lines)
        return ReadError(
            "stale_blob",
            f"{snapshot.path} is another text now, with the sha {snapshot.sha}; read it with that, or without one.",
            sha=snapshot.sha,
        )


def _is_whole(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _lines(count: int) -> str:
    return f"{count:,} line{'' if count == 1 else 's'}"
