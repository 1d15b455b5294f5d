"""What the parse process does when something goes wrong on either side."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import pytest
from toolrag.adapters import parse_wire
from toolrag.adapters.codec import decode_analysis
from toolrag.adapters.parse_process import ParseProcess
from toolrag.symbols import Analysis

TESTS = Path(__file__).parents[1]
T = TypeVar("T")

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="kills processes the POSIX way")


@pytest.fixture(autouse=True)
def _doubles_on_the_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(TESTS))


def run(body: Callable[[ParseProcess], Awaitable[T]], limit_seconds: float = 60.0, grace_seconds: float = 1.0) -> T:
    """What `body` returns when given a parser whose child obeys its texts. Leaks fail the test that made them."""

    async def main() -> T:
        parser = ParseProcess(limit_seconds, grace_seconds=grace_seconds, worker="parse_worker_double")
        async with parser:
            return await body(parser)

    result = asyncio.run(main())
    gc.collect()
    return result


def names(analysis: Analysis) -> list[str]:
    return [span.name for span in analysis.parsed.spans]


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that nobody has waited for yet does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")
    return not status.exists() or status.read_text().rpartition(")")[2].split()[0] != "Z"


def becomes_true(condition: Callable[[], bool], seconds: float = 5.0) -> bool:
    deadline = time.monotonic() + seconds
    while not (met := condition()) and time.monotonic() < deadline:
        os.sched_yield()
    return met


def test_the_child_starts_with_the_first_text_and_ends_with_close() -> None:
    """No process before it is needed, none after."""

    async def body(parser: ParseProcess) -> int:
        before = parser.pid
        await parser.parse("x = 1", "python")
        assert before is None
        return parser.pid or 0

    child = run(body)
    assert child
    assert not is_alive(child)


def test_after_a_killed_child_the_next_text_is_parsed() -> None:
    """By another child."""

    async def body(parser: ParseProcess) -> None:
        await parser.parse("x = 1", "python")
        first = parser.pid
        assert first is not None
        os.kill(first, signal.SIGKILL)
        assert names(await parser.parse("y = 1", "python")) == ["y"]
        assert parser.pid != first

    run(body)


def test_a_text_that_kills_the_parser_is_named_and_the_others_are_parsed() -> None:
    """It is tried twice, and only it is without symbols."""

    async def body(parser: ParseProcess) -> list[Analysis]:
        texts = ["a = 1", "b = 1", "die", "c = 1", "d = 1"]
        return list(await asyncio.gather(*(parser.parse(text, "python") for text in texts)))

    analyses = run(body)
    assert [names(analysis) for analysis in analyses] == [["a"], ["b"], [], ["c"], ["d"]]
    assert [analysis.parsed.problems for analysis in analyses] == [(), (), ("The parser crashed on it.",), (), ()]


def test_a_text_is_tried_once_more_after_a_crash(tmp_path: Path) -> None:
    """A child may end for other reasons than the text it is at."""

    async def body(parser: ParseProcess) -> Analysis:
        return await parser.parse(f"die once {tmp_path / 'died'}", "python")

    assert run(body).parsed.problems == ()
    assert (tmp_path / "died").exists()


def test_a_text_that_hangs_the_parser_is_named_and_the_others_are_parsed() -> None:
    """The child is ended, and another takes what waits."""

    async def body(parser: ParseProcess) -> list[Analysis]:
        return list(await asyncio.gather(*(parser.parse(text, "python") for text in ("a = 1", "hang", "b = 1"))))

    analyses = run(body, limit_seconds=2.0, grace_seconds=0.1)
    assert [names(analysis) for analysis in analyses] == [["a"], [], ["b"]]
    assert analyses[1].parsed.problems == ("Parsing took longer than 2 s.",)


def test_a_parse_past_its_limit_keeps_its_terms() -> None:
    """The child notices by itself before it has to be ended: the lines can still be searched."""

    async def body(parser: ParseProcess) -> tuple[Analysis, Analysis]:
        large = await parser.parse("def f(): pass\n" * 20_000, "python")
        return large, await parser.parse("x", "python")

    analysis, _ = run(body, limit_seconds=0.000_001, grace_seconds=60)
    assert analysis.parsed.problems == ("Parsing was stopped: its time had run out.",)
    assert len(analysis.terms.text_ids) == len(analysis.parsed.passages) == 500


def test_what_is_under_way_when_the_parser_closes_is_told_so() -> None:
    """Nobody waits for ever, neither for a text that was sent nor for one that comes later."""

    async def body(parser: ParseProcess) -> list[Analysis]:
        await parser.parse("x = 1", "python")
        tasks = [asyncio.create_task(parser.parse("hang", "python")) for _ in range(6)]
        await asyncio.wait(tasks, timeout=0)
        await parser.close()
        return [*await asyncio.gather(*tasks), await parser.parse("x = 1", "python")]

    assert [analysis.parsed.problems for analysis in run(body)] == [("The parser was closed.",)] * 7


def test_a_parser_closed_while_its_child_starts_leaves_none() -> None:
    """Whenever it is closed."""

    async def main() -> tuple[str, ...]:
        async with ParseProcess(worker="parse_worker_double") as parser:
            task = asyncio.create_task(parser.parse("x = 1", "python"))
            while parser.pid is None:
                await asyncio.wait([task], timeout=0.001)
        return (await task).parsed.problems

    assert asyncio.run(main()) == ("The parser was closed.",)
    gc.collect()


def test_a_child_that_cannot_be_started_is_told() -> None:
    """Each text gets the problem; none waits, none raises."""

    async def main() -> list[tuple[str, ...]]:
        async with ParseProcess(worker="no_such_module") as parser:
            analyses = await asyncio.gather(*(parser.parse("x = 1", "python") for _ in range(3)))
            return [analysis.parsed.problems for analysis in analyses]

    assert asyncio.run(main()) == [("The parse process could not be started.",)] * 3
    gc.collect()


PARENT = """
import asyncio, sys
from toolrag.adapters.parse_process import ParseProcess

async def main():
    parser = ParseProcess(worker="parse_worker_double")
    await parser.parse("print", "python")
    task = asyncio.create_task(parser.parse(sys.argv[1], "python"))
    print(parser.pid, flush=True)
    await asyncio.Event().wait()

asyncio.run(main())
"""


@pytest.mark.parametrize("text", [pytest.param("x = 1", id="idle"), pytest.param("hang", id="at work")])
def test_the_child_of_a_killed_parent_goes_and_holds_none_of_its_pipes(text: str) -> None:
    """kill -9 leaves no process behind, and who reads the parent's stdout sees its end."""
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, text], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    with parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        assert is_alive(child)
        parent.kill()
        rest, errors = parent.communicate(timeout=5)
    assert rest == b""
    assert errors == b"printed by a grammar\n"
    assert becomes_true(lambda: not is_alive(child))


def start_worker(parent: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "parse_worker_double", f"--parent={parent}", "--limit-seconds=60"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def test_stdout_carries_answers_only() -> None:
    """What a library prints goes to stderr."""
    worker = start_worker(os.getpid())
    with worker:
        assert worker.stdin is not None
        assert worker.stdout is not None
        assert parse_wire.read_frame(worker.stdout.read) == (b"{}", b"")
        worker.stdin.write(parse_wire.request("print", "python"))
        worker.stdin.flush()
        answer = parse_wire.read_frame(worker.stdout.read)
        assert answer is not None
        assert len(decode_analysis(answer[1]).parsed.passages) == 1
        rest, errors = worker.communicate(timeout=5)
    assert (rest, errors, worker.returncode) == (b"", b"printed by a grammar\n", 0)


def test_a_child_that_nobody_reads_from_leaves_without_a_word() -> None:
    """A parent that went while a text was parsed is no error to print."""
    worker = start_worker(os.getpid())
    with worker:
        assert worker.stdin is not None
        assert worker.stdout is not None
        assert worker.stderr is not None
        assert parse_wire.read_frame(worker.stdout.read) == (b"{}", b"")
        worker.stdout.close()
        worker.stdin.write(parse_wire.request("x = 1", "python"))
        worker.stdin.flush()
        errors = worker.stderr.read()
        assert (worker.wait(timeout=5), errors) == (0, b"")


def test_the_end_of_stdin_ends_a_child_at_work() -> None:
    """Where the kernel does not say that the parent is gone, the pipe does."""
    worker = start_worker(os.getpid())
    with worker:
        assert worker.stdin is not None
        assert worker.stdout is not None
        worker.stdin.write(parse_wire.request("x = 1", "python") + parse_wire.request("hang", "python"))
        worker.stdin.flush()
        assert parse_wire.read_frame(worker.stdout.read) == (b"{}", b"")
        assert parse_wire.read_frame(worker.stdout.read) is not None
        rest, errors = worker.communicate(timeout=5)
    assert (rest, errors, worker.returncode) == (b"", b"", 0)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a child of its parent's death")
def test_a_child_whose_parent_went_before_it_began_goes_too() -> None:
    """It would never be told otherwise."""
    worker = start_worker(parent=1)
    with worker:
        assert worker.stdout is not None
        assert worker.stdout.read() == b""
        assert worker.wait(5) == 0


def test_ctrl_c_is_for_the_parent() -> None:
    """A terminal sends it to both; the child goes on until it is told to go."""
    worker = start_worker(os.getpid())
    with worker:
        assert worker.stdin is not None
        assert worker.stdout is not None
        assert parse_wire.read_frame(worker.stdout.read) is not None
        worker.send_signal(signal.SIGINT)
        worker.stdin.write(parse_wire.request("x = 1", "python"))
        worker.stdin.flush()
        assert parse_wire.read_frame(worker.stdout.read) is not None
        rest, errors = worker.communicate(timeout=5)
    assert (rest, errors, worker.returncode) == (b"", b"", 0)
