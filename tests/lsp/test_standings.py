"""What the server tells of recent answers' citations, and the cited text it serves: by a double, and by a real process."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from typing import Any

import pytest
from language_server import FIRST_LINE, PRICING, QUESTION, Shop, until_ready
from lsp_doubles import Client, talk
from raw_client import Piped
from toolrag.lsp import cited
from toolrag.lsp.members import ParamsError
from toolrag.session.types import Stood
from toolrag.text import LineRange

ANSWER = "0" * 16
SHOWS_TEXTS = {"workspace": {"textDocumentContent": {"dynamicRegistration": False}}}


def opened(text: str) -> dict[str, Any]:
    return {"textDocument": {"uri": "untitled:a", "languageId": "python", "version": 1, "text": text}}


@pytest.mark.parametrize(("encoding", "width"), [("utf-8", 6), ("utf-16", 4), ("utf-32", 3)])
def test_standings_are_told_in_the_client_s_units(encoding: str, width: int) -> None:
    async def script(client: Client) -> Any:
        await client.initialize(capabilities={"general": {"positionEncodings": [encoding]}})
        place = ("file:///a.py", LineRange(2, 4), "é\U0001f600")
        told = [Stood("r1", "moved", *place[:2], "x" + place[2][1:] + "y"), Stood("r2", "gone")]
        client.session.events.standings(ANSWER, told)
        await client.settle()
        return client.of("toolrag/standings")

    wanted = {
        "id": "r1",
        "standing": "moved",
        "location": {
            "uri": "file:///a.py",
            "range": {"start": {"line": 2, "character": 0}, "end": {"line": 3, "character": width}},
        },
        "lines": {"start": 3, "end": 4},
    }
    assert talk(script) == [{"answerId": ANSWER, "citations": [wanted, {"id": "r2", "standing": "gone"}]}]


def test_the_session_is_told_which_lines_an_edit_replaced() -> None:
    async def script(client: Client) -> Any:
        await client.initialize()
        client.notify("textDocument/didOpen", opened("a\nb\n"))
        at = {"line": 1, "character": 0}
        changes = [{"range": {"start": at, "end": at}, "text": "new\n"}, {"text": "all\n"}]
        document = {"uri": "untitled:a", "version": 2}
        client.notify("textDocument/didChange", {"textDocument": document, "contentChanges": changes})
        await client.settle()
        return client.session.edits

    ((one, other),) = talk(script)
    assert (one.lines, one.new) == (LineRange(1, 1), ("new",))
    assert (other.lines, other.new) == (LineRange(0, 4), ("all", ""))


def test_a_client_that_shows_texts_is_offered_the_cited_ones_and_others_can_ask() -> None:
    async def script(client: Client) -> Any:
        result = await client.initialize(capabilities=SHOWS_TEXTS)
        client.notify("textDocument/didOpen", opened("a\nb\n"))
        by_request = await client.request("toolrag/cited", {"answerId": ANSWER, "id": "r1"})
        command = {"command": "toolrag.cited", "arguments": [ANSWER, "r1"]}
        by_command = await client.request("workspace/executeCommand", command)
        by_uri = await client.request("workspace/textDocumentContent", {"uri": by_request["uri"]})
        return result["capabilities"]["workspace"]["textDocumentContent"], by_request, by_command, by_uri

    offered, by_request, by_command, by_uri = talk(script)
    assert offered == {"schemes": ["toolrag-cited"]}
    assert by_request == by_command
    assert by_uri == {"text": "a\nb\n"} == {"text": by_request["text"]}
    assert by_request["uri"] == f"toolrag-cited:/{ANSWER}/r1/untitled%3Aa"


@pytest.mark.parametrize("given", [None, True, [], "x"])
def test_other_clients_are_not(given: object) -> None:
    async def script(client: Client) -> Any:
        return await client.initialize(capabilities={"workspace": {"textDocumentContent": given}})

    assert "textDocumentContent" not in talk(script)["capabilities"]["workspace"]


@pytest.mark.parametrize("path", ["a.py", "a b/ü#?.py", "%41.py", "x\udcff.py", "untitled:a"])
def test_a_uri_says_which_text_it_is_whatever_its_path(path: str) -> None:
    uri = cited.uri_of("a/b", "r 1", path)
    assert uri.isascii()
    assert cited.ids_in(uri) == ("a/b", "r 1")
    assert cited.ids_in(uri.replace(":/", ":///", 1)) == ("a/b", "r 1")


@pytest.mark.parametrize("uri", ["", "toolrag-cited:", "toolrag-cited:/a/r1", "toolrag-cited:/a//x", "x:/a/r1/x"])
def test_another_uri_is_refused(uri: str) -> None:
    with pytest.raises(ParamsError, match="uri must be toolrag-cited:"):
        cited.ids_in(uri)


# --- The installed command. ---


def git(shop: Shop, *arguments: str) -> None:
    names = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}
    alone = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    subprocess.run(
        ["git", *arguments], cwd=shop.folder, check=True, capture_output=True, env={**os.environ, **names, **alone}
    )


def told(client: Piped, found: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    """The first citation that is told of and fits."""
    while (message := client.message()) is not None:
        if message.get("method") == "toolrag/standings":
            for one in message["params"]["citations"]:
                if found(one):
                    return dict(one)
    raise EOFError


def cited_line(client: Piped) -> dict[str, Any]:
    answer = client.request("toolrag/ask", {"question": QUESTION})
    assert answer["citations"][0]["lines"]["start"] == FIRST_LINE
    return dict(answer)


def test_typing_above_cited_lines_and_undoing_it(shop: Shop) -> None:
    with shop.serve() as client:
        client.initialize(workspaceFolders=shop.folders)
        until_ready(client)
        answer = cited_line(client)
        first = answer["citations"][0]["id"]
        uri = shop.uri("shop/pricing.py")
        document = {"uri": uri, "languageId": "python", "version": 1, "text": PRICING}
        client.notify("textDocument/didOpen", {"textDocument": document})

        def edit(version: int, start: int, end: int, text: str) -> None:
            where = {"start": {"line": start, "character": 0}, "end": {"line": end, "character": 0}}
            changes = [{"range": where, "text": text}]
            params = {"textDocument": {"uri": uri, "version": version}, "contentChanges": changes}
            client.notify("textDocument/didChange", params)

        def at(standing: str, line: int) -> Callable[[dict[str, Any]], bool]:
            return lambda one: (
                (one["id"], one["standing"], one.get("lines", {}).get("start")) == (first, standing, line)
            )

        edit(2, 0, 0, "# typed\n# above\n")
        assert told(client, at("verified", FIRST_LINE + 2))["location"]["uri"] == uri
        edit(3, 0, 2, "")
        told(client, at("verified", FIRST_LINE))
        edit(4, FIRST_LINE - 1, FIRST_LINE, "")
        told(client, lambda one: (one["id"], one["standing"]) == (first, "changed"))
        edit(5, FIRST_LINE - 1, FIRST_LINE - 1, PRICING.split("\n")[FIRST_LINE - 1] + "\n")
        told(client, at("verified", FIRST_LINE))
        text = client.request("toolrag/cited", {"answerId": answer["id"], "id": first})
        assert (text["text"], text["path"]) == (PRICING, "shop/pricing.py")
        assert client.leave() == 0


def test_another_branch_and_back(shop: Shop) -> None:
    for path in (shop.folder / ".git").iterdir():
        path.unlink()
    git(shop, "init", "-b", "main")
    git(shop, "add", "-A")
    git(shop, "commit", "-m", "a")
    git(shop, "checkout", "-b", "more")
    (shop.folder / "shop/pricing.py").write_text("import sys\n" + PRICING)
    git(shop, "commit", "-a", "-m", "b")
    git(shop, "checkout", "main")
    with shop.serve() as client:
        client.initialize(workspaceFolders=shop.folders, capabilities=SHOWS_TEXTS)
        until_ready(client)
        answer = cited_line(client)
        first = answer["citations"][0]["id"]
        watched = {"changes": [{"uri": shop.uri("shop/pricing.py"), "type": 2}]}
        for branch, standing, line in (("more", "moved", FIRST_LINE + 1), ("main", "verified", FIRST_LINE)):
            git(shop, "checkout", branch)
            client.notify("workspace/didChangeWatchedFiles", watched)
            one = told(client, lambda one: bool(one["id"] == first))
            assert (one["standing"], one["lines"]["start"]) == (standing, line)
        uri = client.request("toolrag/cited", {"answerId": answer["id"], "id": first})["uri"]
        assert client.request("workspace/textDocumentContent", {"uri": uri}) == {"text": PRICING}
        assert client.leave() == 0
