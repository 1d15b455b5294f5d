"""`grep` gives lines by path, within its caps, and says whether that was all."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest
from doubles import MemoryDocuments
from index_doubles import ParsingRetriever
from toolrag.answer.tools.line_pattern import MAX_LINE
from toolrag.answer.tools.toolbox import Toolbox
from toolrag.chat import ToolCall
from toolrag.text import TextSnapshot
from tools_doubles import LIMITS, Bench, StillClock, memory_bench

FILES = {
    "b.py": "import a\n\ndef send(x):\n    return x\n",
    "a.py": "# send it\r\ndef Send(x):\rpass",
    "docs/c.md": "# Send\n\nIt sends — “send”.\n",
    "web/d.ts": "send()\n",
    "web/e.tsx": "send()\n",
}


def lines(bench: Bench, pattern: str, **more: object) -> list[str]:
    """`path:line:text` of each match, of a search that was whole."""
    told = bench.told("grep", pattern=pattern, **more)
    assert told["complete"] is True
    assert "why_incomplete" not in told
    return [f"{one['path']}:{one['line']}:{one['text']}" for one in told["matches"]]  # type: ignore[attr-defined]


def test_lines_come_by_path_with_their_numbers() -> None:
    assert lines(memory_bench(FILES), r"def \w+\(") == ["a.py:2:def Send(x):", "b.py:3:def send(x):"]


def test_a_line_is_given_once_and_whole() -> None:
    assert lines(memory_bench(FILES), "send", include="docs") == []
    assert lines(memory_bench(FILES), "send", include="docs/*") == ["docs/c.md:3:It sends — “send”."]


def test_capitals_count_unless_it_is_said_otherwise() -> None:
    assert len(lines(memory_bench(FILES), "SEND")) == 0
    assert len(lines(memory_bench(FILES), "SEND", ignore_case=True)) == 7


@pytest.mark.parametrize(
    ("include", "paths"),
    [
        ("*.py", ["a.py", "b.py"]),
        ("*.{ts,tsx}", ["web/d.ts", "web/e.tsx"]),
        ("{a,b}.{py,md}", ["a.py", "b.py"]),
        ("*.md, web/d.*", ["docs/c.md", "web/d.ts"]),
        ("*.{ts, md},a.py", ["a.py", "docs/c.md", "web/d.ts"]),
        ("", ["a.py", "b.py", "docs/c.md", "web/d.ts", "web/e.tsx"]),
        ("{", []),
        ("*.rs", []),
    ],
)
def test_files_are_chosen_by_globs(include: str, paths: list[str]) -> None:
    told = memory_bench(FILES).told("grep", pattern="(?i)send", include=include)
    assert list(dict.fromkeys(one["path"] for one in told["matches"])) == paths  # type: ignore[attr-defined]
    assert told["files_searched"] == len(paths)
    assert ("message" in told) is (not paths)


@pytest.mark.parametrize("include", ["x" * 301, "{a,b}" * 30])
def test_too_much_to_include_is_refused(include: str) -> None:
    assert memory_bench(FILES).refused("grep", pattern="a", include=include)[0] == "bad_arguments"


@pytest.mark.parametrize(
    ("pattern", "says"),
    [("", "pattern is empty"), ("x" * 501, "at most 500"), ("(?=a)", "Lookahead"), ("(", "no pattern")],
)
def test_a_pattern_that_cannot_be_taken_is_told_why(pattern: str, says: str) -> None:
    failure, message = memory_bench(FILES).refused("grep", pattern=pattern)
    assert failure == "bad_arguments"
    assert says in message


def test_a_pattern_that_matches_nothing_at_all_matches_every_line() -> None:
    assert len(lines(memory_bench(FILES), "x*")) == 5 + 3 + 4 + 2 + 2


class TestCaps:
    def test_of_a_file_ten_lines(self) -> None:
        bench = memory_bench({"a.py": "x\n" * 11, "b.py": "x\n" * 10})
        told = bench.told("grep", pattern="x")
        assert [(one["path"], one["line"]) for one in told["matches"]] == [  # type: ignore[attr-defined]
            *(("a.py", at) for at in range(1, 11)),
            *(("b.py", at) for at in range(1, 11)),
        ]
        assert told["complete"] is False
        assert told["why_incomplete"] == "Of a file at most 10 lines are given."

    @pytest.mark.parametrize(("count", "complete"), [(40, True), (41, False)])
    def test_forty_lines_in_all(self, count: int, complete: bool) -> None:
        told = memory_bench({f"m{at:02}.py": "x\n" for at in range(count)}).told("grep", pattern="x")
        assert len(told["matches"]) == LIMITS.max_matches  # type: ignore[arg-type]
        assert told["complete"] is complete
        assert complete or "More than 40 lines" in str(told["why_incomplete"])

    def test_files(self) -> None:
        bench = memory_bench({f"m{at}.py": "x\n" for at in range(5)}, limits=replace(LIMITS, max_files=3))
        told = bench.told("grep", pattern="x")
        assert (told["files_searched"], told["complete"]) == (3, False)
        assert "Only 3 of 5 files" in str(told["why_incomplete"])

    def test_seconds(self) -> None:
        class QuickClock(StillClock):
            async def sleep(self, seconds: float) -> None:
                await super().sleep(seconds)
                self.time += 1.0

        bench = memory_bench({f"m{at}.py": "x\n" for at in range(9)}, clock=QuickClock())
        told = bench.told("grep", pattern="x")
        assert len(told["matches"]) == 3  # type: ignore[arg-type]
        assert "longer than 3 seconds" in str(told["why_incomplete"])

    def test_a_long_line_is_cut_around_its_match(self) -> None:
        bench = memory_bench({"a.py": f"{'a' * 500}send{'b' * 500}\nsend{'c' * 500}\n{'d' * 500}send\n"})
        texts = [one.split(":", 2)[2] for one in lines(bench, "send")]
        assert all(len(text.strip("…")) == 200 for text in texts)
        assert texts[0] == f"…{'a' * 98}send{'b' * 98}…"
        assert texts[1] == f"send{'c' * 196}…"
        assert texts[2] == f"…{'d' * 196}send"
        assert [one.split(":", 2)[2] for one in lines(bench, "a.*b")] == [f"{'a' * 200}…"]

    def test_of_an_endless_line_the_start_is_searched(self) -> None:
        bench = memory_bench({"a.py": f"one\n{'x' * MAX_LINE}send\nsend\n"})
        told = bench.told("grep", pattern="send")
        assert [one["line"] for one in told["matches"]] == [3]  # type: ignore[attr-defined]
        assert told["complete"] is False
        assert "first 20,000 bytes" in str(told["why_incomplete"])

    def test_a_pattern_that_would_explode_ends(self) -> None:
        """A backtracking engine takes about 2 to the 20,000th steps for this line."""
        told = memory_bench({"a.py": f"{'a' * (MAX_LINE - 1)}!\n"}).told("grep", pattern="(a+)+$")
        assert told["matches"] == []
        assert told["complete"] is True


@pytest.mark.parametrize("length", [10, 30_000, 262_143, 262_144, 262_145, 600_000])
def test_slices_of_a_long_text_lose_no_line(length: int) -> None:
    """The line numbers are the editor's, wherever a slice ends; between slices others have their turn."""
    text = "".join(f"{at}: é\n" for at in range(length // 8))
    last = text.count("\n")
    wanted = sorted({1, last // 3 + 1, last})
    split = text.split("\n")
    for number in wanted:
        split[number - 1] += " here"
    clock = StillClock()
    bench = memory_bench({"a.txt": "\r\n".join(split)}, clock=clock)
    assert [one.split(":")[1] for one in lines(bench, "here$")] == [str(number) for number in wanted]
    assert clock.n_sleeps >= len("\n".join(split).encode()) // 262_144


def test_a_search_that_is_cancelled_ends() -> None:
    class ManyDocuments(MemoryDocuments):
        n_glances = 0

        async def glances(self, paths: Sequence[str]) -> list[TextSnapshot | None]:
            self.n_glances += 1
            return await super().glances(paths)

    documents = ManyDocuments({f"m{at}.py": "x\n" for at in range(400)})
    bench = Bench(documents, ParsingRetriever(documents))

    async def main(toolbox: Toolbox) -> None:
        task = asyncio.create_task(toolbox.run(ToolCall("1", "grep", {"pattern": "nowhere"})))
        for _ in range(5):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main(bench.toolbox))
    assert documents.n_glances == 1


def test_files_that_cannot_be_read_are_passed_over() -> None:
    bench = memory_bench({"a.py": "send\n", "b.py": "send\0", "c.py": "send\n"})
    assert [one.split(":")[0] for one in lines(bench, "send")] == ["a.py", "c.py"]
