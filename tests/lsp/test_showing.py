"""Answers to commands, shown on a document of their own: where it is wanted, where the client can, and what it shows."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from language_server import QUESTION, Shop, until_ready
from lsp_doubles import Client, talk
from raw_client import Piped, framed

SHOWS = {"window": {"showDocument": {"support": True}}}
ASKED = {"question": "needle"}
OPENED = {"uri": "untitled:a", "languageId": "python", "version": 1, "text": "needle\n"}


def commanded(arguments: list[Any], options: object = None, capabilities: object = SHOWS, command: str = "ask") -> Any:
    """The requests to show a document, and the answer's outcome or error."""

    async def script(client: Client) -> Any:
        await client.initialize(capabilities=capabilities, initializationOptions=options)
        client.notify("textDocument/didOpen", {"textDocument": OPENED})
        given = {"command": f"toolrag.{command}", "arguments": arguments}
        answer = await client.answer(client.begin("workspace/executeCommand", given))
        await client.settle()
        outcome = answer["result"]["outcome"] if "result" in answer else answer["error"]["message"]
        return client.of("window/showDocument"), outcome

    return talk(script)


SHOWN = [{"uri": f"file:///answers/{'0' * 16}.md", "external": False, "takeFocus": True}]
ALL = {"toolrag": {"showAnswers": True}}


@pytest.mark.parametrize(
    ("arguments", "options", "shown"),
    [
        pytest.param([{**ASKED, "show": True}], None, SHOWN, id="this one"),
        pytest.param([ASKED], None, [], id="nobody wants it"),
        pytest.param(["needle"], ALL, SHOWN, id="all"),
        pytest.param([ASKED], {"showAnswers": True}, SHOWN, id="all, without a section"),
        pytest.param([{**ASKED, "show": False}], ALL, [], id="all but this one"),
        pytest.param([ASKED], {"toolrag": {"showAnswers": "yes"}}, [], id="not said as a truth"),
    ],
)
def test_an_answer_is_shown_where_that_is_wanted(arguments: list[Any], options: object, shown: list[Any]) -> None:
    assert commanded(arguments, options) == (shown, "answered")


def test_an_explanation_is_shown_too() -> None:
    at = {"textDocument": {"uri": "untitled:a"}, "position": {"line": 0, "character": 0}}
    assert commanded([{**at, "show": True}], command="explain")[0] == SHOWN


@pytest.mark.parametrize("given", [{}, {"window": {"showDocument": {"support": False}}}, {"window": 3}])
def test_a_client_that_cannot_show_it_gets_the_answer_alone(given: object) -> None:
    assert commanded([{**ASKED, "show": True}], None, given) == ([], "answered")


def test_what_is_no_truth_is_refused() -> None:
    assert commanded([{**ASKED, "show": 3}]) == ([], "show must be true or false, not 3.")


def test_a_request_of_its_own_shows_nothing() -> None:
    async def script(client: Client) -> Any:
        await client.initialize(capabilities=SHOWS, initializationOptions=ALL)
        await client.request("toolrag/ask", {**ASKED, "show": True})
        await client.settle()
        return client.of("window/showDocument")

    assert talk(script) == []


def test_where_there_is_no_place_for_it_the_answer_comes_all_the_same() -> None:
    async def script(client: Client) -> Any:
        await client.initialize(capabilities=SHOWS)
        given = {"command": "toolrag.ask", "arguments": [{"question": "nowhere", "show": True}]}
        answer = await client.request("workspace/executeCommand", given)
        said = await client.until(lambda message: "There is no place" in str(message))
        return answer["outcome"], said["params"]["message"]

    assert talk(script) == ("notFound", "There is no place for an answer.")


def test_what_a_client_says_of_itself_is_no_wrong_setting() -> None:
    """Some send what they said at the start as their settings too."""

    async def script(client: Client) -> Any:
        await client.initialize()
        given = {"settings": {"toolrag": {"showAnswers": True, "commandLinks": True, "noSuch": 1}}}
        client.notify("workspace/didChangeConfiguration", given)
        await client.settle()
        return [one["message"] for one in client.of("window/logMessage")]

    (message,) = talk(script)
    assert "no_such" in message


# --- The installed command. ---


def shown(client: Piped, question: str) -> Path:
    """The document that the server asks for after a command."""
    given = {"command": "toolrag.ask", "arguments": [{"question": question, "show": True}]}
    client.begin("workspace/executeCommand", given)
    while (message := client.message()) is not None:
        if message.get("method") == "window/showDocument":
            client.write(framed({"jsonrpc": "2.0", "id": message["id"], "result": {"success": True}}))
            return Path(unquote(urlsplit(message["params"]["uri"]).path))
    raise EOFError


def test_the_document_is_the_answer_and_is_no_evidence_itself(shop: Shop) -> None:
    with shop.serve() as client:
        client.initialize(workspaceFolders=shop.folders, capabilities=SHOWS)
        until_ready(client)
        path = shown(client, QUESTION)
        assert path.parent == shop.home / "cache" / "toolrag" / "answers"
        assert stat.S_IMODE(path.stat().st_mode) == 0o400
        text = path.read_text("utf-8")
        assert text.startswith(f"# {QUESTION}\n")
        assert "- `shop/pricing.py:6-7@" in text
        document = {"uri": path.as_uri(), "languageId": "markdown", "version": 1, "text": text + "zeppelin\n"}
        client.notify("textDocument/didOpen", {"textDocument": document})
        beside = {"uri": "untitled:a", "languageId": "plaintext", "version": 1, "text": "an airship\n"}
        client.notify("textDocument/didOpen", {"textDocument": beside})
        while not client.request("toolrag/search", {"query": "airship"})["candidates"]:
            pass  # documents are taken up in the order they were opened
        assert client.request("toolrag/search", {"query": "zeppelin"})["candidates"] == []
        assert client.request("toolrag/readRange", {"path": path.as_uri(), "start": 1, "end": 1})["source"] == "buffer"
        assert client.leave() == 0
