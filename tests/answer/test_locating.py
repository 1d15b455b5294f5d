"""A citation as it was given out is found again with nothing but itself, in whatever its file has become.

Property tests run 200 cases each, or as many as TOOLRAG_TEST_CASES says.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Mapping, Sequence
from itertools import count

import pytest
from doubles import MemoryDocuments
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from toolrag.answer import wire
from toolrag.answer.checking_wire import locate_wire
from toolrag.answer.citations import anchor_of
from toolrag.answer.locating import Cited, Elsewhere, Located, locate_all, locate_cited, parse_citation
from toolrag.answer.types import Citation
from toolrag.errors import ReadError
from toolrag.text import Form, LineRange, Text, TextSnapshot, units

CASES = int(os.environ.get("TOOLRAG_TEST_CASES", "200"))
FILE = "p1\np2\np3\ncited one\ncited two\nq1\nq2\nq3\n"


def saved(
    files: Mapping[str, str], path: str, start: int, end: int, changes: Mapping[str, object] | None = None
) -> dict[str, object]:
    """A citation of lines counted as people do, as it went over the wire and through a file."""
    snapshot = asyncio.run(MemoryDocuments(files).snapshot(path))
    lines = LineRange(start - 1, end)
    citation = Citation(
        "r1", snapshot, lines, snapshot.text.sha_of(lines), anchor_of(snapshot.text, lines), "", "verified"
    )
    return {**json.loads(json.dumps(wire.citation(citation))), **(changes or {})}


def files_of(documents: MemoryDocuments) -> Elsewhere:
    """Every file that the documents have."""

    async def paths() -> AsyncIterator[str]:
        for path in sorted(documents.files):
            yield path

    return paths


def locate(citation: Mapping[str, object], files: Mapping[str, str]) -> Located:
    documents = MemoryDocuments(files)
    return asyncio.run(locate_cited(parse_citation(citation), documents, files_of(documents)))


def said(found: Located) -> str:
    """`moved a.py 2-3`, `gone`."""
    if found.snapshot is None or found.lines is None:
        return found.standing
    return f"{found.standing} {found.snapshot.path} {found.lines.start + 1}-{found.lines.end}"


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        pytest.param({"a.py": FILE}, "verified a.py 4-5", id="nothing happened"),
        pytest.param({"a.py": f"new\n{FILE}"}, "moved a.py 5-6", id="a line typed above"),
        pytest.param({"a.py": FILE.replace("one", "1")}, "changed", id="edited"),
        pytest.param({"a.py": ""}, "gone", id="emptied"),
        pytest.param({}, "gone", id="deleted"),
        pytest.param({"b.py": FILE}, "moved b.py 4-5", id="renamed"),
        pytest.param({"b.py": f"new\n{FILE}"}, "moved b.py 5-6", id="renamed, and a line typed above"),
        pytest.param({"b.py": FILE, "c.py": FILE}, "gone", id="two files have its lines: which one, nobody can say"),
        pytest.param({"b.py": f"{FILE}{FILE}"}, "gone", id="one file has them twice"),
        pytest.param({"b.py": "x\ncited one\ncited two\ny\n"}, "gone", id="only its lines stand elsewhere: a twin"),
        pytest.param({"a.py": "", "b.py": FILE}, "gone", id="its file is there: others are not looked at"),
        pytest.param({"a.py": "\0", "b.py": FILE}, "gone", id="its file is no text any more: it is not gone"),
    ],
)
def test_standings(now: Mapping[str, str], expected: str) -> None:
    assert said(locate(saved({"a.py": FILE}, "a.py", 4, 5), now)) == expected


def test_without_a_list_of_files_nothing_moves_elsewhere() -> None:
    cited = parse_citation(saved({"a.py": FILE}, "a.py", 4, 5))
    assert asyncio.run(locate_cited(cited, MemoryDocuments({"b.py": FILE}), None)).standing == "gone"


def test_files_elsewhere_are_read_once_for_all() -> None:
    """Ten lost citations cost one pass over the files."""
    documents = MemoryDocuments({"b.py": FILE, "c.py": "x\n"})
    passes = count()

    async def elsewhere() -> AsyncIterator[str]:
        next(passes)
        for path in ("b.py", "missing.py", "c.py"):
            yield path

    cited = [parse_citation(saved({"a.py": FILE}, "a.py", line, line)) for line in (1, 2, 3, 4, 5)] * 2
    found = asyncio.run(locate_all(cited, documents, elsewhere))
    assert [said(one) for one in found] == [f"moved b.py {line}-{line}" for line in (1, 2, 3, 4, 5)] * 2
    assert next(passes) == 1


@pytest.mark.parametrize("size", [399, 400, 401])
def test_very_many_lines_are_looked_for_at_their_place_alone(size: int) -> None:
    """No citation is that long; a made-up one must not cost minutes."""
    text = "".join(f"line {n}\n" for n in range(500))
    citation = saved({"a.py": text}, "a.py", 2, size + 1)
    assert said(locate(citation, {"a.py": text})) == f"verified a.py 2-{size + 1}"
    assert locate(citation, {"a.py": f"new\n{text}"}).standing == ("moved" if size <= 400 else "gone")


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        pytest.param({"path": 3}, "path is not a string", id="path"),
        pytest.param({"path": ""}, "path is empty", id="an empty path"),
        pytest.param({"root": None}, "root is not a string", id="root"),
        pytest.param({"lines": None}, "two line numbers", id="no lines"),
        pytest.param({"lines": {"start": True, "end": 2}}, "two line numbers", id="a truth for a number"),
        pytest.param({"lines": {"start": 1.0, "end": 2}}, "two line numbers", id="a fraction"),
        pytest.param({"lines": {"start": 0, "end": 2}}, "counted from 1", id="line 0"),
        pytest.param({"lines": {"start": 3, "end": 2}}, "counted from 1", id="backwards"),
        pytest.param({"lines": {"start": 1, "end": 10**30}}, "counted from 1", id="far too many"),
        pytest.param({"linesSha": "f" * 63}, "linesSha is not the 64 hex digits", id="a short sha"),
        pytest.param({"linesSha": "F" * 64}, "linesSha is not the 64 hex digits", id="capitals"),
        pytest.param({"location": {"uri": 3}}, "location.uri is not a string", id="a number for a URI"),
        pytest.param({"anchor": []}, "anchor is not an object", id="anchor"),
        pytest.param({"anchor": {"before": "x", "after": [], "occurrences": 1}}, "anchor.before", id="a side"),
        pytest.param({"anchor": {"before": [], "after": ["0" * 12] * 4, "occurrences": 1}}, "anchor.after", id="long"),
        pytest.param({"anchor": {"before": [], "after": [], "occurrences": 0}}, "occurrences", id="no occurrence"),
        pytest.param({"anchor": {"before": [], "after": [], "occurrences": 1, "told": "x"}}, "told", id="told"),
        pytest.param({"anchor": {"before": [], "after": [], "occurrences": 1, "told": []}}, "told", id="told, a list"),
    ],
)
def test_what_is_no_citation_gets_a_sentence(changes: dict[str, object], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence) as raised:
        parse_citation(saved({"a.py": FILE}, "a.py", 4, 5, changes))
    assert str(raised.value).endswith(".")


@pytest.mark.parametrize("value", [None, [], "a.py:3", 3])
def test_what_is_no_object_is_no_citation(value: object) -> None:
    with pytest.raises(ValueError, match="A citation is an object"):
        parse_citation(value)


class Rooted:
    """A DocumentSource over several roots, by name, at `file:///<root>/`; and open documents by their URI."""

    def __init__(self, roots: Mapping[str, Mapping[str, str]], opened: Mapping[str, str] | None = None) -> None:
        self.roots = roots
        self.opened = opened or {}

    async def snapshot(self, path: str) -> TextSnapshot:
        if path in self.opened:
            return TextSnapshot(path, "", path, Text(self.opened[path]), Form(), "1" * 40, "buffer", 1)
        if path.startswith("file:///"):
            root, _, name = path.removeprefix("file:///").partition("/")
            if root not in self.roots:
                raise ReadError("path_denied", "This path leads outside.")
            places = [(root, name)]
        else:
            root, _, name = path.partition("/")
            plain = [(one, path) for one in self.roots]
            places = [*plain, (root, name)] if len(self.roots) == 1 else [(root, name), *plain]
        for root, name in places:
            if name in self.roots.get(root, {}):
                text = Text(self.roots[root][name])
                return TextSnapshot(f"file:///{root}/{name}", root, name, text, Form(), "0" * 40, "disk")
        raise ReadError("not_found", "There is no such file.")


def named(root: str, path: str, uri: str | None = None) -> dict[str, object]:
    """A citation of FILE's lines 4-5 in a root."""
    location = {"uri": f"file:///{root}/{path}" if uri is None else uri, "range": {}}
    return saved({"x": FILE}, "x", 4, 5, {"root": root, "path": path, "location": location})


@pytest.mark.parametrize(
    ("citation", "documents", "expected"),
    [
        pytest.param(
            named("b", "x.py"),
            Rooted({"a": {"x.py": "other\n"}, "b": {"x.py": FILE}}),
            "file:///b/x.py",
            id="of two folders with equal paths the cited one",
        ),
        pytest.param(
            named("b", "x.py"), Rooted({"a": {"x.py": FILE}, "b": {}}), None, id="gone, though another folder has it"
        ),
        pytest.param(
            named("old", "x.py"), Rooted({"new": {"x.py": FILE}}), "file:///new/x.py", id="another clone, by its path"
        ),
        pytest.param(
            named("b", "x.py", ""), Rooted({"a": {}, "b": {"x.py": FILE}}), "file:///b/x.py", id="without a URI"
        ),
        pytest.param(
            named("shop", "x.py", "vscode-remote://ssh/shop/x.py"),
            Rooted({"shop": {"x.py": FILE}}),
            "file:///shop/x.py",
            id="a URI of another system",
        ),
        pytest.param(
            named("shop", "x.py", ""),
            Rooted({"shop": {"shop/x.py": FILE}}),
            None,
            id="a folder with the root's name is not the root",
        ),
        pytest.param(
            named("r", "shop/x.py"), Rooted({"shop": {"x.py": FILE}}), None, id="the root's name is not a folder"
        ),
        pytest.param(
            named("shop", "x.py"),
            Rooted({"shop": {"y.py": FILE}}, {}),
            None,
            id="not there",
        ),
        pytest.param(
            named("", "untitled:Untitled-1", "untitled:Untitled-1"),
            Rooted({}, {"untitled:Untitled-1": FILE}),
            "untitled:Untitled-1",
            id="an open document without a file",
        ),
        pytest.param(
            named("", "untitled:Untitled-1", "untitled:Untitled-1"), Rooted({"a": {}}), None, id="one that was closed"
        ),
        pytest.param(
            named("a", "x.py", "file:///a/y.py"),
            Rooted({"a": {"x.py": "other\n", "y.py": FILE}}),
            None,
            id="path of one file, URI of another: equal lines do not excuse the wrong path",
        ),
    ],
)
def test_the_document_is_the_cited_one_and_no_other(
    citation: dict[str, object], documents: Rooted, expected: str | None
) -> None:
    found = asyncio.run(locate_cited(parse_citation(citation), documents, None))
    assert (found.snapshot.uri if found.snapshot and found.lines else None) == expected
    assert found.standing == ("verified" if expected else "gone")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_the_wire_has_the_place_in_the_clients_units(encoding: str) -> None:
    text = "x\n😀é = 1\n"
    sent = asyncio.run(
        locate_wire(saved({"a.py": text}, "a.py", 2, 2), MemoryDocuments({"a.py": f"\r{text}"}), None, encoding)  # type: ignore[arg-type]
    )
    width = units("😀é = 1", encoding)  # type: ignore[arg-type]
    assert sent["standing"] == "moved"
    assert sent["lines"] == {"start": 3, "end": 3}
    assert sent["location"] == {
        "uri": "file:///workspace/a.py",
        "range": {"start": {"line": 2, "character": 0}, "end": {"line": 2, "character": width}},
    }
    assert sent["sha"] == asyncio.run(MemoryDocuments({"a.py": f"\r{text}"}).snapshot("a.py")).sha


def test_the_wire_says_why_there_is_no_text() -> None:
    citation = saved({"a.py": FILE}, "a.py", 4, 5)
    gone = asyncio.run(locate_wire(citation, MemoryDocuments({}), None))
    assert (gone.keys(), gone["error"]) == ({"standing", "error", "message"}, "not_found")
    changed = asyncio.run(locate_wire(citation, MemoryDocuments({"a.py": "p1\np2\np3\n"}), None))
    assert (changed.keys(), changed["standing"]) == ({"standing", "sha"}, "changed")


# --- Properties: every line has an identity, which edits carry along. ---

Line = tuple[int, str]
"""An identity, and the text."""
WORDS = st.sampled_from(["a", "b", "c", "return", "}", ""])
TEXTS = st.lists(WORDS, min_size=1, max_size=14)
TYPED = st.lists(st.tuples(st.sampled_from(["delete", "insert"]), st.integers(0, 30), st.integers(1, 5)), max_size=6)
EDITS = st.lists(
    st.tuples(st.sampled_from(["delete", "insert", "paste"]), st.integers(0, 30), st.integers(1, 5)), max_size=6
)


def edited(lines: Sequence[Line], edits: Sequence[tuple[str, int, int]]) -> list[Line]:
    """The lines after deletions, insertions of lines that stood nowhere before, and pastes of lines that stand there.

    A pasted line has the identity of the one that was copied: cut and paste moves it.
    """
    now = list(lines)
    fresh = count(1000)
    for kind, at, size in edits:
        start = at % (len(now) + 1)
        if kind == "delete":
            del now[start : start + size]
        elif kind == "paste":
            now[start:start] = now[(start + 3 * size) % (len(now) + 1) :][:size]
        else:
            now[start:start] = [(number := next(fresh), f"typed {number}") for _ in range(size)]
    return now or [(next(fresh), "")]  # an emptied file has one line, which is nobody's


def text_of(lines: Sequence[Line]) -> str:
    return "\n".join(text for _, text in lines)


@settings(max_examples=CASES)
@given(TEXTS, st.booleans(), st.data())
def test_nothing_moves_to_lines_of_another_identity(texts: list[str], pastes: bool, data: st.DataObject) -> None:
    """Whatever is deleted and typed, lines that `moved` are cited ones; at its place a citation has its own text.

    Where lines are pasted too, somebody can put a twin between the very lines that stood around the cited one.
    """
    then = list(enumerate(texts))
    edits = data.draw(EDITS if pastes else TYPED)
    start = data.draw(st.integers(1, len(then)))
    end = data.draw(st.integers(start, min(len(then), start + 3)))
    now = edited(then, edits)
    found = locate(saved({"a.py": text_of(then)}, "a.py", start, end), {"a.py": text_of(now)})
    cited = then[start - 1 : end]
    assert (found.lines is not None) == (found.standing in ("verified", "moved"))
    if found.lines is not None:
        pointed = now[found.lines.start : found.lines.end]
        assert [text for _, text in pointed] == [text for _, text in cited]
        if found.standing == "verified":
            assert (found.lines.start, found.lines.end) == (start - 1, end)
        else:
            own = bool({number for number, _ in pointed} & {number for number, _ in cited})
            above = set(now[: found.lines.start][-3:]) & set(then[: start - 1][-3:])
            below = set(now[found.lines.end :][:3]) & set(then[end:][:3])
            assert own or (pastes and above and below)


@settings(max_examples=CASES)
@given(st.integers(1, 14), TYPED, st.data())
def test_where_every_line_is_its_own_nothing_points_to_another(
    size: int, edits: list[tuple[str, int, int]], data: st.DataObject
) -> None:
    """Each line's text is its identity: lines are found exactly when they all stand together, and it is they."""
    then = [(number, f"line {number}") for number in range(size)]
    start = data.draw(st.integers(1, size))
    end = data.draw(st.integers(start, min(size, start + 3)))
    now = edited(then, edits)
    found = locate(saved({"a.py": text_of(then)}, "a.py", start, end), {"a.py": text_of(now)})
    cited = then[start - 1 : end]
    stand = [at for at in range(len(now)) if now[at : at + len(cited)] == cited]
    if stand:
        assert found.lines == LineRange(stand[0], stand[0] + len(cited))
        assert found.standing == ("verified" if stand[0] == start - 1 else "moved")
    else:
        assert found.standing in ("changed", "gone")


@settings(max_examples=CASES)
@given(st.lists(WORDS, min_size=1, max_size=5), TEXTS, TEXTS, TYPED, st.data())
def test_a_cited_copy_that_is_deleted_never_moves_onto_its_twin(
    block: list[str], around: list[str], more: list[str], edits: list[tuple[str, int, int]], data: st.DataObject
) -> None:
    """A block stands twice or more, also with equal lines around it; the cited copy goes, and others are edited."""
    texts = data.draw(
        st.sampled_from(
            [
                [*around, *block, *more, *block],
                [*block, *around, *block, *more],
                [*around, *block, *more, *around, *block, *more],
                [*around, *block, *around, *block, *around],
            ]
        )
    )
    then = list(enumerate(texts))
    places = [at for at in range(len(texts)) if texts[at : at + len(block)] == block]
    assume(len(places) > 1)
    at = data.draw(st.sampled_from(places))
    cut = data.draw(st.integers(0, 3))
    left = [*then[: max(0, at - cut)], *then[at + len(block) + cut :]]
    now = edited(left, edits)
    found = locate(saved({"a.py": text_of(then)}, "a.py", at + 1, at + len(block)), {"a.py": text_of(now)})
    assert found.standing != "moved"


def test_a_repeated_passage_is_not_the_one_that_was_deleted() -> None:
    """Three equal lines on each side: by hashes of neighbours alone the twin would pass for the cited copy."""
    passage = "1\n2\n3\nX\n4\n5\n6\n"
    citation = saved({"a.py": f"{passage}between\n{passage}"}, "a.py", 4, 4)
    assert locate(citation, {"a.py": f"new\n{passage}"}).standing == "gone"


def test_a_cited_line_is_told_from_its_twin_by_what_is_around() -> None:
    citation = saved({"a.py": "p\nX\nq\nX\nr\n"}, "a.py", 2, 2)
    assert said(locate(citation, {"a.py": "new\np\nX\nq\nr\n"})) in ("changed", "gone")  # `X` is in its own anchor
    citation = saved({"a.py": "p\nX\nq\n2\n3\nX\nr\n"}, "a.py", 2, 2)
    assert said(locate(citation, {"a.py": "new\np\nX\nq\n2\n3\nr\n"})) == "moved a.py 3-3"


def test_an_older_citation_that_does_not_say_how_it_is_told() -> None:
    """Without `anchor.told` a line that stood once is found again, one that had twins is not."""
    files = {"a.py": "p\nX\nq\n2\n3\nX\nr\n"}
    for start, expected in ((1, "moved a.py 2-2"), (2, "changed")):
        citation = saved(files, "a.py", start, start)
        anchor = citation["anchor"]
        assert isinstance(anchor, dict)
        del anchor["told"]
        assert said(locate(citation, {"a.py": "new\np\nX\nq\n2\n3\nr\n"})) in (expected, "gone")


def test_a_citation_says_how_it_is_written() -> None:
    cited = parse_citation(saved({"a.py": FILE}, "a.py", 4, 5))
    assert isinstance(cited, Cited)
    assert cited.written == f"a.py:4-5@{cited.lines_sha[:12]}"
