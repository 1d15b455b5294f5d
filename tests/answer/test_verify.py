"""Nothing leaves but claims whose lines were read in this run and still stand, whatever the drafts say."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import replace

import pytest
from answer_doubles import evidence_of, uri
from doubles import MemoryDocuments
from hypothesis import given, settings
from hypothesis import strategies as st
from toolrag.answer.types import Cut, Draft, Evidence
from toolrag.answer.verify import EXTRACTIVE_MAX_LINES, MAX_LINES, Verified, verify
from toolrag.errors import ReadError
from toolrag.text import LineRange, TextSnapshot

A = "import os\n\n\ndef alpha(x):\n    return beta(x)\n\n\ndef beta(y):\n    return y + 1\n"
FILES = {
    "a.py": A,
    "twin.py": A,
    "b.py": "LIMIT = 7\nNAME = 'seven'\n",
    "long.py": "word = 1\n" + "x\n" * 10 + "near\n" + "x\n" * 27 + "far()\n" * 21,
}


def snapshot(path: str, files: dict[str, str] | None = None) -> TextSnapshot:
    return asyncio.run(MemoryDocuments(files or FILES).snapshot(path))


def cut(evidence: Evidence, start: int, end: int) -> Cut:
    return Cut(evidence, LineRange(start - 1, end))


def verified(
    drafts: Sequence[Draft], evidence: Sequence[Evidence], files: dict[str, str] | None = None, max_lines: int = 40
) -> Verified:
    return asyncio.run(verify(drafts, evidence, MemoryDocuments(FILES if files is None else files), max_lines))


def why(text: str, cuts: Sequence[Cut], evidence: Sequence[Evidence], max_lines: int = MAX_LINES) -> str:
    """Why the one draft was dropped."""
    found = verified([Draft(text, tuple(cuts))], evidence, max_lines=max_lines)
    assert not found.claims
    assert not found.citations
    return found.dropped[0].why


[EVERYTHING] = evidence_of(snapshot("a.py"), [(1, 10)])


def test_a_claim_leaves_with_its_citations_in_order_of_first_use() -> None:
    one = Draft("`alpha` returns `beta`.", (cut(EVERYTHING, 5, 5), cut(EVERYTHING, 4, 4)))
    two = Draft("`alpha` takes `x`.", (cut(EVERYTHING, 4, 4),))
    found = verified([one, two], [EVERYTHING])
    assert [(claim.id, claim.citations) for claim in found.claims] == [("c1", ("r1", "r2")), ("c2", ("r2",))]
    assert [(one.id, one.lines) for one in found.citations] == [("r1", LineRange(4, 5)), ("r2", LineRange(3, 4))]
    assert not found.dropped


def test_a_cut_named_twice_is_cited_once() -> None:
    found = verified([Draft("`alpha`", (cut(EVERYTHING, 4, 4),) * 3)], [EVERYTHING])
    assert found.claims[0].citations == ("r1",)


def test_a_dropped_draft_leaves_no_gap_in_the_numbers() -> None:
    good = Draft("`alpha`", (cut(EVERYTHING, 4, 4),))
    found = verified([Draft("`gamma`", (cut(EVERYTHING, 5, 5),)), good], [EVERYTHING])
    assert [claim.id for claim in found.claims] == ["c1"]
    assert [citation.id for citation in found.citations] == ["r1"]


def test_drafts_that_cannot_stand() -> None:
    cuts = [cut(EVERYTHING, 4, 5)]
    assert why("`alpha`", [], [EVERYTHING]) == "It cites nothing."
    assert why("`gamma`", cuts, [EVERYTHING]) == "It names gamma, which is in no line that was read."
    assert why("`os`", cuts, [EVERYTHING]) == "It names os, which is not in the lines it cites."
    assert why("It works.", cuts, [EVERYTHING]) == "It names nothing from the lines it cites."
    assert why("`alpha`", [*cuts, cut(EVERYTHING, 2, 3)], [EVERYTHING]) == "It cites blank lines, which say nothing."


@pytest.mark.parametrize("most", [pytest.param(MAX_LINES, id="a model"), pytest.param(EXTRACTIVE_MAX_LINES, id="none")])
def test_the_longest_citation_is_exact(most: int) -> None:
    [evidence] = evidence_of(snapshot("long.py"), [(1, 60)])
    # Names at both ends: the lines between them are needed to hold both in one range.
    draft = Draft(
        "`word` and `near`" if most == EXTRACTIVE_MAX_LINES else "`word` and `far`", (cut(evidence, 1, most),)
    )
    assert verified([draft], [evidence], max_lines=most).claims
    assert f"cites {most + 1} lines" in why("`word`", [cut(evidence, 1, most + 1)], [evidence], most)


def test_only_evidence_of_this_run_counts() -> None:
    [mine, other] = evidence_of(snapshot("a.py"), [(4, 5), (8, 9)])
    read = "It cites lines that were not read."
    assert why("`beta`", [cut(other, 8, 9)], [mine]) == read
    assert why("`beta`", [cut(mine, 4, 6)], [mine]) == read
    assert why("`beta`", [cut(mine, 3, 4)], [mine]) == read
    assert why("`beta`", [cut(mine, 8, 9)], [mine]) == read
    assert why("`beta`", [Cut(mine, LineRange(4, 4))], [mine]) == read
    forged = replace(mine, lines=LineRange(0, 10))
    assert why("`beta`", [cut(forged, 8, 9)], [mine]) == read
    assert why("`beta`", [cut(mine, 5, 5), cut(other, 9, 9)], [mine]) == read


def test_equal_bytes_do_not_excuse_the_wrong_path() -> None:
    [mine] = evidence_of(snapshot("a.py"), [(4, 5)])
    [twin] = evidence_of(snapshot("twin.py"), [(4, 5)])
    assert why("`alpha`", [cut(twin, 4, 5)], [mine]) == "It cites lines that were not read."
    mixed = replace(mine, snapshot=twin.snapshot)
    assert why("`alpha`", [cut(mixed, 4, 5)], [mine]) == "It cites lines that were not read."


class Misdirecting(MemoryDocuments):
    """Gives the twin for a.py, as where a link was swapped."""

    async def snapshot(self, path: str) -> TextSnapshot:
        return await super().snapshot("twin.py" if path == uri("a.py") else path)


def test_a_document_that_turns_into_another_is_not_cited() -> None:
    found = asyncio.run(verify([Draft("`alpha`", (cut(EVERYTHING, 4, 4),))], [EVERYTHING], Misdirecting(FILES)))
    assert not found.claims


def test_a_refused_draft_opens_no_document() -> None:
    class Counting(MemoryDocuments):
        asked: tuple[str, ...] = ()

        async def snapshot(self, path: str) -> TextSnapshot:
            self.asked += (path,)
            return await super().snapshot(path)

    [other] = evidence_of(snapshot("b.py"), [(1, 2)])
    documents = Counting(FILES)
    drafts = [Draft("`LIMIT`", (cut(other, 1, 1),)), Draft("`alpha`", (cut(EVERYTHING, 4, 4),)), Draft("x", ())]
    asyncio.run(verify(drafts, [EVERYTHING], documents))
    assert documents.asked == (uri("a.py"),)


@pytest.mark.parametrize(
    ("now", "lines"),
    [
        pytest.param(A, (4, 5), id="unchanged"),
        pytest.param("# new\n" + A, (5, 6), id="moved by a line above"),
        pytest.param(A.removeprefix("import os\n"), (3, 4), id="moved by a line taken away"),
        pytest.param(A.replace("\n", "\r\n"), (4, 5), id="line ends changed"),
        pytest.param(A.replace("y + 1", "y + 2"), (4, 5), id="another line changed"),
        pytest.param(A.replace("beta(x)", "beta(x) "), None, id="a blank added to a cited line"),
        pytest.param("# new\n" + A + A, None, id="moved, and copied"),
        pytest.param("", None, id="emptied"),
    ],
)
def test_documents_that_change_before_the_last_word(now: str, lines: tuple[int, int] | None) -> None:
    draft = Draft("`alpha` returns `beta(x)`.", (cut(EVERYTHING, 4, 5),))
    found = verified([draft], [EVERYTHING], {"a.py": now})
    if lines is None:
        assert [one.why for one in found.dropped] == ["A cited line has changed since it was read."]
        assert not found.claims
        assert not found.citations
        return
    [citation] = found.citations
    assert (citation.lines.start + 1, citation.lines.end, citation.standing) == (*lines, "verified")
    assert citation.snapshot.text.content == now
    assert citation.snapshot.text.sha_of(citation.lines) == citation.lines_sha


def test_one_cut_that_fell_takes_its_claim_along() -> None:
    [other] = evidence_of(snapshot("b.py"), [(1, 2)])
    draft = Draft("`alpha` and `LIMIT`", (cut(EVERYTHING, 4, 4), cut(other, 1, 1)))
    found = verified([draft], [EVERYTHING, other], {"a.py": A, "b.py": "LIMIT = 8\n"})
    assert not found.claims
    assert not found.citations


def test_a_document_that_vanished_or_was_denied_is_not_cited() -> None:
    class Denying(MemoryDocuments):
        async def snapshot(self, path: str) -> TextSnapshot:
            raise ReadError("secret_denied", f"{path} may hold secrets; it is never read.")

    draft = Draft("`alpha`", (cut(EVERYTHING, 4, 4),))
    assert not verified([draft], [EVERYTHING], {"b.py": ""}).claims
    assert not asyncio.run(verify([draft], [EVERYTHING], Denying(FILES))).claims


# Hostile drafts: any text, cuts of any evidence, this run's or not, and texts that change before they are read again.
NAMES = st.sampled_from(["alpha", "beta", "LIMIT", "x", "gamma", "os", "word"])
TEXTS = st.lists(NAMES.map("`{}`".format) | st.text(max_size=8), max_size=4).map(" ".join)
EDITS = st.sampled_from(
    [
        A,
        "# new\n" + A,
        A + A,
        A.replace("alpha", "gamma"),
        A.replace("\n", "\r"),
        "",
        "\n".join(reversed(A.split("\n"))),
        "def alpha(x):\n" * 3,
    ]
)


MOSTLY = st.sampled_from([True, True, True, True, False])


@st.composite
def draft(draw: st.DrawFn, pool: Sequence[Evidence]) -> Draft:
    """A draft that may stand, or one that is wrong in any of its parts."""
    cuts = []
    for _ in range(draw(st.sampled_from([1, 1, 1, 2, 0]))):
        evidence = draw(st.sampled_from(pool))
        inside = st.integers(evidence.lines.start, evidence.lines.end)
        ends = [draw(inside if draw(MOSTLY) else st.integers(0, 61)) for _ in range(2)]
        cuts.append(Cut(evidence, LineRange(min(ends), max(ends))))
    lines = (
        cuts[0].evidence.snapshot.text.content.split("\n")[slice(cuts[0].lines.start, cuts[0].lines.end)]
        if cuts
        else []
    )
    words = [word for line in lines for word in re.findall(r"[a-zA-Z]+", line)]
    honest = st.sampled_from(words).map("`{}`".format) if words else TEXTS
    return Draft(draw(honest if draw(MOSTLY) else TEXTS), tuple(cuts))


@settings(max_examples=250, deadline=None)
@given(st.data())
def test_whatever_the_drafts_say(data: st.DataObject) -> None:
    pool: list[Evidence] = []
    for path in ("a.py", "twin.py", "b.py", "long.py"):
        text = snapshot(path)
        start = data.draw(st.integers(1, 4 if text.text.n_lines > 4 else 1))
        end = data.draw(st.integers(start, text.text.n_lines))
        pool += [Evidence(f"e{len(pool) + 1}", text, LineRange(start - 1, end))]
    evidence = data.draw(st.lists(st.sampled_from(pool), min_size=2, unique_by=lambda one: one.id))
    drafts = data.draw(st.lists(draft(pool), min_size=1, max_size=5))
    now = {**FILES, "a.py": data.draw(EDITS), "twin.py": data.draw(EDITS)}
    for gone in data.draw(st.sets(st.sampled_from(sorted(now)), max_size=1)):
        del now[gone]
    found = verified(drafts, evidence, now)

    assert len(found.claims) + len(found.dropped) == len(drafts)
    by_id = {citation.id: citation for citation in found.citations}
    assert len(by_id) == len(found.citations)
    assert {name for claim in found.claims for name in claim.citations} == by_id.keys()
    assert all(claim.citations for claim in found.claims)
    for citation in found.citations:
        live = snapshot(citation.snapshot.path, now)
        assert citation.standing == "verified"
        assert citation.snapshot.sha == live.sha
        assert 0 < len(citation.lines) <= MAX_LINES
        assert live.text.sha_of(citation.lines) == citation.lines_sha
        assert any(
            one.snapshot.path == citation.snapshot.path
            and citation.snapshot.text.lines(citation.lines) == one.snapshot.text.lines(cut.lines)
            for draft in drafts
            for cut in draft.cuts
            for one in evidence
            if cut.evidence is one and cut.lines in one.lines
        )
