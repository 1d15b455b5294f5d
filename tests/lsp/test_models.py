"""Models over the language server: the editor's own through it, and what a cancel does to a request under way."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import bedrock_standin as bedrock
import pytest
from language_server import FIRST_LINE, Shop, until_ready
from raw_client import Json, Piped, framed

QUESTION = "what does discounted_price raise?"
READ = {"path": "shop/pricing.py", "start": 6, "end": 10}
CITED = "`discounted_price` raises `ValueError` [e1:6-9]."


def editor_answers(client: Piped, identity: int, says: list[Json]) -> tuple[Json, list[Json]]:
    """The answer to a request, while the editor's model says these; and what it was asked."""
    asked: list[Json] = []
    while (message := client.message()) is not None:
        if message.get("method") == "toolrag/converse":
            asked.append(message["params"])
            client.write(framed({"jsonrpc": "2.0", "id": message["id"], **says[len(asked) - 1]}))
        elif "method" not in message and message["id"] == identity:
            return message, asked
    raise EOFError(client.seen)


def call(name: str, arguments: Any, identity: str = "1") -> Json:
    return {"result": {"toolCalls": [{"id": identity, "name": name, "input": arguments}], "stop": "toolUse"}}


def text(words: str) -> Json:
    return {"result": {"text": words, "toolCalls": [], "stop": "end"}}


def test_the_editor_s_own_model_has_to_read_too(shop: Shop) -> None:
    with shop.serve() as client:
        client.initialize(workspaceFolders=shop.folders)
        until_ready(client)
        params = {"question": QUESTION, "model": "editor", "partialResultToken": "p", "workDoneToken": "w"}
        identity = client.begin("toolrag/ask", params)
        reply, asked = editor_answers(client, identity, [call("read_range", READ), text(CITED)])
        answer = reply["result"]
        assert (answer["outcome"], answer["model"]) == ("answered", "editor")
        assert answer["citations"][0]["lines"]["start"] == FIRST_LINE
        assert asked[0]["mustCall"] == "read_range"
        assert "mustCall" not in asked[1]
        progress = [one["params"]["value"] for one in client.seen if one.get("method") == "$/progress"]
        assert any("turn 2 of 8" in str(one.get("message")) for one in progress), "the budget is shown while it runs"
        (partial,) = [one for one in progress if "claims" in one]
        assert partial["claims"] == answer["claims"]
        assert partial["citations"] == answer["citations"]
        assert client.leave() == 0


@pytest.mark.parametrize(
    ("says", "sentence"),
    [
        ({"error": {"code": -32601, "message": "Unhandled method"}}, "no model of its own"),
        ({"error": {"code": -32603, "message": "Language model unavailable"}}, "Language model unavailable"),
        ({"result": None}, "."),
        ({"result": {"text": 5}}, "."),
    ],
)
def test_an_editor_that_fails_is_a_reason_and_no_error(shop: Shop, says: Json, sentence: str) -> None:
    with shop.serve() as client:
        client.initialize(workspaceFolders=shop.folders)
        identity = client.begin("toolrag/ask", {"question": QUESTION, "model": "editor", "budget": {"seconds": 5}})
        reply, _ = editor_answers(client, identity, [says] * 8)
        assert reply["result"]["reason"]["code"] == "model_error"
        assert sentence in reply["result"]["reason"]["message"]
        assert client.leave() == 0


@pytest.mark.parametrize(("code", "times"), [(-32800, 1), (-32803, 1), (-32603, 3)])
def test_who_says_no_is_asked_once_and_who_fails_again(shop: Shop, code: int, times: int) -> None:
    """A user who consents to no model (RequestCancelled, RequestFailed) is not shown the same question three times."""
    with shop.serve() as client:
        client.initialize(workspaceFolders=shop.folders)
        identity = client.begin("toolrag/ask", {"question": QUESTION, "model": "editor"})
        says: Json = {"error": {"code": code, "message": "No \x1b[31mconsent"}}
        reply, asked = editor_answers(client, identity, [says] * 8)
        assert len(asked) == times
        assert reply["result"]["reason"]["code"] == "model_error"
        assert "\x1b" not in reply["result"]["reason"]["message"]
        assert client.leave() == 0


def test_a_question_that_follows_carries_the_lines_on(shop: Shop) -> None:
    with shop.serve() as client:
        client.initialize(workspaceFolders=shop.folders)
        until_ready(client)
        first = client.request("toolrag/ask", {"question": QUESTION})
        identity = client.begin("toolrag/ask", {"question": "why?", "model": "editor", "follows": first["id"]})
        says = [
            call("list_outline", {"path": "shop/pricing.py"}),
            text("`discounted_price` takes a `discount` [e1:6]."),
        ]
        reply, asked = editor_answers(client, identity, says)
        assert "which is no evidence" in json.dumps(asked[0])
        assert reply["result"]["usage"]["reads"] >= 1
        assert client.leave() == 0


def test_a_cancel_ends_the_editor_s_request_too(shop: Shop) -> None:
    with shop.serve() as client:
        client.initialize(workspaceFolders=shop.folders)
        identity = client.begin("toolrag/ask", {"question": QUESTION, "model": "editor"})
        while (message := client.message()) is not None and message.get("method") != "toolrag/converse":
            pass
        assert message is not None
        client.notify("$/cancelRequest", {"id": identity})
        assert client.answer(identity)["error"]["code"] == -32800
        client.request("toolrag/status")
        cancelled = [one["params"]["id"] for one in client.seen if one.get("method") == "$/cancelRequest"]
        assert cancelled == [message["id"]]
        client.write(framed({"jsonrpc": "2.0", "id": message["id"], **text("too late")}))
        assert client.leave() == 0


@pytest.mark.parametrize("held", [bedrock.Silence(), bedrock.Say((bedrock.Text("`x` is"),), breaks="stall")])
def test_a_cancel_closes_the_connection_and_nothing_is_sent_after(
    shop: Shop, tmp_path: Path, held: bedrock.Step, monkeypatch: pytest.MonkeyPatch
) -> None:
    with bedrock.Standin(bedrock.following(bedrock.Say((bedrock.Use("read_range", READ),)), held), tmp_path) as service:
        for name, value in service.environment().items():
            monkeypatch.setenv(name, value)
        with shop.serve() as client:
            client.initialize(workspaceFolders=shop.folders)
            params = {"question": QUESTION, "model": "bedrock:example.forced-v1", "workDoneToken": "w"}
            identity = client.begin("toolrag/ask", params)
            while len(service.taken) < 2:
                client.message()  # progress comes before each turn
                if any("turn 2" in str(one) for one in client.seen):
                    break
            deadline = time.monotonic() + 30
            while len(service.taken) < 2:
                assert time.monotonic() < deadline
                client.request("toolrag/status")
            began = time.monotonic()
            client.notify("$/cancelRequest", {"id": identity})
            assert client.answer(identity)["error"]["code"] == -32800
            assert service.taken[1].closed.wait(5)
            assert service.taken[1].closed_at - began < 1.0
            seen = len(client.seen)
            client.request("toolrag/status")
            assert [one for one in client.seen[seen:] if one.get("method") == "$/progress"] == []
            assert client.leave() == 0
        assert len(service.taken) == 2
