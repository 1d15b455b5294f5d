"""The claims of one run on their way out: each told when it is verified, all verified again after the last word.

Pure; awaits ports.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from toolrag.answer.drafting import Written, resolve
from toolrag.answer.naming import Vocabulary, joined
from toolrag.answer.reading import RangeReader
from toolrag.answer.types import Citation, Claim, Draft
from toolrag.answer.verify import Verified, verify, vocabulary_of
from toolrag.answer.watch import Watch
from toolrag.ports import DocumentSource
from toolrag.text import LineRange, TextSnapshot

SymbolOf = Callable[[TextSnapshot, LineRange], Awaitable[str]]
"""The qualified name of the symbol that lines of a text belong to; empty where there is none."""

NOTHING: Final = Verified((), (), ())


@dataclass(slots=True)
class _Item:
    """A claim as the model wrote it."""

    id: str
    text: str
    draft: Draft | None
    why: str
    """Why it does not stand; empty while it does."""
    is_told: bool = False


class Claims:
    """One run's. A claim keeps its id from the moment it is told to the answer."""

    def __init__(self, reader: RangeReader, documents: DocumentSource, watch: Watch, symbol_of: SymbolOf) -> None:
        self._reader = reader
        self._documents = documents
        self._watch = watch
        self._symbol_of = symbol_of
        self._count = 0
        self._kept: list[_Item] = []
        """Of earlier replies: those that stood."""
        self._current: list[_Item] = []
        """Of the last reply."""
        self._vocabularies: dict[str, Vocabulary] = {}
        """Of each piece of evidence: taking its text apart once a claim would hold up whoever shares the thread."""
        self._citation_ids: dict[tuple[str, LineRange, str], str] = {}

    @property
    def any_written(self) -> bool:
        """Whether the last reply has a claim in it."""
        return bool(self._current)

    @property
    def failed(self) -> list[tuple[str, str]]:
        """Claims that did not stand when they were last checked: text, and why."""
        return [(one.text, one.why) for one in [*self._kept, *self._current] if one.why]

    async def hear(self, written: Sequence[Written]) -> None:
        """More of the last reply is there: what stands now is told."""
        evidence = {one.id: one for one in self._reader.evidence}
        for one in written:
            self._count += 1
            draft = resolve(one, evidence)
            identity = f"c{self._count}"
            if isinstance(draft, str):
                item = _Item(identity, one.raw, None, draft)
            else:
                item = _Item(identity, one.raw, draft, "")
            self._current.append(item)
            await self._verify([item])

    async def check(self) -> Verified:
        """All of them against texts read now; what no longer stands is withdrawn."""
        return await self._verify([*self._kept, *self._current])

    def forget(self) -> None:
        """The last reply is no answer: what was told of it is withdrawn."""
        self._withdraw(self._current)
        self._current = []

    def forget_all(self) -> None:
        """There will be no answer."""
        self._withdraw([*self._kept, *self._current])
        self._kept, self._current = [], []

    def keep_standing(self) -> None:
        """The last reply goes back for what failed of it; the rest stays."""
        self._kept = [one for one in [*self._kept, *self._current] if not one.why]
        self._current = []

    async def _verify(self, items: Sequence[_Item]) -> Verified:
        """The claims and citations of those that stand; each item learns why it does not."""
        able = [one for one in items if one.draft is not None]
        drafts = [one.draft for one in able if one.draft is not None]
        found = await verify(drafts, self._reader.evidence, self._documents, everything=self._everything())
        whys = {id(dropped.draft): dropped.why for dropped in found.dropped}
        for one in able:
            one.why = whys.get(id(one.draft), "")
        standing = [one for one in able if not one.why]
        ids = {citation.id: self._citation_id(citation) for citation in found.citations}
        citations = tuple([await self._named(one, ids[one.id]) for one in found.citations])
        claims = tuple(
            replace(claim, id=item.id, citations=tuple(ids[cited] for cited in claim.citations))
            for item, claim in zip(standing, found.claims, strict=True)
        )
        self._tell(standing, claims, citations)
        self._withdraw([one for one in items if one.why])
        return Verified(claims, citations, found.dropped)

    def _everything(self) -> Vocabulary:
        for one in self._reader.evidence:
            if one.id not in self._vocabularies:
                self._vocabularies[one.id] = vocabulary_of([one])
        return joined(list(self._vocabularies.values()))

    async def _named(self, citation: Citation, identity: str) -> Citation:
        return replace(citation, id=identity, symbol=await self._symbol_of(citation.snapshot, citation.lines))

    def _citation_id(self, citation: Citation) -> str:
        key = (citation.snapshot.uri, citation.lines, citation.lines_sha)
        return self._citation_ids.setdefault(key, f"r{len(self._citation_ids) + 1}")

    def _tell(self, standing: Sequence[_Item], claims: Sequence[Claim], citations: Sequence[Citation]) -> None:
        new = [claim for item, claim in zip(standing, claims, strict=True) if not item.is_told]
        if new:
            cited = {one for claim in new for one in claim.citations}
            self._watch.claims(new, [one for one in citations if one.id in cited], ())
        for item in standing:
            item.is_told = True

    def _withdraw(self, items: Sequence[_Item]) -> None:
        told = [one for one in items if one.is_told]
        if told:
            self._watch.claims((), (), [one.id for one in told])
        for one in told:
            one.is_told = False
