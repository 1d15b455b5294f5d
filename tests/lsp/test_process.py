"""A server in a process of its own, over pipes and sockets: how it begins, what it survives, how it ends."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from raw_client import PATIENCE, Json, Piped, Stream, framed

SERVE = [sys.executable, str(Path(__file__).parents[1] / "serve_fake.py")]
ASK = {"question": "needle"}


def open_document(client: Stream, text: str) -> None:
    document = {"uri": "untitled:a", "languageId": "python", "version": 1, "text": text}
    client.notify("textDocument/didOpen", {"textDocument": document})


@contextmanager
def serving(*arguments: str, **environment: str) -> Iterator[Piped]:
    with Piped([*SERVE, *arguments], environment=environment) as client:
        yield client


def test_a_conversation() -> None:
    """Nothing but messages is on stdout, whatever libraries print; exit code 0 after shutdown."""
    with serving() as client:
        assert client.initialize()["serverInfo"]["name"] == "toolrag"
        open_document(client, "a\fb\n\U0001f600 needle\n")
        answer = client.request("toolrag/ask", ASK)
        assert answer["citations"][0]["lines"] == {"start": 2, "end": 2}
        assert client.leave() == 0
        assert client.rest() == []
        # Python's and C's ways to stderr are two; which arrives first is chance.
        assert sorted(client.said().splitlines()) == ["a library's own words", "and from C"]


@pytest.mark.parametrize(
    "end",
    [
        pytest.param(lambda client: client.notify("exit"), id="exit without shutdown"),
        pytest.param(Piped.hang_up, id="stdin ends"),
        pytest.param(lambda client: client.process.terminate(), id="SIGTERM"),
        pytest.param(lambda client: client.process.send_signal(signal.SIGINT), id="SIGINT"),
        pytest.param(lambda client: client.process.send_signal(signal.SIGHUP), id="SIGHUP"),
        pytest.param(lambda client: client.write(b"GET / HTTP/1.1\r\n"), id="no LSP"),
    ],
)
@pytest.mark.parametrize("initialized", [True, False])
def test_an_end_without_shutdown_is_orderly_and_has_exit_code_1(
    end: Callable[[Piped], None], initialized: bool
) -> None:
    with serving() as client:
        if initialized:
            client.initialize()
            client.begin("toolrag/ask", {"question": "wait"})
        else:
            client.answer(client.begin("toolrag/status"))
        end(client)
        assert client.code() == 1
        assert "Traceback" not in client.said()


def test_after_shutdown_the_end_of_stdin_is_as_good_as_exit() -> None:
    with serving() as client:
        client.initialize()
        client.request("shutdown")
        client.hang_up()
        assert client.code() == 0


def test_the_server_ends_when_nobody_reads_its_answers_any_more() -> None:
    """A broken pipe, while the one to its stdin is still open."""
    reading, writing = os.pipe()
    with subprocess.Popen(SERVE, stdin=subprocess.PIPE, stdout=writing, stderr=subprocess.PIPE) as server:
        os.close(writing)
        os.close(reading)
        assert server.stdin is not None
        server.stdin.write(framed({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}}))
        server.stdin.flush()
        assert server.wait(PATIENCE) == 1


@pytest.mark.parametrize(
    ("what", "end"),
    [("thread", Piped.hang_up), ("thread", lambda client: client.process.terminate()), ("loop", Piped.hang_up)],
)
def test_nothing_that_hangs_holds_up_the_end(what: str, end: Callable[[Piped], None]) -> None:
    """Such as a read from a disk that does not answer. A thread of its own watches stdin."""
    with serving(TOOLRAG_TEST_HANG=what) as client:
        client.initialize()
        open_document(client, "")
        client.request("toolrag/status")
        client.notify("textDocument/didSave", {"textDocument": {"uri": "untitled:a"}})
        if what == "loop":
            while (message := client.message()) is not None and "hanging" not in str(message):
                pass
        end(client)
        assert client.code() == 1


@pytest.mark.parametrize("length", [b"70000000", b"99999999999999"])
def test_a_huge_content_length_is_answered_at_once_and_not_waited_for(length: bytes) -> None:
    with serving() as client:
        client.initialize()
        client.write(b"Content-Length: " + length + b"\r\n\r\n")
        error = client.answer(None)["error"]
        assert error["code"] in (-32600, -32700)
        if len(length) < 9:
            client.write(b"x" * int(length))
            assert client.request("toolrag/status") == {"phase": "ready"}
        else:
            assert client.code() == 1


def test_bad_json_is_answered_and_the_next_message_read() -> None:
    with serving() as client:
        client.initialize()
        client.write(b'Content-Length: 5\r\n\r\n{"a":' + b"Content-Length: 2\r\n\r\n[]")
        assert client.answer(None)["error"]["code"] == -32700
        assert client.answer(None)["error"]["code"] == -32600
        assert client.request("toolrag/status") == {"phase": "ready"}


def test_a_client_that_is_slow_to_read_does_not_stop_the_server() -> None:
    """It writes 400 asks whose answers are 40 times what a pipe holds, and a cancel that still works, before it reads."""
    with serving() as client:
        client.initialize()
        open_document(client, "needle " + "x" * 6_000)
        asks = [client.begin("toolrag/ask", ASK) for _ in range(400)]
        waiting = client.begin("toolrag/ask", {"question": "wait"})
        client.notify("$/cancelRequest", {"id": waiting})
        for identity in asks:
            assert client.answer(identity)["result"]["outcome"] == "answered"
        assert client.answer(waiting)["error"]["code"] == -32800
        assert client.leave() == 0


def test_stderr_that_is_not_read_does_not_stop_the_server() -> None:
    with serving() as client:
        client.initialize()
        for _ in range(3_000):  # each is warned of, with more than a pipe holds in all
            client.notify("textDocument/didClose", {"textDocument": {"uri": "untitled:" + "x" * 60}})
        assert client.request("toolrag/status") == {"phase": "ready"}
        assert client.leave() == 0


def test_logs_hold_no_source_text() -> None:
    """Neither of a document, nor of a body that is not JSON, nor what a fault says; the place of a fault they do."""
    with serving() as client:
        client.initialize()
        open_document(client, "password = hunter2\n")
        client.request("toolrag/ask", {"question": "hunter2"})
        client.write(b"Content-Length: 9\r\n\r\n{hunter2}")
        client.notify("textDocument/didChange", {"textDocument": {"uri": "untitled:a"}, "contentChanges": "hunter2"})
        assert client.answer(client.begin("toolrag/ask", {"question": "fail"}))["error"]["code"] == -32603
        lines = [
            message["params"]["message"] for message in client.seen if message.get("method") == "window/logMessage"
        ]
        assert client.leave() == 0
        said = client.said()
        assert "hunter2" not in said + "".join(lines)
        assert "lsp_doubles.py" in said
        assert ".py" not in "".join(lines)
        assert "Sending data" not in said


def test_the_edges_of_a_document() -> None:
    """Lone surrogates, NUL and a mark of bytes' order come back as they were."""
    with serving() as client:
        client.initialize()
        text = "\ufeffneedle \ud800\0\u2028"
        body = json.dumps({"uri": "untitled:a", "languageId": "x", "version": 1, "text": text})
        message = '{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":' + body + "}}"
        client.write(b"Content-Length: %d\r\n\r\n" % len(message) + message.encode())
        assert client.request("toolrag/ask", ASK)["citations"][0]["quote"] == text


def test_stdio_may_be_files() -> None:
    """Nothing of them can be polled."""
    asks = [("initialize", {}), ("toolrag/status", {}), ("shutdown", None)]
    messages = [
        {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        for number, (method, params) in enumerate(asks)
    ]
    given = b"".join(map(framed, [*messages, {"jsonrpc": "2.0", "method": "exit"}]))
    done = subprocess.run(SERVE, input=given, capture_output=True, check=False, timeout=PATIENCE)
    assert done.returncode == 0
    assert done.stdout.count(b"Content-Length") == 3


def address_of(server: Piped) -> tuple[str, int]:
    while b"Waiting for a client at " not in (line := server.stderr.readline()):
        assert line
    host, _, port = line.decode().rstrip(".\n").rpartition(" ")[2].rpartition(":")
    return host, int(port)


@contextmanager
def connected(address: tuple[str, int]) -> Iterator[Stream]:
    with socket.create_connection(address, PATIENCE) as connection, connection.makefile("rwb") as stream:
        client = Stream(stream, stream)
        yield client
        connection.shutdown(socket.SHUT_WR)
        client.rest()


def test_a_client_over_tcp() -> None:
    """One that leaves before it initializes, and a web page's request, were no clients; a second one is turned away."""
    with serving("tcp") as server:
        address = address_of(server)
        with connected(address) as stranger:
            stranger.write(b"POST / HTTP/1.1\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\n[]")
            assert [message["error"]["code"] for message in stranger.rest() if "error" in message] == [-32700]
        with connected(address) as client:
            client.initialize()
            with connected(address) as second:
                assert second.rest() == []
            open_document(client, "needle")
            assert client.request("toolrag/ask", ASK)["outcome"] == "answered"
            client.request("shutdown")
            client.notify("exit")
            assert client.rest() == []
        assert server.code() == 0


@pytest.mark.parametrize("kind", ["tcp", "ws"])
def test_a_server_without_a_client_ends_by_a_signal(kind: str) -> None:
    with serving(kind) as server:
        address_of(server)
        server.process.terminate()
        assert server.code() == 1


def test_the_end_of_a_client_over_tcp_is_the_server_s() -> None:
    with serving("tcp") as server:
        with connected(address_of(server)) as client:
            client.initialize()
        assert server.code() == 1


def test_a_client_over_a_web_socket() -> None:
    from websockets.exceptions import InvalidStatus
    from websockets.sync.client import connect

    with serving("ws") as server:
        host, port = address_of(server)
        for origin in ("https://example.com", "null", "http://localhost.example.com"):
            with pytest.raises(InvalidStatus, match="403"):
                connect(f"ws://{host}:{port}", origin=origin)  # type: ignore[arg-type]
        with connect(f"ws://{host}:{port}", origin="http://localhost:3000") as client:  # type: ignore[arg-type]

            def request(identity: int, method: str, params: Json | None = None) -> Json:
                client.send(json.dumps({"jsonrpc": "2.0", "id": identity, "method": method, "params": params}))
                while (message := json.loads(client.recv(PATIENCE))).get("id") != identity:
                    pass
                found: Json = message
                return found

            assert "result" in request(1, "initialize", {})
            client.send("{")
            assert request(2, "toolrag/ask", {"question": 3})["error"]["code"] == -32602
            assert request(3, "shutdown")["result"] is None
            client.send(json.dumps({"jsonrpc": "2.0", "method": "exit"}))
        assert server.code() == 0


def test_the_first_answer_comes_soon() -> None:
    """Before indexing, and without loading what only answers need: 0.6 s on an idle machine."""
    began = time.perf_counter()
    with serving() as client:
        client.initialize()
        assert time.perf_counter() - began < 15
