"""How a citation stands in a text that went on living: PROTOCOL section 2, "Standings"."""

from __future__ import annotations

import asyncio

import pytest
from doubles import MemoryDocuments
from hypothesis import given
from hypothesis import strategies as st
from toolrag.answer.citations import anchor_of, locate, occurrences, place, written
from toolrag.answer.types import Anchor, Citation, Standing
from toolrag.text import LineRange, Text, lines_sha

LINES = st.lists(st.sampled_from(["", "a", "b", "c", "pass", "}"]), min_size=1, max_size=12)
UNIQUE = st.lists(
    st.text(st.characters(codec="utf-8", exclude_characters="\r\n")).filter(str.strip),
    min_size=1,
    max_size=8,
    unique=True,
)
"""Lines that say something: a blank one is anybody's."""


def cited(text: str, start: int, end: int) -> tuple[LineRange, str, Anchor]:
    """A citation of lines counted as people do: its range, its sha and its anchor."""
    lines = LineRange(start - 1, end)
    return lines, Text(text).sha_of(lines), anchor_of(Text(text), lines)


def standing(then: str, lines: tuple[int, int], now: str) -> str:
    """How lines cited of one text stand in another: `moved 2-3`, `gone`."""
    found, where = locate(Text(now), *cited(then, *lines))
    return found if where is None else f"{found} {where.start + 1}-{where.end}"


@pytest.mark.parametrize(
    ("then", "lines", "now", "expected"),
    [
        pytest.param("a\nb\nc", (1, 2), "a\nb\nc", "verified 1-2", id="nothing happened"),
        pytest.param("a\nb\nc", (1, 2), "a\r\nb\r\nc", "verified 1-2", id="line ends changed"),
        pytest.param("a\nb\nc", (1, 3), "a\nb\nc\n", "verified 1-3", id="a final line end was added"),
        pytest.param("a\nb\nc", (1, 2), "a\nb\nx\ny", "verified 1-2", id="all around it changed"),
        pytest.param("a\nb\nc", (1, 2), "new\na\nb\nc", "moved 2-3", id="a line typed above"),
        pytest.param("x\na\nb\nc", (2, 3), "a\nb\nc", "moved 1-2", id="a line deleted above"),
        pytest.param("f\ng\nh", (1, 1), "h\ng\nf", "moved 3-3", id="cut and pasted elsewhere"),
        pytest.param(
            "p\nX\n1\n2\n3\nX", (2, 2), "n\np\nX\n1\n2\n3", "moved 3-3", id="one of twins, told by its anchor"
        ),
        pytest.param("p\nX\n1\n2\n3\nX", (2, 2), "n\nm\nX\n1\n2\n3", "gone", id="one of twins, one side lost"),
        pytest.param(
            "1\n2\n3\nX\n4\n5\n6\n1\n2\n3\nX\n4\n5\n6",
            (4, 4),
            "n\n1\n2\n3\nX\n4\n5\n6",
            "gone",
            id="a repeated passage, one copy deleted: nothing says which",
        ),
        pytest.param("a\n}\n}\n\n}", (2, 3), "a\nb\nc\n}\n}", "changed", id="lines that others can make up"),
        pytest.param(
            "p\nX\nq\nX\nr", (4, 4), "p\nX\nq\nr", "changed", id="one of twins deleted: no move onto the other"
        ),
        pytest.param("p\nX\nq\nX\nr", (2, 2), "p\nY\nq\nX\nr", "changed", id="one of twins edited"),
        pytest.param("p\nX\nq\nX\nr", (2, 2), "z\nX\ny", "verified 2-2", id="the same lines at the same place"),
        pytest.param("p\nX\nq", (2, 2), "n\nX\nX", "verified 2-2", id="at its place, and a twin was pasted below"),
        pytest.param("X\nq", (1, 1), "n\nX\nX", "gone", id="two copies elsewhere, no anchor"),
        pytest.param("p\nX\nq", (2, 2), "p\nq\nX\nX", "changed", id="two copies elsewhere, the anchor without either"),
        pytest.param("a\nb\nc\nd", (2, 2), "a\nB\nc\nd", "changed", id="its line edited"),
        pytest.param("a\nb\nc\nd", (2, 2), "a\nc\nd", "changed", id="its line deleted, the anchor stands"),
        pytest.param("a\nb", (1, 1), "x\nb", "changed", id="first line edited, the line below stands"),
        pytest.param("a\nb", (2, 2), "a\ny", "changed", id="last line edited, the line above stands"),
        pytest.param("a\nb\nc", (2, 2), "x\ny\nz", "gone", id="nothing of it stands"),
        pytest.param("a\nb\nc", (2, 2), "", "gone", id="the file was emptied"),
        pytest.param("a\nb\n", (2, 2), "x\ny\n", "gone", id="an empty line is no anchor"),
        pytest.param("a\nb\nc", (2, 3), "a\nb", "changed", id="its last line cut off"),
        pytest.param("1\n2\n3\nb\n4", (4, 4), "9\n2\n3\nB\n4", "changed", id="one side of the anchor is enough"),
        pytest.param("1\n2\n3\nb", (4, 4), "9\n2\n3\nB", "gone", id="a side stands whole or not at all"),
        pytest.param("a\nb = 1", (2, 2), "a\nb = 1 ", "changed", id="a blank is a difference"),
        pytest.param("a\nif not b:", (2, 2), "a\nif b:", "changed", id="a not was removed"),
        pytest.param("a\ns = 'x'", (2, 2), "a\ns = ’x’", "changed", id="curly for straight quotes"),
        pytest.param("a\ncafé", (2, 2), "a\ncafe\u0301", "changed", id="another way to write the same letter"),
    ],
)
def test_standings(then: str, lines: tuple[int, int], now: str, expected: str) -> None:
    assert standing(then, lines, now) == expected


@given(LINES, st.data())
def test_identical_text_is_always_verified(lines: list[str], data: st.DataObject) -> None:
    start = data.draw(st.integers(1, len(lines)))
    end = data.draw(st.integers(start, len(lines)))
    text = "\n".join(lines)
    assert standing(text, (start, end), text) == f"verified {start}-{end}"


@given(UNIQUE, LINES, st.data())
def test_lines_that_occur_once_move_with_what_is_typed_above(
    lines: list[str], above: list[str], data: st.DataObject
) -> None:
    start = data.draw(st.integers(1, len(lines)))
    end = data.draw(st.integers(start, len(lines)))
    now = [*(f"typed {line}" for line in above), *lines]
    expected = f"moved {start + len(above)}-{end + len(above)}"
    copies = len(occurrences(Text("\n".join(now)), lines_sha(lines[start - 1 : end]), end - start + 1))
    if copies == 1:
        assert standing("\n".join(lines), (start, end), "\n".join(now)) == expected


@given(LINES, LINES, st.data())
def test_nothing_ever_moves_onto_a_twin(then: list[str], now: list[str], data: st.DataObject) -> None:
    start = data.draw(st.integers(1, len(then)))
    end = data.draw(st.integers(start, len(then)))
    lines, sha, anchor = cited("\n".join(then), start, end)
    text = Text("\n".join(now))
    found, where = locate(text, lines, sha, anchor)
    places = occurrences(text, sha, len(lines))
    assert (where is not None) == (found in ("verified", "moved"))
    if where is not None:
        assert text.lines(where) == then[start - 1 : end]
    if found == "moved":
        assert where is not None
        assert places == [where]
        above, below = then[max(0, start - 4) : start - 1], then[end : end + 3]
        around = now[: where.start][len(now[: where.start]) - len(above) :], now[where.end : where.end + len(below)]
        assert anchor.occurrences == 1 or around == (above, below)
    if lines in places:
        assert found == "verified"


def test_an_anchor_is_three_lines_on_each_side_and_a_count() -> None:
    anchor = anchor_of(Text("1\n2\n3\n4\nX\n5\n6\n7\n8\nX"), LineRange(4, 5))
    assert [len(anchor.before), len(anchor.after), anchor.occurrences] == [3, 3, 2]
    assert anchor.before == tuple(lines_sha([line])[:12] for line in "234")
    assert anchor_of(Text("X"), LineRange(0, 1)) == Anchor((), (), 1)


@pytest.mark.parametrize(
    ("text", "lines", "told"),
    [
        pytest.param("a\nX\nb", (2, 2), "lines", id="it stands once"),
        pytest.param("a\nX\nY\nb\nX", (2, 3), "lines", id="one of its lines stands once"),
        pytest.param("a\nX\nb\nX", (2, 2), "around", id="a twin, and lines on both sides that stand once"),
        pytest.param("X\nb\nX", (1, 1), "nothing", id="a twin, and no line above"),
        pytest.param("1\nX\n2\n1\nX\n2", (2, 2), "nothing", id="a twin with equal lines around it"),
        pytest.param("a\n}\n}\n\n}", (2, 3), "nothing", id="it stands once, made of lines that do not"),
        pytest.param("a\n\nb", (2, 2), "around", id="the only blank line"),
        pytest.param("\nX\n\t\nX", (2, 2), "nothing", id="blank lines around"),
    ],
)
def test_what_tells_lines_from_twins(text: str, lines: tuple[int, int], told: str) -> None:
    assert cited(text, *lines)[2].told == told


def test_occurrences_may_overlap() -> None:
    assert occurrences(Text("a\na\na"), lines_sha(["a", "a"]), 2) == [LineRange(0, 2), LineRange(1, 3)]
    assert occurrences(Text("a"), lines_sha(["a", "a"]), 2) == []


@pytest.mark.parametrize(
    ("start", "end", "where"), [pytest.param(2, 2, "a.py:2", id="one line"), pytest.param(2, 3, "a.py:2-3", id="two")]
)
def test_a_written_citation_is_pinned_to_its_lines(start: int, end: int, where: str) -> None:
    snapshot = asyncio.run(MemoryDocuments({"a.py": "x\ny\nz\n"}).snapshot("a.py"))
    lines, sha, anchor = cited(snapshot.text.content, start, end)
    verified: Standing = "verified"
    citation = Citation("r1", snapshot, lines, sha, anchor, "", verified)
    assert place(citation) == where
    assert written(citation) == f"{where}@{sha[:12]}"
