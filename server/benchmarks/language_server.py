"""The language server from a client's side, on real sources: how long asks and searches take, and the longest stall.

    python server/benchmarks/language_server.py FOLDER [FILE]

FOLDER is indexed from nothing by a server process of its own, over pipes. A stall is how long `toolrag/status`, which
does no work, is not answered; it is asked again as soon as it was, all the while. Then questions and searches on the
finished index; then 20 edits a second for 30 s in FILE (a large Python file by default), with searches for a symbol
typed at second 5 and for one typed last. Targets are printed beside, and decide nothing: machines differ.
"""

from __future__ import annotations

import itertools
import json
import os
import platform
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

Json = dict[str, Any]
EDITS_A_SECOND: Final = 20
TYPING_SECONDS: Final = 30
PAUSE: Final = 0.005
"""Between an answer and the next question for the status: a client that asks without pause would measure itself."""
LOOK: Final = 0.05
"""Between two searches for what was typed, likewise; a search takes the server 15 ms."""

QUESTIONS: Final = (
    "where are passwords hashed?",
    "how is the CSRF token checked?",
    "what does select_related do?",
    "how does the ORM build a SQL join?",
    "who calls get_prep_value",
    "where is the session cookie age configured?",
    "what happens when a migration is applied twice?",
    "how are signals dispatched?",
    "where is the default language set?",
    "what does QuerySet.filter do?",
    "how are templates cached?",
    "what happens when a form field is empty?",
    "where are static files collected?",
    "how is a transaction rolled back?",
    "who calls refresh_from_db",
    "where is the admin site registered?",
    "how are URLs resolved?",
    "what does reverse do?",
    "where is the maximum upload size checked?",
    "how does the test client log a user in?",
)


class Client:
    """A client over pipes that notes when each answer arrived."""

    def __init__(self, folder: Path, cache: str, *more: Path, capabilities: Json | None = None) -> None:
        command = [str(Path(sys.executable).with_name("toolrag")), "serve"]
        environment = {**os.environ, "XDG_CACHE_HOME": cache, "XDG_STATE_HOME": cache}
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment
        )
        self._ids = itertools.count(1)
        self._answers: dict[int, tuple[float, Json]] = {}
        self._arrived = threading.Condition()
        self._writing = threading.Lock()
        threading.Thread(target=self._read, daemon=True).start()
        folders = [{"uri": one.as_uri(), "name": one.name} for one in (folder, *more)]
        about = {"processId": os.getpid(), "workspaceFolders": folders, "capabilities": capabilities or {}}
        self.request("initialize", about)
        self.notify("initialized", {})

    def notify(self, method: str, params: Json) -> None:
        """Sends a notification."""
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    def request(self, method: str, params: Json) -> tuple[float, Any]:
        """Seconds until the answer was there, and its result."""
        number = next(self._ids)
        began = time.perf_counter()
        self._send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        with self._arrived:
            self._arrived.wait_for(lambda: number in self._answers)
            arrived, message = self._answers.pop(number)
        if "error" in message:
            sys.exit(f"{method}: {message['error']}")
        return arrived - began, message["result"]

    def close(self) -> None:
        """Ends the server as the protocol says."""
        self.request("shutdown", {})
        self.notify("exit", {})
        self._process.wait()

    def _send(self, message: Json) -> None:
        body = json.dumps(message).encode()
        assert self._process.stdin is not None
        with self._writing:
            self._process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
            self._process.stdin.flush()

    def _read(self) -> None:
        stdout = self._process.stdout
        assert stdout is not None
        while line := stdout.readline():
            length = int(line.split(b":")[1])
            while stdout.readline() != b"\r\n":
                pass
            message = json.loads(stdout.read(length))
            arrived = time.perf_counter()
            if "method" not in message:
                with self._arrived:
                    self._answers[message["id"]] = arrived, message
                    self._arrived.notify_all()


class Pulse:
    """Asks for the status again and again, on a thread of its own, and keeps how long each took."""

    def __init__(self, client: Client) -> None:
        self.seconds: list[float] = []
        self.status: Json = {}
        self._client = client
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._beat)

    def __enter__(self) -> Pulse:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _beat(self) -> None:
        while not self._over.wait(PAUSE):
            seconds, self.status = self._client.request("toolrag/status", {})
            self.seconds.append(seconds)


def main(folder: Path, file: Path) -> None:
    print(f"{folder.name}: {os.cpu_count()} cores, Python {platform.python_version()}, load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as cache:
        client = Client(folder, cache)
        began = time.perf_counter()
        with Pulse(client) as pulse:
            until(lambda: pulse.status.get("phase") == "ready")
            searchable = time.perf_counter() - began
            until(lambda: pulse.status["dense"]["indexed"] == pulse.status["dense"]["total"] > 0)
        stalls("stall while indexing", pulse.seconds)
        print(f"  searchable after {searchable:.1f} s, vectors complete after {time.perf_counter() - began:.1f} s")
        asks = [client.request("toolrag/ask", {"question": question})[0] for _ in range(3) for question in QUESTIONS]
        spread("ask", asks, 200)
        searches = [
            client.request("toolrag/search", {"query": question})[0] for _ in range(3) for question in QUESTIONS
        ]
        spread("search", searches, 30)
        typing(client, file)
        client.close()


def typing(client: Client, file: Path) -> None:
    """Types in a file, and says when what was typed is found, and how long the server was away."""
    text, uri = file.read_text("utf-8"), file.as_uri()
    document = {"uri": uri, "languageId": "python", "version": 1, "text": text}
    client.notify("textDocument/didOpen", {"textDocument": document})
    found: dict[str, float] = {}
    asks: list[float] = []
    over = threading.Event()

    def look(name: str) -> None:
        while name not in found and not over.is_set():
            _, result = client.request("toolrag/search", {"query": name, "limit": 5})
            if any(one["symbol"]["name"] == name for one in result["candidates"]):
                found[name] = time.perf_counter()
            over.wait(LOOK)

    def ask() -> None:
        while not over.wait(1.0):
            asks.append(client.request("toolrag/ask", {"question": QUESTIONS[len(asks) % len(QUESTIONS)]})[0])

    versions = itertools.count(2)
    last_line = text.count("\n")

    def key(inserted: str) -> None:
        at = {"line": last_line, "character": 0}
        change = {"range": {"start": at, "end": at}, "text": inserted}
        document = {"uri": uri, "version": next(versions)}
        client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})

    watchers = [threading.Thread(target=look, args=("typed_at_five",)), threading.Thread(target=ask)]
    began = time.perf_counter()
    with Pulse(client) as pulse:
        for number in range(EDITS_A_SECOND * TYPING_SECONDS):
            time.sleep(max(0.0, began + number / EDITS_A_SECOND - time.perf_counter()))
            if number == 5 * EDITS_A_SECOND:
                key("\n\ndef typed_at_five(value):\n    return value\n")
                typed = time.perf_counter()
                for watcher in watchers:
                    watcher.start()
            else:
                key(f"# {number}\n")
        key("\n\ndef typed_last(value):\n    return value\n")
        last = time.perf_counter()
        final = threading.Thread(target=look, args=("typed_last",))
        final.start()
        until(lambda: "typed_last" in found)
    over.set()
    for watcher in (*watchers, final):
        watcher.join()
    stalls("stall while typing", pulse.seconds)
    spread("ask while typing", asks, 200)
    print(f"  typed at second 5 of {TYPING_SECONDS}, found {found['typed_at_five'] - typed:.2f} s later (target 2)")
    print(f"  found {1_000 * (found['typed_last'] - last):.0f} ms after the last key (target 500)")


def until(holds: Any) -> None:
    """Waits for something that another thread brings about."""
    while not holds():
        time.sleep(0.005)


def stalls(what: str, seconds: Sequence[float]) -> None:
    """The longest, and how many were over the target."""
    over = sum(one > 0.05 for one in seconds)
    p99 = sorted(seconds)[int(0.99 * len(seconds))]
    print(
        f"  {what}: longest {1_000 * max(seconds):.0f} ms, p99 {1_000 * p99:.1f} ms, "
        f"{over} of {len(seconds):,} over 50 ms (target: none)"
    )


def spread(what: str, seconds: Sequence[float], target_ms: int) -> None:
    """Median and 95th percentile."""
    ordered = sorted(seconds)
    p50, p95 = (1_000 * ordered[int(share * len(ordered))] for share in (0.5, 0.95))
    print(f"  {what}: p50 {p50:.0f} ms, p95 {p95:.0f} ms of {len(seconds)} (target p95 {target_ms})")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    root = Path(sys.argv[1]).resolve()
    largest = max(root.rglob("*.py"), key=lambda path: -abs(path.stat().st_size - 100_000))
    main(root, Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else largest)
