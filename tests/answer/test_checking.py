"""How written citations and saved answers stand, and that mending them touches nothing else."""

from __future__ import annotations

import asyncio
import copy
import json
import re
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from answer_doubles import CountingClock, MemoryRetriever
from doubles import MemoryDocuments
from hypothesis import given
from hypothesis import strategies as st
from parser_double import InlineParser
from toolrag.answer import wire
from toolrag.answer.checking import check_answer, check_text
from toolrag.answer.checking_wire import verify_answer_wire, verify_text_wire
from toolrag.answer.extractive import Extractive
from toolrag.answer.mending import mended_answer, mended_text
from toolrag.config import Settings
from toolrag.text import lines_sha

CODE = '"""Prices."""\n\nDEFAULT = 0.05\n\n\ndef price(x):\n    """Take a share off."""\n    return x * (1 - DEFAULT)\n}\n}\nend\n'
DOCS = {"a.py": CODE, "src/my file.py": CODE, "docs/x.py": CODE, "data.bin": "\0", "unending": "x"}


def pin(*lines: str) -> str:
    return lines_sha(lines)[:12]


def check(text: str, files: Mapping[str, str] = DOCS, folder: str = "") -> list[str]:
    """Each citation as `verified a.py 3-3`, `gone`."""
    found = asyncio.run(check_text(text, MemoryDocuments(files), folder))
    return [
        f"{one.verdict} {one.snapshot.path} {one.lines.start + 1}-{one.lines.end}"
        if one.lines and one.snapshot
        else one.verdict
        for one in found
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(f"a.py:3@{pin('DEFAULT = 0.05')}", "verified a.py 3-3", id="at its place"),
        pytest.param(f"a.py#L3@{pin('DEFAULT = 0.05')}", "verified a.py 3-3", id="at its place, by a hash"),
        pytest.param(f"a.py:3@{lines_sha(['DEFAULT = 0.05'])}", "verified a.py 3-3", id="the whole sha"),
        pytest.param(f"a.py:1@{pin('DEFAULT = 0.05')}", "moved a.py 3-3", id="at one other place"),
        pytest.param(f"a.py:900@{pin('DEFAULT = 0.05')}", "moved a.py 3-3", id="its place is past the end"),
        pytest.param(f"a.py:3@{pin('DEFAULT = 0.10')}", "changed", id="other lines are there"),
        pytest.param(f"a.py:1@{pin('}')}", "changed", id="two places: which one, nobody can say"),
        pytest.param(f"a.py:1-2@{pin('}', '}')}", "changed", id="one place, but brackets are anybody's"),
        pytest.param(f"a.py:90@{pin('x')}", "gone", id="past the end, and nowhere"),
        pytest.param(f"a.py:11-14@{pin('end', '', '', '')}", "changed", id="its last lines are past the end"),
        pytest.param(f"b.py:3@{pin('DEFAULT = 0.05')}", "gone", id="no file: equal lines elsewhere are not looked at"),
        pytest.param(f"data.bin:1@{pin('x')}", "gone", id="no text"),
        pytest.param(f"../up.py:1@{pin('x')}", "gone", id="outside"),
        pytest.param(f"a.py:3@{pin('DEFAULT = 0.05')[:11]}", "changed", id="a digit short"),
        pytest.param("a.py:3@3f2a", "changed", id="half a pin proves nothing"),
        pytest.param("a.py:3", "unpinned a.py 3-3", id="unpinned"),
        pytest.param("a.py:3-12", "unpinned a.py 3-12", id="to the last line"),
        pytest.param("a.py:3-13", "gone", id="past the last line"),
        pytest.param("a.py:0 ", "gone", id="line 0"),
        pytest.param(f"a.py:3-2@{pin('x')}", "gone", id="backwards"),
        pytest.param("b.py:1", "gone", id="unpinned, no file"),
        pytest.param("`src/my file.py:3`", "unpinned src/my file.py 3-3", id="a path with blanks"),
        pytest.param("`see a.py:3`", "unpinned a.py 3-3", id="a sentence in code"),
        pytest.param("[x](src/my%20file.py#L3)", "unpinned src/my file.py 3-3", id="a link with percent signs"),
    ],
)
def test_how_a_written_citation_stands(text: str, expected: str) -> None:
    assert check(text) == [expected]


def test_a_link_may_be_meant_from_the_texts_own_folder() -> None:
    """The root's own path comes first; other citations are relative to the root alone."""
    assert check("[x](x.py#L3) x.py:3", folder="docs") == ["unpinned docs/x.py 3-3", "gone"]
    assert check("[x](a.py#L3)", folder="docs") == ["unpinned a.py 3-3"]
    assert check("[x](x.py#L3)") == ["gone"]


def test_each_file_is_read_once() -> None:
    asked: list[str] = []

    class Counting(MemoryDocuments):
        async def snapshot(self, path: str) -> Any:
            asked.append(path)
            return await super().snapshot(path)

    asyncio.run(check_text("a.py:1 a.py:2 b.py:1 b.py:2", Counting(DOCS)))
    assert asked == ["a.py", "b.py"]


def test_the_wire_of_a_text() -> None:
    text = f"😀 a.py:1@{pin('DEFAULT = 0.05')}\nb.py:1"
    sent = asyncio.run(verify_text_wire(text, MemoryDocuments(DOCS), "utf-16"))
    moved, gone = sent["citations"]  # type: ignore[misc]
    assert moved == {
        "written": text.split("\n")[0][2:],
        "range": {"start": {"line": 0, "character": 3}, "end": {"line": 0, "character": 22}},
        "standing": "moved",
        "location": {
            "uri": "file:///workspace/a.py",
            "range": {"start": {"line": 2, "character": 0}, "end": {"line": 2, "character": 14}},
        },
        "lines": {"start": 3, "end": 3},
    }
    assert (gone["standing"], gone["error"]) == ("gone", "not_found")
    assert "location" not in gone
    assert sent["unsupported"] == []
    eight = asyncio.run(verify_text_wire(text, MemoryDocuments(DOCS), "utf-8"))
    assert eight["citations"][0]["range"]["start"] == {"line": 0, "character": 5}  # type: ignore[index]


# --- Mending a text. ---


def mend(text: str, files: Mapping[str, str] = DOCS) -> str:
    return mended_text(text, asyncio.run(check_text(text, MemoryDocuments(files))))


def test_moved_citations_are_written_anew_and_nothing_else() -> None:
    default, body = pin("DEFAULT = 0.05"), pin("def price(x):", '    """Take a share off."""')
    text = (
        f"a.py:1@{default} a.py:3@{default} a.py:3 b.py:1@{default}\r\n"
        f"[a.py:1](a.py#L1-L2@{body})\ta.py:1:9@{default} a.py:3@{pin('other')}\r\x0c\u2028"
    )
    now = text.replace("a.py:1@", "a.py:3@").replace("b.py:3@", "b.py:1@").replace("L1-L2", "L6-L7")
    now = now.replace("a.py:1:9", "a.py:3:9")
    assert mend(text) == now
    assert mend(now) == now


@given(
    st.lists(
        st.sampled_from([" ", "\n", "\r\n", "\r", "\t", "é", "😀", "x", "(", "**", "\u2028", "\x0c"]), max_size=12
    ),
    st.integers(0, 3),
    st.data(),
)
def test_a_mended_text_is_verified_and_differs_in_digits_alone(
    noise: list[str], above: int, data: st.DataObject
) -> None:
    lines = CODE.split("\n")
    pieces = []
    for piece in noise:
        start = data.draw(st.integers(1, 8))
        end = data.draw(st.integers(start, 9))
        mark = data.draw(st.sampled_from([f":{start}-{end}", f"#L{start}-L{end}"]))
        pieces += [piece, f" a.py{mark}@{pin(*lines[start - 1 : end])} "]
    text = "".join(pieces)
    files = {"a.py": "new\n" * above + CODE}
    before, after = check(text, files), mend(text, files)
    for then, now in zip(before, check(after, files), strict=True):
        assert now == (then.replace("moved", "verified") if then.startswith("moved") else then)
    without = str.maketrans("", "", "0123456789-L")
    assert after.translate(without) == text.translate(without)


# --- Saved answers. ---

Json = dict[str, Any]


def answer(question: str = "what does price do?", files: Mapping[str, str] | None = None) -> Json:
    """A real answer, as `ask --json` saves it."""
    documents = MemoryDocuments(files or {"a.py": CODE.replace("}\n", "")})
    retriever = MemoryRetriever(documents.files)
    made = Extractive(retriever, documents, InlineParser(), CountingClock(), Settings())
    saved: Json = json.loads(json.dumps(wire.answer(asyncio.run(made.answer(question)))))
    assert saved["claims"]
    return saved


SAVED = answer()
NOW = {"a.py": CODE.replace("}\n", "")}


def verdicts(saved: object, files: Mapping[str, str] = NOW) -> tuple[list[str], list[str]]:
    """Standings, and why claims have no support."""
    found = asyncio.run(check_answer(saved, MemoryDocuments(files), None))
    return [one.located.standing for one in found.citations], [one.why for one in found.unsupported]


def test_a_saved_answer_stands_while_its_lines_do() -> None:
    standings, unsupported = verdicts(SAVED)
    assert standings == ["verified"] * len(SAVED["citations"])
    assert unsupported == []
    standings, unsupported = verdicts(SAVED, {"a.py": f"new\n{NOW['a.py']}"})
    assert standings == ["moved"] * len(SAVED["citations"])
    assert unsupported == []
    standings, unsupported = verdicts(SAVED, {})
    assert standings == ["gone"] * len(SAVED["citations"])
    assert len(unsupported) == len(SAVED["claims"])


def changed(change: Callable[[Json], object]) -> Json:
    saved = copy.deepcopy(SAVED)
    change(saved)
    return saved


@pytest.mark.parametrize(
    ("change", "why"),
    [
        pytest.param(
            lambda a: a["claims"][0].update(text="`price` calls `refund`."),
            "It names refund, which is not in the lines it cites.",
            id="a name was invented",
        ),
        pytest.param(
            lambda a: a["claims"][0].update(text="`price` takes 17 off."),
            "It names 17, which is not in the lines it cites.",
            id="a number was altered",
        ),
        pytest.param(
            lambda a: a["claims"][0].update(text="It is fine."), "It names nothing from the lines it cites.", id="vague"
        ),
        pytest.param(lambda a: a["claims"][0].update(text=" "), "It says nothing.", id="blank"),
        pytest.param(lambda a: a["claims"][0].update(citations=[]), "It cites nothing.", id="no citation"),
        pytest.param(
            lambda a: a["claims"][0].update(citations=["r99"]),
            "It cites r99, which is not in the answer.",
            id="a stranger",
        ),
        pytest.param(
            lambda a: a["citations"][0].update(quote=a["citations"][0]["quote"].replace("price", "prize")),
            "The quote of its citation r1 is not the cited lines.",
            id="the quote was altered",
        ),
        pytest.param(
            lambda a: a["citations"][0].update(quote=a["citations"][0]["quote"] + "more"),
            "The quote of its citation r1 is not the cited lines.",
            id="the quote was prolonged",
        ),
        pytest.param(
            lambda a: a["citations"][0].update(linesSha="0" * 64), "Its citation r1 no longer stands.", id="another sha"
        ),
    ],
)
def test_an_edited_answer_is_not_believed(change: Callable[[Json], object], why: str) -> None:
    """A claim is held against its lines as they are, whatever was written into the file."""
    assert why in verdicts(changed(change))[1]


def test_what_an_answer_says_of_its_standing_counts_for_nothing() -> None:
    saved = changed(lambda a: [one.update(standing="verified", sha="0" * 40) for one in a["citations"]])
    assert set(verdicts(saved, {"a.py": "x\n"})[0]) <= {"changed", "gone"}


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        pytest.param(lambda a: a.pop("claims"), "An answer is an object with claims and citations", id="no claims"),
        pytest.param(lambda a: a.update(claims={}), "claims are not a list", id="claims"),
        pytest.param(lambda a: a.update(citations=[3]), "citations are not a list of objects", id="citations"),
        pytest.param(lambda a: a["citations"][0].pop("id"), "Citation 1 has an id", id="no id"),
        pytest.param(lambda a: a["citations"][0].update(quote=3), "Citation 1 has an id or a quote", id="quote"),
        pytest.param(lambda a: a["citations"][0].update(linesSha="x"), "Citation 1: The citation's linesSha", id="sha"),
        pytest.param(lambda a: a["citations"].append(a["citations"][0]), "have the same id", id="an id twice"),
        pytest.param(lambda a: a["claims"][0].pop("text"), "Claim 1 is not an object", id="a claim without text"),
        pytest.param(
            lambda a: a["claims"][0].update(citations=[3]), "Claim 1 cites something", id="a number for an id"
        ),
    ],
)
def test_what_is_no_answer_gets_a_sentence(change: Callable[[Json], object], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        verdicts(changed(change))


def test_the_wire_of_an_answer() -> None:
    saved = changed(lambda a: a["claims"][0].update(text="`refund` is called."))
    sent: Any = asyncio.run(verify_answer_wire(saved, MemoryDocuments(NOW), None))
    first = sent["citations"][0]
    cited = SAVED["citations"][0]
    assert first["id"] == "r1"
    assert first["standing"] == "verified"
    assert first["written"].startswith(f"a.py:{cited['lines']['start']}")
    assert first["written"].endswith(f"@{cited['linesSha'][:12]}")
    assert (first["lines"], first["location"]) == (cited["lines"], cited["location"])
    assert sent["unsupported"][0]["id"] == "c1"
    assert sent["unsupported"][0].keys() == {"id", "text", "citations", "why"}


# --- Mending an answer. ---


def mended(text: str, files: Mapping[str, str]) -> str:
    documents = MemoryDocuments(files)

    async def elsewhere() -> Any:
        for path in files:
            yield path

    return mended_answer(text, asyncio.run(check_answer(json.loads(text), documents, elsewhere)))


@pytest.mark.parametrize(
    "dump",
    [
        pytest.param(lambda a: json.dumps(a, indent=2), id="as it was printed"),
        pytest.param(lambda a: json.dumps(a, separators=(",", ":"), ensure_ascii=False), id="compact"),
        pytest.param(lambda a: f"\r\n\t{json.dumps(a, indent=7)}\r\n ".replace("\n", "\r\n"), id="another layout"),
        pytest.param(lambda a: json.dumps({"x": [{"citations": [3], "y": '}]"\\'}], **a}), id="members that mislead"),
        pytest.param(
            lambda a: json.dumps(a).replace('"lines": ', '"lines": {"start": [1], "end": "}"}, "lines": '), id="twice"
        ),
    ],
)
def test_a_mended_answer_is_verified_and_otherwise_the_same(dump: Callable[[Json], str]) -> None:
    text = dump(SAVED)
    files = {"a.py": f"😀\nnew\n{NOW['a.py']}"}
    after = mended(text, files)
    assert set(verdicts(json.loads(after), files)[0]) == {"verified"}
    now = asyncio.run(MemoryDocuments(files).snapshot("a.py"))
    expected = json.loads(text)
    for one in expected["citations"]:
        one["lines"] = {name: line + 2 for name, line in one["lines"].items()}
        for side in one["location"]["range"].values():
            side["line"] += 2
        one["sha"] = now.sha
    assert json.loads(after) == expected
    assert mended(after, files) == after
    # Line numbers and shas apart, not a byte differs.
    assert re.sub("[0-9a-f]+", "", after) == re.sub("[0-9a-f]+", "", text)


def test_a_citation_whose_file_was_renamed_is_given_the_new_one() -> None:
    after = json.loads(mended(json.dumps(SAVED), {"b.py": NOW["a.py"]}))
    for one in after["citations"]:
        assert (one["path"], one["location"]["uri"]) == ("b.py", "file:///workspace/b.py")
    assert set(verdicts(after, {"b.py": NOW["a.py"]})[0]) == {"verified"}


def test_what_changed_or_went_is_not_written_anew() -> None:
    text = json.dumps(SAVED)
    assert mended(text, {}) == text
    assert mended(text, {"a.py": "x\n"}) == text
    assert mended(text, NOW) == text
