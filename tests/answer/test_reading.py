"""`read_range` as PROTOCOL section 1 has it: every member of a success, every refusal, every cap to the unit."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace

import pytest
from answer_doubles import MemoryRetriever, range_reader, uri
from doubles import MemoryDocuments
from toolrag.answer.reading import RangeReader, ReadResult
from toolrag.config import Budget, ReadLimits
from toolrag.errors import ReadError, ReadErrorCode
from toolrag.ports import DocumentSource, Scope
from toolrag.text import Text, TextSnapshot, blob_sha, lines_sha

TEXT = "one\ntwo\r\nthree\rfour\n"
FILES = {"a.py": TEXT, "empty.py": "", "b.py": "def f():\n    return 1\n"}


def read(reader: RangeReader, path: str, start: object, end: object, sha: str | None = None) -> ReadResult:
    return asyncio.run(reader.read_range(path, start, end, sha))


def refused(
    code: ReadErrorCode, reader: RangeReader, path: str, start: object, end: object, sha: str | None = None
) -> ReadError:
    """The refusal of one read, which must leave no evidence and carry no text."""
    before = reader.evidence
    with pytest.raises(ReadError) as caught:
        read(reader, path, start, end, sha)
    error = caught.value
    assert error.code == code
    assert re.fullmatch(r"[^\n]{10,}\.", error.message)
    assert ". " not in error.message, "one sentence"
    assert reader.evidence == before
    assert "text" not in error.wire()
    return error


def reader_of(files: dict[str, str], **budget: int) -> RangeReader:
    return range_reader(MemoryDocuments(files), replace(Budget(), **budget))


class OneDocument:
    """A DocumentSource of one snapshot, whatever is asked for."""

    def __init__(self, snapshot: TextSnapshot) -> None:
        self._snapshot = snapshot

    async def snapshot(self, path: str) -> TextSnapshot:  # noqa: ARG002 - the port's signature
        return self._snapshot


def test_a_success_has_every_member_of_the_protocol() -> None:
    assert read(reader_of(FILES), "a.py", 2, 3).wire() == {
        "path": "a.py",
        "root": "workspace",
        "uri": "file:///workspace/a.py",
        "start": 2,
        "end": 3,
        "sha": blob_sha(TEXT.encode()),
        "linesSha": lines_sha(["two", "three"]),
        "source": "disk",
        "dirty": False,
        "text": "two\r\nthree\r",
        "evidenceId": "e1",
        "totalLines": 5,
        "redactions": [],
    }


def test_a_buffer_says_its_version_and_that_it_is_unsaved() -> None:
    snapshot = asyncio.run(MemoryDocuments(FILES).snapshot("a.py"))
    documents: DocumentSource = OneDocument(replace(snapshot, source="buffer", version=7, dirty=True))
    wire = read(range_reader(documents), "a.py", 1, 1).wire()
    assert (wire["source"], wire["version"], wire["dirty"]) == ("buffer", 7, True)


@pytest.mark.parametrize(
    ("path", "start", "end", "text"),
    [
        pytest.param("a.py", 1, 1, "one\n", id="first line"),
        pytest.param("a.py", 4, 4, "four\n", id="last line with words"),
        pytest.param("a.py", 5, 5, "", id="the empty line after the final line end"),
        pytest.param("a.py", 1, 5, TEXT, id="the whole file"),
        pytest.param("empty.py", 1, 1, "", id="an empty file has one empty line"),
    ],
)
def test_edges_of_a_file(path: str, start: int, end: int, text: str) -> None:
    result = read(reader_of(FILES), path, start, end)
    assert result.text == text
    assert result.lines_sha == result.evidence.snapshot.text.sha_of(result.evidence.lines)


@pytest.mark.parametrize(
    ("start", "end"),
    [
        pytest.param(0, 1, id="zero"),
        pytest.param(-1, -1, id="negative"),
        pytest.param(-3, 2, id="from before the beginning"),
        pytest.param(3, 2, id="end before start"),
        pytest.param(5, 6, id="one past the end"),
        pytest.param(6, 6, id="after the end"),
        pytest.param(10**9, 10**9, id="far after the end"),
        pytest.param(True, 2, id="a boolean start"),
        pytest.param(1, True, id="a boolean end"),
        pytest.param(1.0, 2, id="a float"),
        pytest.param(1, float("nan"), id="not a number"),
        pytest.param("1", "2", id="words"),
        pytest.param(None, 2, id="no start"),
        pytest.param(1, None, id="no end"),
        pytest.param([1], {}, id="other JSON"),
    ],
)
def test_impossible_ranges_say_how_many_lines_there_are(start: object, end: object) -> None:
    error = refused("range_invalid", reader_of(FILES), "a.py", start, end)
    assert error.wire()["totalLines"] == 5
    assert "5 lines" in error.message


def test_a_file_of_one_line_is_spoken_of_in_the_singular() -> None:
    assert (
        refused("range_invalid", reader_of(FILES), "empty.py", 1, 2).message == "empty.py has 1 line; ask for line 1."
    )


@pytest.mark.parametrize(
    ("start", "end"),
    [
        pytest.param(1, 10**9, id="a thousand million lines"),
        pytest.param(1, 2**63, id="beyond 64 bits"),
        pytest.param(2**63, 2**64, id="wholly beyond 64 bits"),
        pytest.param(1, 10_000, id="ten thousand lines"),
        pytest.param(1, 401, id="one more than the cap"),
    ],
)
def test_huge_ranges_are_too_large(start: int, end: int) -> None:
    refused("too_large", reader_of({"a.py": "x\n" * 20_000}), "a.py", start, end)


def test_the_line_cap_is_exact() -> None:
    assert read(reader_of({"a.py": "x\n" * 500}), "a.py", 1, 400).text == "x\n" * 400


def test_the_byte_cap_is_exact_and_counts_utf8_with_line_ends() -> None:
    exact = "ä" * 11_999 + "\n\n"
    assert read(reader_of({"a.py": exact}), "a.py", 1, 2).text == exact
    error = refused("too_large", reader_of({"a.py": f"x{exact}"}), "a.py", 1, 2)
    assert "24,001 bytes" in error.message
    assert "ask for fewer" in error.message


def test_a_single_line_that_is_too_large_is_not_said_to_be_divisible() -> None:
    assert "leave it out" in refused("too_large", reader_of({"a.py": "x" * 30_000}), "a.py", 1, 1).message


def test_the_users_own_caps_hold() -> None:
    reader = range_reader(MemoryDocuments(FILES), limits=ReadLimits(max_lines=2, max_bytes=9))
    assert read(reader, "a.py", 1, 2).text == "one\ntwo\r\n"
    refused("too_large", reader, "a.py", 1, 3)
    refused("too_large", reader, "a.py", 2, 3)


@pytest.mark.parametrize(
    "sha",
    [
        pytest.param(blob_sha(b"other"), id="of another text"),
        pytest.param(blob_sha(FILES["b.py"].encode()), id="of another file"),
        pytest.param(blob_sha(TEXT.encode())[:12], id="short"),
        pytest.param(blob_sha(TEXT.encode()).upper(), id="upper case"),
        pytest.param("0" * 40, id="all zeros"),
        pytest.param("", id="empty"),
    ],
)
def test_another_sha_is_told_the_fresh_one_and_no_text(sha: str) -> None:
    error = refused("stale_blob", reader_of(FILES), "a.py", 1, 1, sha)
    assert error.wire()["sha"] == blob_sha(TEXT.encode())
    assert "lines" not in error.wire()


def test_the_right_sha_reads() -> None:
    assert read(reader_of(FILES), "a.py", 1, 1, blob_sha(TEXT.encode())).text == "one\n"


def stale_candidate_reader(now: str) -> tuple[RangeReader, str]:
    """A reader that expects `f` of b.py, which has changed since, and the sha of that candidate."""
    candidates = asyncio.run(MemoryRetriever(FILES).definitions("f", 1, Scope()))
    reader = reader_of({**FILES, "b.py": now})
    reader.expect(candidates)
    return reader, candidates[0].sha


def test_a_stale_candidates_symbol_is_told_with_its_lines_now() -> None:
    reader, sha = stale_candidate_reader("import os\n\n" + FILES["b.py"])
    error = refused("stale_blob", reader, "b.py", 1, 2, sha)
    assert error.wire()["lines"] == {"start": 3, "end": 4}
    fresh = error.wire()["sha"]
    assert isinstance(fresh, str)
    assert read(reader, uri("b.py"), 3, 4, fresh).text == FILES["b.py"]


@pytest.mark.parametrize(
    "now",
    [
        pytest.param("x = 1\n", id="it is gone"),
        pytest.param(FILES["b.py"] * 2, id="there are two of its name"),
    ],
)
def test_a_stale_candidates_symbol_that_cannot_be_told_has_no_lines(now: str) -> None:
    reader, sha = stale_candidate_reader(now)
    assert "lines" not in refused("stale_blob", reader, "b.py", 1, 2, sha).wire()


@pytest.mark.parametrize(
    ("path", "code"),
    [
        pytest.param("nowhere.py", "not_found", id="no such file"),
        pytest.param("../up.py", "path_denied", id="outside"),
    ],
)
def test_what_the_documents_refuse_is_passed_on(path: str, code: ReadErrorCode) -> None:
    refused(code, reader_of(FILES), path, 1, 1)


def test_evidence_is_numbered_in_the_order_of_reading() -> None:
    reader = reader_of(FILES)
    for path in ("a.py", "b.py", "a.py"):
        read(reader, path, 1, 1)
    assert [(one.id, one.snapshot.path) for one in reader.evidence] == [("e1", "a.py"), ("e2", "b.py"), ("e3", "a.py")]


def test_reads_run_out() -> None:
    reader = reader_of(FILES, reads=2)
    read(reader, "a.py", 1, 1)
    refused("range_invalid", reader, "a.py", 0, 0)
    read(reader, "a.py", 1, 1)
    refused("budget_spent", reader, "a.py", 1, 1)


def test_calls_run_out_and_are_not_counted_beyond_the_budget() -> None:
    reader = reader_of(FILES, tool_calls=2)
    for _ in range(2):
        refused("not_found", reader, "nowhere.py", 1, 1)
    for _ in range(3):
        refused("budget_spent", reader, "a.py", 1, 1)
    assert reader.usage(0.0).tool_calls == 2


def test_bytes_run_out_to_the_byte() -> None:
    reader = reader_of(FILES, bytes=9)
    read(reader, "a.py", 1, 1)
    read(reader, "a.py", 2, 2)
    refused("budget_spent", reader, "a.py", 3, 3)
    assert read(reader, "a.py", 5, 5).text == ""
    usage = reader.usage(1.23456)
    assert (usage.reads, usage.bytes_read, usage.tool_calls, usage.seconds) == (3, 9, 4, 1.235)


class SlowDocuments(MemoryDocuments):
    """Lets every other read that was asked for begin before this one has its text."""

    async def snapshot(self, path: str) -> TextSnapshot:
        await asyncio.sleep(0)
        return await super().snapshot(path)


def test_reads_that_wait_together_do_not_exceed_the_budget() -> None:
    reader = range_reader(SlowDocuments(FILES), Budget(tool_calls=200, reads=5))

    async def many() -> list[ReadResult | BaseException]:
        return await asyncio.gather(*(reader.read_range("a.py", 1, 1) for _ in range(50)), return_exceptions=True)

    outcomes = asyncio.run(many())
    assert sum(isinstance(one, ReadResult) for one in outcomes) == 5
    assert {one.code for one in outcomes if isinstance(one, ReadError)} == {"budget_spent"}
    assert len(reader.evidence) == 5


def test_lines_that_only_python_would_part_stay_one() -> None:
    text = "a\fb\u2028c\x85d\n"
    result = read(reader_of({"a.py": text}), "a.py", 1, 1)
    assert result.text == text
    assert result.lines_sha == Text(text).sha_of(result.evidence.lines)
