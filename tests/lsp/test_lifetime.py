"""However a server ends, or its client does, no process stays behind; and a crash of its parser is survived.

10 starts and 10 kills are tried; TOOLRAG_LIFETIME_CYCLES tries more.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from language_server import COMMAND, PRICING, QUESTION, Shop, until, until_ready
from raw_client import PATIENCE, Piped

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are looked for in /proc")

N_CYCLES = int(os.environ.get("TOOLRAG_LIFETIME_CYCLES", "10"))

EDITOR = """
import os, sys
sys.path.insert(0, sys.argv[1])
from language_server import until
from raw_client import Piped
client = Piped(sys.argv[3:])
client.initialize(processId=os.getpid(), workspaceFolders=[{"uri": sys.argv[2], "name": "shop"}])
until(client, lambda status: status["phase"] != "starting")
client.begin("toolrag/ask", {"question": "what does discounted_price do?"})
print("asked", flush=True)
sys.stdin.read()
"""
"""A client that starts a server, asks, and waits to be killed."""


class Mark:
    """Finds processes by an environment variable that they, and theirs, inherit."""

    def __init__(self) -> None:
        self.value = f"TOOLRAG_TEST_MARK={uuid.uuid4()}"
        self.environment = dict([self.value.split("=")])

    def processes(self) -> list[int]:
        found = []
        for folder in Path("/proc").iterdir():
            try:
                if folder.name.isdecimal() and self.value.encode() in (folder / "environ").read_bytes():
                    found.append(int(folder.name))
            except OSError:  # it has ended, or is another user's
                continue
        return found

    def wait_for_none(self) -> None:
        began = time.monotonic()
        while left := self.processes():
            assert time.monotonic() - began < PATIENCE, [Path(f"/proc/{pid}/cmdline").read_bytes() for pid in left]
            time.sleep(0.02)


@pytest.fixture
def mark(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> Iterator[Mark]:
    mark = Mark()
    for name, value in {**shop.environment, **mark.environment}.items():
        monkeypatch.setenv(name, value)
    yield mark
    mark.wait_for_none()


def child_of(pid: int) -> int:
    """The parser of a server; looked for until it is there."""
    children = Path(f"/proc/{pid}/task/{pid}/children")
    began = time.monotonic()
    while not (found := children.read_text().split()):
        assert time.monotonic() - began < PATIENCE
    return int(found[0])


@pytest.mark.usefixtures("mark")
def test_starts_and_stops_leave_nothing_behind(shop: Shop) -> None:
    """Stopped at any point of the first indexing, and after it."""
    for number in range(N_CYCLES):
        with shop.serve() as client:
            client.initialize(workspaceFolders=shop.folders)
            if number % 3 == 1:
                client.begin("toolrag/ask", {"question": QUESTION})
            elif number % 3 == 2:
                until_ready(client)
            assert client.leave() == 0
            assert client.said() == ""


def test_a_client_that_is_killed_takes_its_server_along(shop: Shop, mark: Mark) -> None:
    """SIGKILL, while indexing and an answer are under way."""
    tests = str(Path(__file__).parents[1])
    command = [sys.executable, "-c", EDITOR, tests, shop.folder.as_uri(), str(COMMAND), "serve"]
    for _ in range(N_CYCLES):
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as editor:
            assert editor.stdout is not None
            assert editor.stdout.readline() == b"asked\n"
            assert len(mark.processes()) >= 2
            editor.kill()
        mark.wait_for_none()


def test_a_server_whose_pipes_are_held_open_ends_with_the_editor_s_process(shop: Shop, mark: Mark) -> None:
    """Something that the editor started may hold the other ends of the pipes."""
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as editor, shop.serve() as client:
        client.initialize(processId=editor.pid, workspaceFolders=shop.folders)
        assert len(mark.processes()) >= 2
        editor.kill()
        assert client.code() == 1


def test_a_server_that_is_killed_takes_its_parser_along(shop: Shop, mark: Mark) -> None:
    with shop.serve() as client:
        client.initialize(workspaceFolders=shop.folders)
        child_of(client.process.pid)
        client.process.kill()
        client.process.wait()
        mark.wait_for_none()


@pytest.mark.usefixtures("mark")
def test_a_parser_that_is_killed_is_started_again(shop: Shop) -> None:
    with shop.serve() as client:
        client.initialize(workspaceFolders=shop.folders)
        until_ready(client)
        os.kill(child_of(client.process.pid), signal.SIGKILL)
        text = PRICING.replace("discounted_price", "lowered_price")
        document = {"uri": shop.uri("shop/pricing.py"), "languageId": "python", "version": 1, "text": text}
        client.notify("textDocument/didOpen", {"textDocument": document})
        answer = client.request("toolrag/ask", {"question": "what does lowered_price do?"})
        while answer["outcome"] != "answered":
            answer = client.request("toolrag/ask", {"question": "what does lowered_price do?"})
        assert client.leave() == 0


@pytest.mark.usefixtures("mark")
def test_two_servers_on_one_workspace(shop: Shop) -> None:
    """One cache, two windows of an editor."""

    def ask(client: Piped) -> object:
        answer = client.request("toolrag/ask", {"question": QUESTION})
        return answer["outcome"], [one["quote"] for one in answer["citations"]]

    with shop.serve() as one, shop.serve() as other:
        for client in (one, other):
            client.initialize(workspaceFolders=shop.folders)
        for client in (one, other):
            until_ready(client)
        assert ask(one) == ask(other)
        assert one.leave() == other.leave() == 0
        assert one.said() + other.said() == ""


@pytest.mark.usefixtures("mark")
def test_status_is_answered_while_files_are_indexed_and_asks_run(shop: Shop) -> None:
    """Half of the answers within 50 ms, on whatever machine this is; `server/benchmarks` has the longest."""
    for number in range(400):
        (shop.folder / f"module_{number}.py").write_text(f"def function_{number}():\n    return {number}\n" * 20)
    took = []
    with shop.serve() as client:
        client.initialize(workspaceFolders=shop.folders)
        for number in range(10):
            client.begin("toolrag/ask", {"question": f"what does function_{number} return?"})

        def measured(status: dict[str, object]) -> bool:
            took.append(time.perf_counter() - began[0])
            began[0] = time.perf_counter()
            return status["phase"] == "ready"

        began = [time.perf_counter()]
        until(client, measured)
        assert sorted(took)[len(took) // 2] < 0.05, took
        assert client.leave() == 0
