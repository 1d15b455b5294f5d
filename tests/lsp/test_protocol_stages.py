"""LSP's life cycle, its error codes, and that nothing is sent after a cancel: a server in this process."""

from __future__ import annotations

import asyncio
import gc
import os
from typing import Any

import pytest
from lsp_doubles import Client, FakeSession, talk
from lsprotocol import types
from toolrag.config import Settings
from toolrag.lsp.framing import FramingError, Skipped
from toolrag.lsp.settings import SettingsFile
from toolrag.ports import Scope
from toolrag.session.types import Folder

URI = "untitled:Untitled-1"


def open_document(client: Client, text: str, uri: str = URI, version: int = 1) -> None:
    document = {"uri": uri, "languageId": "python", "version": version, "text": text}
    client.notify("textDocument/didOpen", {"textDocument": document})


def test_before_initialize_requests_are_refused_and_notifications_passed_over() -> None:
    async def script(client: Client) -> list[Any]:
        open_document(client, "x")
        codes = [(await client.error(method))["code"] for method in ("toolrag/status", "shutdown", "no/such")]
        await client.initialize()
        return [codes, client.session.texts, client.of("window/logMessage")]

    assert talk(script) == [[-32002] * 3, {}, []]


def test_initialize_says_what_the_server_does() -> None:
    async def script(client: Client) -> Any:
        offered = {"general": {"positionEncodings": ["utf-8", "utf-16"]}}
        return await client.initialize(capabilities=offered, workspaceFolders=[{"uri": "file:///x", "name": "x"}])

    result = talk(script)
    assert result["serverInfo"]["name"] == "toolrag"
    offered = result["capabilities"]
    assert offered["positionEncoding"] == "utf-8"
    assert offered["textDocumentSync"] == {"openClose": True, "change": 2, "save": True}
    assert offered["workspace"]["workspaceFolders"] == {"supported": True, "changeNotifications": True}
    assert set(offered["executeCommandProvider"]["commands"]) >= {
        f"toolrag.{name}" for name in "ask explain locate verify replay reindex status clearJournals".split()
    }
    assert not any(offered.get(f"{name}Provider") for name in ("references", "completion"))
    assert offered["definitionProvider"]
    assert offered["documentLinkProvider"] == {"resolveProvider": False}
    assert offered["hoverProvider"]
    assert offered["workspaceSymbolProvider"] == {"resolveProvider": False}


def test_requests_that_come_in_one_piece_are_judged_one_after_the_other() -> None:
    async def script(client: Client) -> Any:
        order = ["toolrag/status", "initialize", "initialize", "toolrag/status", "shutdown", "toolrag/status"]
        asked = [client.begin(method, {}) for method in order]
        return [(await client.answer(identity)).get("error", {}).get("code") for identity in asked]

    assert talk(script) == [-32002, None, -32600, None, None, -32600]


def test_initialize_is_accepted_once() -> None:
    async def script(client: Client) -> Any:
        await client.initialize()
        return await client.error("initialize", {"capabilities": {}})

    assert talk(script)["code"] == -32600


def test_after_shutdown_requests_are_refused_and_exit_ends() -> None:
    async def script(client: Client) -> Any:
        await client.initialize()
        open_document(client, "x")
        waiting = client.begin("toolrag/ask", {"question": "wait"})
        result = await client.request("shutdown")
        cancelled = await client.answer(waiting)
        refused = [(await client.error(method))["code"] for method in ("toolrag/status", "initialize", "no/such")]
        client.notify("textDocument/didClose", {"textDocument": {"uri": URI}})
        ended = client.server.protocol.ended
        assert not ended.is_set()
        client.notify("exit")
        await ended.wait()
        return [result, cancelled["error"]["code"], refused, list(client.session.texts), client.session.told]

    assert talk(script) == [None, -32800, [-32600] * 3, [URI], [("close", None)]]


@pytest.mark.parametrize(
    "method", ["toolrag/clearJournals", "textDocument/references", "textDocument/didOpen", "x", ""]
)
def test_a_method_that_is_not_there_is_named(method: str) -> None:
    async def script(client: Client) -> Any:
        await client.initialize()
        return await client.error(method, {})

    error = talk(script)
    assert error["code"] == -32601
    assert error["message"].startswith(method)


def test_what_is_no_message_is_answered_and_the_next_one_read() -> None:
    async def script(client: Client) -> Any:
        await client.initialize()
        for body in (b'{"jsonrpc": "2.0", "id": 1,', b"[]", b'{"jsonrpc": "2.0", "id": 9}', b"\xff"):
            client.put_bytes(body)
        client.connection.incoming.put_nowait(Skipped("Too large."))
        await client.settle()
        return [(message["id"], message["error"]["code"]) for message in client.sent if "error" in message]

    assert talk(script) == [(None, -32700), (None, -32600), (9, -32600), (None, -32700), (None, -32600)]


def test_a_stream_that_cannot_be_read_on_is_answered_and_ends_the_server() -> None:
    async def script(client: Client) -> Any:
        await client.initialize()
        client.connection.incoming.put_nowait(FramingError("a message needs a Content-Length header."))
        await client.server.protocol.ended.wait()
        return client.sent[-1]

    error = talk(script)
    assert (error["id"], error["error"]["code"]) == (None, -32700)
    assert "Content-Length" in error["error"]["message"]


def test_an_id_that_is_in_use_is_refused() -> None:
    async def script(client: Client) -> Any:
        await client.initialize()
        identity = client.begin("toolrag/ask", {"question": "wait"})
        client.put({"jsonrpc": "2.0", "id": identity, "method": "toolrag/status"})
        return (await client.answer(identity))["error"]["code"]

    assert talk(script) == -32600


def test_a_fault_of_ours_shows_neither_what_it_says_nor_where_it_was() -> None:
    async def script(client: Client) -> Any:
        await client.initialize()
        open_document(client, "hunter2", "untitled:b")
        errors = [await client.error("toolrag/ask", {"question": question}) for question in ("fail", "nan")]
        client.notify("textDocument/didClose", {"textDocument": {"uri": URI}})
        open_document(client, "x")
        await client.settle()
        client.session.texts.clear()
        client.notify("textDocument/didClose", {"textDocument": {"uri": URI}})
        await client.settle()
        return [errors, [line["message"] for line in client.of("window/logMessage")]]

    errors, lines = talk(script)
    assert [error["code"] for error in errors] == [-32603, -32603]
    assert all(
        "hunter2" not in text and "/" not in text.replace("toolrag/ask", "") for text in (e["message"] for e in errors)
    )
    assert len(lines) == 4
    assert not any("hunter2" in line or ".py" in line for line in lines)
    assert lines[3] == "textDocument/didClose failed (KeyError); this is a fault of toolrag."


def test_a_cancelled_ask_ends_at_once_and_nothing_is_sent_after() -> None:
    """Also of a session that goes on for a while. The end of its progress comes before the answer."""

    async def script(client: Client) -> Any:
        await client.initialize()
        given = {"question": "wait, stubborn", "workDoneToken": "w", "partialResultToken": "p"}
        identity = client.begin("toolrag/ask", given)
        await client.until(lambda message: message.get("method") == "$/progress")
        client.notify("$/cancelRequest", {"id": identity})
        answer = await client.answer(identity)
        await client.session.late.wait()
        assert client.session.watch is not None
        client.session.watch.claims((), (), ("c1",))
        await client.settle()
        kinds = [message["params"]["value"]["kind"] for message in client.sent if message.get("method") == "$/progress"]
        return [answer["error"]["code"], kinds, client.sent.index(answer) == len(client.sent) - 2]

    assert talk(script) == [-32800, ["begin", "end"], True]


def test_a_progress_that_is_cancelled_cancels_its_request_and_no_other() -> None:
    async def script(client: Client) -> Any:
        await client.initialize()
        first, second, command = (
            client.begin("toolrag/ask", {"question": "wait", "workDoneToken": 1}),
            client.begin("toolrag/ask", {"question": "wait", "workDoneToken": "1"}),
            client.begin(
                "workspace/executeCommand", {"command": "toolrag.ask", "arguments": ["wait"], "workDoneToken": 2}
            ),
        )
        for token in ("1", 2, None, "unknown"):
            client.notify("window/workDoneProgress/cancel", {"token": token})
        codes = [(await client.answer(identity))["error"]["code"] for identity in (second, command)]
        await client.settle()
        return [codes, [message for message in client.sent if message.get("id") == first]]

    assert talk(script) == [[-32800, -32800], []]


def test_cancels_of_what_is_over_or_unknown_are_passed_over() -> None:
    async def script(client: Client) -> Any:
        await client.initialize()
        await client.request("toolrag/status")
        for identity in (1, 2, "2", 77, None):
            client.notify("$/cancelRequest", {"id": identity})
        await client.settle()
        return client.of("window/logMessage")

    assert talk(script) == []


def test_a_reply_that_comes_after_the_waiting_was_cancelled_is_passed_over() -> None:
    """pygls raises InvalidStateError there, and the message loop with it."""

    async def script(client: Client) -> Any:
        await client.initialize()
        asking = asyncio.create_task(
            client.server.protocol.ask_client("workspace/configuration", types.ConfigurationParams([]))
        )
        asked = await client.until(lambda message: message.get("method") == "workspace/configuration")
        asking.cancel()
        await asyncio.wait([asking])
        client.put({"jsonrpc": "2.0", "id": asked["id"], "result": []})
        client.put({"jsonrpc": "2.0", "id": asked["id"], "result": []})
        await client.settle()
        return client.of("window/logMessage")

    assert talk(script) == []


def test_notifications_leave_nothing_behind() -> None:
    """pygls keeps a future for each, for ever."""

    async def script(client: Client) -> int:
        await client.initialize()
        open_document(client, "")
        await client.settle()
        gc.collect()
        before = sum(isinstance(one, asyncio.Future) for one in gc.get_objects())
        for version in range(2, 502):
            change = {"textDocument": {"uri": URI, "version": version}, "contentChanges": [{"text": "x"}]}
            client.notify("textDocument/didChange", change)
        await client.settle()
        gc.collect()
        return sum(isinstance(one, asyncio.Future) for one in gc.get_objects()) - before

    assert talk(script) < 20


def test_status_is_answered_while_everything_else_waits() -> None:
    """One ask runs at a time; one that is cancelled makes room for the next, wherever it stands in the line."""

    async def script(client: Client) -> Any:
        def hold(session: FakeSession) -> None:
            session.start_gate = asyncio.Event()

        client.prepare = hold
        await client.initialize()
        asks = [client.begin("toolrag/ask", {"question": "wait"}) for _ in range(10)]
        status = await client.request("toolrag/status")
        held = list(client.session.asked)
        assert client.session.start_gate is not None
        client.session.start_gate.set()
        await client.session.started.wait()
        await client.settle()
        running = len(client.session.asked)
        for identity in asks[:5]:
            client.notify("$/cancelRequest", {"id": identity})
            await client.answer(identity)
        await client.settle()
        return [status, held, running, len(client.session.asked)]

    assert talk(script) == [{"phase": "starting"}, [], 1, 6]


def test_a_request_sees_the_edits_before_it_and_none_after_it() -> None:
    """Though all of them came in one piece."""

    async def script(client: Client) -> Any:
        await client.initialize()
        open_document(client, "needle\n")
        await client.session.started.wait()
        before = client.begin("toolrag/ask", {"question": "needle"})
        for version in (2, 3):
            at = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}
            client.notify(
                "textDocument/didChange",
                {
                    "textDocument": {"uri": URI, "version": version},
                    "contentChanges": [{"range": at, "text": "\f\u2028\n"}],
                },
            )
        after = client.begin("toolrag/ask", {"question": "needle"})
        answers = [(await client.answer(identity))["result"]["citations"][0] for identity in (before, after)]
        return [(one["lines"], one["location"]["range"]["start"]["line"], one["version"]) for one in answers]

    assert talk(script) == [({"start": 1, "end": 1}, 0, 1), ({"start": 3, "end": 3}, 2, 3)]


def test_no_handler_has_pygls_workspace_which_reads_any_path() -> None:
    async def script(client: Client) -> None:
        await client.initialize(rootUri="file:///")
        open_document(client, "x")
        await client.settle()
        with pytest.raises(RuntimeError):
            _ = client.server.workspace

    talk(script)


def test_folders_files_and_documents_reach_the_session_as_they_were_given() -> None:
    first, second = {"uri": "file:///c%3A/a", "name": "a"}, {"uri": "file:///b", "name": "b"}

    async def script(client: Client) -> Any:
        await client.initialize(workspaceFolders=[first])
        client.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [second], "removed": [first]}})
        client.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [first]}})
        client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": "file:///b/x", "type": 2}]})
        open_document(client, "x")
        client.notify("textDocument/didSave", {"textDocument": {"uri": URI}})
        await client.request("workspace/executeCommand", {"command": "toolrag.reindex"})
        assert await client.request("workspace/executeCommand", {"command": "toolrag.clearJournals"}) == {
            "runs": 1,
            "bytes": 2,
        }
        await client.settle()
        return sorted(client.session.told)

    a, b = Folder("file:///c%3A/a", "a"), Folder("file:///b", "b")
    assert talk(script) == sorted([
        ("folders", (b,)), ("folders", (b, a)), ("files", ("file:///b/x",)), ("saved", URI), ("reindex", None),
        ("clear journals", None),
    ])  # fmt: skip


def test_requests_and_their_command_forms() -> None:
    async def script(client: Client) -> Any:
        await client.initialize()
        open_document(client, "needle\n")
        run = "workspace/executeCommand"
        results = []
        for forms in (
            [
                ("toolrag/ask", {"question": "needle"}),
                (run, {"command": "toolrag.ask", "arguments": [{"question": "needle"}]}),
                (run, {"command": "toolrag.ask", "arguments": ["needle"]}),
            ],
            [
                ("toolrag/search", {"query": "q", "limit": 3}),
                (run, {"command": "toolrag.search", "arguments": ["q", 3]}),
            ],
            [
                ("toolrag/readRange", {"path": URI, "start": 1, "end": 1}),
                (run, {"command": "toolrag.readRange", "arguments": [URI, 1, 1]}),
            ],
            [
                ("toolrag/readRange", {"path": "none", "start": 1, "end": 1}),
                (run, {"command": "toolrag.readRange", "arguments": [{"path": "none", "start": 1, "end": 1}]}),
            ],
            [
                ("toolrag/locate", {"citation": {"linesSha": "f"}}),
                (run, {"command": "toolrag.locate", "arguments": [{"citation": {"linesSha": "f"}}]}),
            ],
            [
                ("toolrag/replay", {"run": "0" * 16, "verify": True}),
                (run, {"command": "toolrag.replay", "arguments": ["0" * 16, True]}),
                (run, {"command": "toolrag.replay", "arguments": [{"run": "0" * 16, "verify": True}]}),
            ],
            [("toolrag/verify", {"text": "a.py:1"}), (run, {"command": "toolrag.verify", "arguments": ["a.py:1"]})],
            [
                ("toolrag/verify", {"answer": {"citations": []}}),
                (run, {"command": "toolrag.verify", "arguments": [{"answer": {"citations": []}}]}),
            ],
            [
                ("toolrag/status", {}),
                (run, {"command": "toolrag.status"}),
                (run, {"command": "toolrag.status", "arguments": []}),
            ],
        ):
            first, *others = [await client.request(*form) for form in forms]
            assert all(other == first for other in others)
            results.append(first)
        return [*results, list(client.session.told)]

    ask, search, read, refused, located, replayed, text, answer, status, told = talk(script)  # fmt: skip
    assert (ask["outcome"], ask["citations"][0]["quote"]) == ("answered", "needle\n")
    assert search["candidates"] == []
    assert told == [("search", ("q", 3, Scope()))] * 2
    assert (read["text"], read["version"], read["dirty"]) == ("needle\n", 1, True)
    assert refused == {"error": "not_found", "message": "There is no such file."}
    assert located == {"standing": "gone", "sha": "f", "encoding": "utf-16"}
    assert replayed == {"run": "0" * 16, "reproduced": True, "citations": [], "encoding": "utf-16"}
    assert (text["characters"], text["encoding"], answer["encoding"]) == (6, "utf-16", "utf-16")
    assert status == {"phase": "ready"}


def test_an_ask_tells_what_it_reads_and_what_it_has_found() -> None:
    async def script(client: Client) -> Any:
        await client.initialize(capabilities={"general": {"positionEncodings": ["utf-32"]}})
        open_document(client, "\U0001f600 needle\n")
        given = {"question": "needle", "workDoneToken": "w", "partialResultToken": 5}
        result = await client.request("toolrag/ask", given)
        return [client.of("$/progress"), result]

    progress, result = talk(script)
    work = [one["value"] for one in progress if one["token"] == "w"]
    assert [one["kind"] for one in work] == ["begin", "report", "end"]
    assert work[0]["cancellable"] is True
    assert work[1]["message"] == f"reading {URI}"
    (part,) = [one["value"] for one in progress if one["token"] == 5]
    assert part == {"claims": result["claims"], "citations": result["citations"], "withdrawn": []}
    assert part["citations"][0]["location"]["range"]["end"] == {"line": 0, "character": 8}  # in UTF-32; 9 in UTF-16


def test_indexing_is_shown_where_the_client_can_show_it() -> None:
    async def script(client: Client) -> Any:
        await client.initialize(capabilities={"window": {"workDoneProgress": True}})
        events = client.session.events
        events.progress("Indexing", 0, 0)  # nothing to do shows nothing
        events.progress("Indexing", 0, 2_000)
        created = await client.until(lambda message: message.get("method") == "window/workDoneProgress/create")
        events.progress("Indexing", 500, 2_000)
        client.put({"jsonrpc": "2.0", "id": created["id"], "result": None})
        begun = await client.until(lambda message: message.get("method") == "$/progress")
        events.progress("Indexing", 1_000, 2_000)
        events.progress("Indexing", 1_001, 2_000)  # too soon after the last to be read
        events.progress("Indexing", 2_000, 2_000)
        events.progress("Indexing", 2_000, 2_000)
        await client.settle()
        assert begun["params"]["token"] == created["params"]["token"]
        return [one["value"] for one in client.of("$/progress")]

    assert talk(script) == [
        {"kind": "begin", "title": "Indexing", "cancellable": False, "message": "500/2,000", "percentage": 25},
        {"kind": "report", "message": "1,000/2,000", "percentage": 50},
        {"kind": "end"},
    ]


def test_a_client_that_refuses_progress_or_has_none_gets_none() -> None:
    async def script(client: Client, offered: bool) -> Any:
        await client.initialize(capabilities={"window": {"workDoneProgress": offered}})
        client.session.events.progress("Indexing", 0, 5)
        if offered:
            created = await client.until(lambda message: message.get("method") == "window/workDoneProgress/create")
            error = {"code": -32603, "message": "no"}
            client.put({"jsonrpc": "2.0", "id": created["id"], "error": error})
        client.session.events.progress("Indexing", 5, 5)
        await client.settle()
        return [client.of("$/progress"), client.of("window/logMessage")]

    for offered in (True, False):
        assert talk(lambda client, offered=offered: script(client, offered)) == [[], []]  # type: ignore[misc]


def test_files_are_watched_where_the_client_can_be_asked_to() -> None:
    async def script(client: Client) -> Any:
        await client.initialize(capabilities={"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True}}})
        asked = await client.until(lambda message: message.get("method") == "client/registerCapability")
        client.put({"jsonrpc": "2.0", "id": asked["id"], "error": {"code": 1, "message": "not today"}})
        await client.settle()
        await client.settle()
        return [asked["params"], [line["message"] for line in client.of("window/logMessage")]]

    params, lines = talk(script)
    (registered,) = params["registrations"]
    assert registered["method"] == "workspace/didChangeWatchedFiles"
    assert registered["registerOptions"] == {"watchers": [{"globPattern": "**/*"}]}
    assert lines == ["Asking the editor to watch files: the editor refused (not today)."]


def settings_with(**read: int) -> Settings:
    return Settings(read=Settings().read.__class__(**read))


def test_settings_come_from_the_file_and_the_editor() -> None:
    """The editor's win; a wrong one is named and leaves what the file says."""

    async def script(client: Client) -> Any:
        await client.initialize(initializationOptions={"read": {"maxLines": 50}})
        for given in (
            {"toolrag": {"read": {"max_lines": 60, "maxBytes": 0}}},
            {"other": {}},
            None,
            {"toolrag": {"read": {"max_lines": 60}}},
            {"toolrag": None},
        ):
            client.notify("workspace/didChangeConfiguration", {"settings": given})
        await client.settle()
        await client.settle()
        return [client.session.settings, [line["message"] for line in client.of("window/logMessage")]]

    file = SettingsFile({"read": {"max_bytes": 9_000}}, ("The file has a fault.",))
    made, lines = talk(script, file)
    assert made == [settings_with(max_lines=lines_, max_bytes=9_000) for lines_ in (50, 60)] + [
        settings_with(max_bytes=9_000)
    ]
    assert lines == ["The file has a fault.", "read.max_bytes must be a whole number above 0, not 0."]


def test_a_client_that_answers_for_its_settings_is_asked() -> None:
    async def script(client: Client) -> Any:
        await client.initialize(capabilities={"workspace": {"configuration": True}})
        for answer in ([{"read": {"maxLines": 7}}], [None], "odd"):
            asked = await client.until(lambda message: message.get("method") == "workspace/configuration")
            client.sent.remove(asked)
            assert asked["params"] == {"items": [{"section": "toolrag"}]}
            client.put({"jsonrpc": "2.0", "id": asked["id"], "result": answer})
            client.notify("workspace/didChangeConfiguration", {"settings": None})
        await client.settle()
        return client.session.settings

    assert talk(script) == [Settings(), settings_with(max_lines=7)]


def test_trace_says_how_long_requests_took() -> None:
    async def script(client: Client) -> Any:
        await client.initialize()
        await client.request("toolrag/status")
        client.notify("$/setTrace", {"value": "messages"})
        await client.request("toolrag/status")
        client.notify("$/setTrace", {"value": "off"})
        await client.request("toolrag/status")
        return client.of("$/logTrace")

    (line,) = talk(script)
    assert line["message"].startswith("toolrag/status took ")


def test_the_server_ends_when_the_editor_s_process_does() -> None:
    async def script(client: Client) -> bool:
        editor = await asyncio.create_subprocess_exec("cat", stdin=asyncio.subprocess.PIPE)
        await client.initialize(processId=editor.pid)
        await client.settle()
        assert not client.server.protocol.ended.is_set()
        assert editor.stdin is not None
        editor.stdin.close()
        await editor.wait()
        await asyncio.wait_for(client.server.protocol.ended.wait(), 30)
        return True

    assert talk(script)


@pytest.mark.parametrize("pid", [0, -1, 2**31 - 1, 2**80])
def test_a_process_that_is_not_here_is_not_waited_for(pid: int) -> None:
    """A container's server gets the number of a process it cannot see."""

    async def script(client: Client) -> bool:
        await client.initialize(processId=pid)
        await client.settle()
        return client.server.protocol.ended.is_set()

    assert os.getpid() not in (0, pid)
    assert not talk(script)
