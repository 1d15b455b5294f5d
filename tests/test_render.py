"""What a terminal shows of answers, candidates and lines: readable, within its width, and steered by nobody else."""

from __future__ import annotations

import asyncio
import io
import re
from collections.abc import Iterable
from dataclasses import replace

import pytest
from answer_doubles import MemoryRetriever, evidence_of
from doubles import MemoryDocuments
from hypothesis import given, settings
from hypothesis import strategies as st
from toolrag import render
from toolrag.answer.citations import anchor_of, written
from toolrag.answer.reading import ReadResult
from toolrag.answer.types import Answer, Callers, Citation, Claim, Reason, Usage
from toolrag.ports import Candidate, Scope, Searched, SearchResult
from toolrag.render import Look
from toolrag.symbols import Span
from toolrag.text import Form, LineRange, Text, TextSnapshot

PLAIN = Look(width=80)
CODE = "def f():\n" + "".join(f"    x{n} = {n}\n" for n in range(20))
HOSTILE = "\x1b[31mpwned\x1b]0;title\x07\x9b2J\u202eevil\u200b\r\n\tlast\u2028line\x7f"


def snapshot(text: str = CODE, path: str = "a.py", *, dirty: bool = False) -> TextSnapshot:
    return TextSnapshot(f"file:///r/{path}", "r", path, Text(text), Form(), "0" * 40, "disk", dirty=dirty)


def citation(text: TextSnapshot, start: int, end: int, symbol: str = "f", name: str = "r1") -> Citation:
    lines = LineRange(start - 1, end)
    return Citation(name, text, lines, text.text.sha_of(lines), anchor_of(text.text, lines), symbol, "verified")


def candidate(path: str = "b.py", name: str = "g", reason: str = "its name") -> Candidate:
    lines = LineRange(4, 6)
    span = Span(name, "", "function", lines, LineRange(4, 5), 8)
    uri = f"file:///r/{path}"
    return Candidate(uri, "r", path, "0" * 40, "python", span, None, lines, f"def {name}()", 1.0, 0.5, (reason,))


def answer(**changes: object) -> Answer:
    given_answer = Answer(
        id="0" * 16,
        question="what does f do?",
        outcome="answered",
        reason=None,
        model="extractive",
        claims=(Claim("c1", "`f` sets `x0` to `0`.", ("r1", "r2")),),
        citations=(citation(snapshot(), 2, 3), citation(snapshot(), 1, 1, name="r2")),
        candidates=(candidate(),),
        searched=Searched(1_200, 3, True, ("f",)),
        usage=Usage(seconds=0.25),
    )
    return replace(given_answer, **changes)  # type: ignore[arg-type]  # names of any of its members


def lines(shown: Iterable[str]) -> list[str]:
    return "\n".join(shown).split("\n")


def test_what_a_model_took_is_said() -> None:
    spent = Usage(turns=3, input_tokens=4_000, output_tokens=200, seconds=2.5)
    (title, *_) = lines(render.answer(answer(model="openai:m", usage=spent), PLAIN))
    assert title.endswith("openai:m · 1,200 files · 3 turns · 4,200 tokens · 2.50 s")


def test_an_answer_as_a_terminal_shows_it() -> None:
    first, second = (written(one) for one in answer().citations)
    assert lines(render.answer(answer(), PLAIN)) == [
        f"what does f do?{' ' * 32}extractive · 1,200 files · 0.25 s",
        "",
        "1  `f` sets `x0` to `0`.",
        f"   {first}  f{' ' * (80 - 3 - len(first) - 3 - 8)}verified",
        "       2 │     x0 = 0",
        "       3 │     x1 = 1",
        f"   {second}  f{' ' * (80 - 3 - len(second) - 3 - 8)}verified",
        "",
        "Also looked at: b.py:5-6 (g)",
    ]


def test_a_long_quote_is_shortened_and_says_so() -> None:
    shown = lines(
        render.answer(answer(citations=(citation(snapshot(), 1, 12), citation(snapshot(), 1, 1, name="r2"))), PLAIN)
    )
    assert "         … 4 more lines" in shown
    assert sum("│" in line for line in shown) == render.SHOWN_LINES


def test_unsaved_text_is_said_to_be() -> None:
    unsaved = (citation(snapshot(dirty=True), 1, 1), citation(snapshot(), 1, 1, name="r2"))
    shown = lines(render.answer(answer(citations=unsaved), PLAIN))
    assert [line.rsplit("  ", 1)[-1] for line in shown if "@" in line] == ["verified, unsaved", "verified"]


def test_nothing_found_gives_its_reason_and_where_to_look() -> None:
    nothing = answer(outcome="notFound", reason=Reason("nothing_found", "None."), claims=(), citations=())
    assert lines(render.answer(nothing, PLAIN))[1:] == ["", "None.", "", "Where to look: b.py:5-6 (g)"]


@pytest.mark.parametrize(
    ("callers", "expected"),
    [
        pytest.param(Callers("f", 1, 1, complete=True), "f( is named at 1 place in 1 file.", id="one"),
        pytest.param(Callers("f", 200, 9, complete=False), "f( is named at 200 places or more in 9 files.", id="many"),
    ],
)
def test_callers_are_counted(callers: Callers, expected: str) -> None:
    assert expected in lines(render.answer(answer(callers=callers), PLAIN))


def test_candidates() -> None:
    found = SearchResult((candidate(),), Searched(1, 0, True, ("g",)))
    assert lines(render.candidates(found, PLAIN)) == ["b.py:5-6  g", "    def g()", "    its name"]


@pytest.mark.parametrize(
    ("searched", "expected"),
    [
        pytest.param(
            Searched(1, 0, True, ("a", "b"), ("b",)), "Nothing found in 1 file; none mentions b.", id="a missing word"
        ),
        pytest.param(Searched(2, 0, True, ("a",)), "Nothing found in 2 files; none mentions a.", id="all words"),
        pytest.param(
            Searched(2, 0, False, ("a",)),
            "Nothing found so far in 2 files, but not all are indexed; see `toolrag index`.",
            id="some files wait",
        ),
        pytest.param(
            Searched(2, 0, True, ()), "Nothing to search for: give a name, or words from the code.", id="no words"
        ),
    ],
)
def test_no_candidates(searched: Searched, expected: str) -> None:
    assert lines(render.candidates(SearchResult((), searched), PLAIN)) == [expected]


def test_lines_that_were_read() -> None:
    text = asyncio.run(MemoryDocuments({"a.py": "a\n\tb\x1b\n"}).snapshot("a.py"))
    [evidence] = evidence_of(text, [(1, 3)])
    sha = text.text.sha_of(evidence.lines)
    shown = lines(render.lines_read(ReadResult(evidence, text.text.content, sha), PLAIN))
    assert shown[0].startswith(f"a.py:1-3@{sha[:12]} ")
    assert shown[0].endswith(f"disk · {text.sha[:12]}")
    assert shown[1:] == ["       1 │ a", "       2 │     b\\x1b", "       3 │"]


def test_coverage_says_what_was_left_out() -> None:
    report = {
        "files": 1200,
        "spans": 3,
        "seconds": 0.5,
        "languages": {"python": 1200},
        "skipped": {"secret": 1, "other": 2},
        "problems": [f"{HOSTILE}: cut short"],
    }
    shown = lines(render.coverage(report, PLAIN))
    assert shown[:5] == [
        "1,200 files indexed, 3 symbols, 0.50 s",
        "by language",
        "     1,200  python",
        "not indexed",
        "         2  other",
    ]
    assert shown[5] == "         1  secrets by their names"
    assert len(shown) == 7


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "environment", "colours"),
    [
        pytest.param(Terminal(), {}, True, id="a terminal"),
        pytest.param(Terminal(), {"NO_COLOR": "1"}, False, id="NO_COLOR"),
        pytest.param(Terminal(), {"NO_COLOR": ""}, True, id="an empty NO_COLOR is none"),
        pytest.param(Terminal(), {"TERM": "dumb"}, False, id="a terminal without colours"),
        pytest.param(io.StringIO(), {}, False, id="a pipe"),
    ],
)
def test_colours(
    stream: io.StringIO, environment: dict[str, str], colours: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    look = render.look_for(stream)
    assert look.colours == colours
    assert ("\x1b[" in "".join(render.answer(answer(), look))) == colours


@pytest.mark.parametrize(
    ("columns", "width"),
    [pytest.param("20", 60, id="narrow"), pytest.param("90", 90, id="between"), pytest.param("500", 110, id="wide")],
)
def test_the_width_is_the_terminals_within_reason(columns: str, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert render.look_for(Terminal()).width == width
    assert render.look_for(io.StringIO()).width == 100


WORDS = st.lists(st.text(st.sampled_from("abc`_é"), min_size=1, max_size=12), min_size=1, max_size=30).map(" ".join)


@settings(deadline=None)
@given(st.integers(60, 110), WORDS, WORDS, WORDS)
def test_no_line_is_wider_than_the_terminal(width: int, question: str, claim: str, code: str) -> None:
    text = snapshot(f"{code}\n{code}")
    shown = answer(
        question=question,
        claims=(Claim("c1", claim, ("r1",)),),
        citations=(citation(text, 1, 2, symbol=claim),),
        candidates=(candidate(name=claim, reason=code),) * 3,
        reason=Reason("nothing_found", claim),
    )
    look = Look(width, cuts=True)
    assert max(map(len, lines(render.answer(shown, look)))) <= width
    found = SearchResult((replace(candidate(reason=code), signature=code),), shown.searched)
    assert max(map(len, lines(render.candidates(found, look)))) <= width


ODD = st.text(st.sampled_from(f"{HOSTILE}ab `/"), max_size=12) | st.text(max_size=8)


@settings(deadline=None, max_examples=60)
@given(ODD, ODD, ODD, ODD)
def test_only_line_ends_of_our_own_reach_the_terminal(path: str, name: str, words: str, code: str) -> None:
    text = snapshot(f"{code}\n{HOSTILE}", f"p{path}")
    found = candidate(f"q{path}", f"n{name}", words)
    shown = answer(
        question=words,
        model=f"m{name}",
        claims=(Claim("c1", f"c{words}", ("r1",)),),
        citations=(citation(text, 1, text.text.n_lines, symbol=name),),
        candidates=(found,),
        reason=Reason("nothing_found", f"r{words}"),
        callers=Callers(name, 1, 1, complete=True),
        searched=Searched(1, 0, True, (words,), (name,)),
    )
    [evidence] = evidence_of(text, [(1, text.text.n_lines)])
    pieces = [
        *render.answer(shown, PLAIN),
        *render.candidates(SearchResult((found,), shown.searched), PLAIN),
        *render.candidates(SearchResult((), shown.searched), PLAIN),
        *render.lines_read(ReadResult(evidence, text.text.content, "0" * 64), PLAIN),
    ]
    for piece in pieces:
        assert not re.search(
            "[\x00-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]", piece
        )


def test_a_real_candidate_is_shown() -> None:
    found = asyncio.run(MemoryRetriever({"a.py": CODE, "b.md": "# Title\n\nwords\n"}).search("f title", 5, Scope()))
    assert lines(render.candidates(found, PLAIN))[0] == "a.py:1-21  f"
    assert "b.md:1-3  Title" in lines(render.candidates(found, PLAIN))
