"""Notebooks: each cell is a document, kept in step by notebook messages, searched, cited and followed as it is."""

from __future__ import annotations

from typing import Any

import pytest
from language_server import Shop, until_ready
from lsp_doubles import Client, talk
from raw_client import Piped

NOTEBOOK = "file:///w/a.ipynb"


def cell(name: str, text: str, version: int = 1, language: str = "python") -> dict[str, Any]:
    return {"uri": f"cell:{name}", "languageId": language, "version": version, "text": text}


def opened(*cells: dict[str, Any], uri: str = NOTEBOOK) -> dict[str, Any]:
    kinds = [{"kind": 2, "document": one["uri"]} for one in cells]
    notebook = {"uri": uri, "notebookType": "jupyter-notebook", "version": 1, "cells": kinds}
    return {"notebookDocument": notebook, "cellTextDocuments": [*cells]}


def changed(**cells: object) -> dict[str, Any]:
    return {"notebookDocument": {"uri": NOTEBOOK, "version": 2}, "change": {"cells": cells}}


def edit(name: str, version: int, line: int, text: str) -> dict[str, Any]:
    at = {"line": line, "character": 0}
    document = {"uri": f"cell:{name}", "version": version}
    return {"document": document, "changes": [{"range": {"start": at, "end": at}, "text": text}]}


def texts_after(*messages: tuple[str, dict[str, Any]]) -> Any:
    """What the session has open after these messages, the languages, and what was said of wrong ones."""

    async def script(client: Client) -> Any:
        result = await client.initialize()
        assert result["capabilities"]["notebookDocumentSync"] == {
            "notebookSelector": [{"notebook": "*"}],
            "save": True,
        }
        client.notify("notebookDocument/didOpen", opened(cell("1", "one\n"), cell("2", "two\n", 1, "markdown")))
        for method, params in messages:
            client.notify(f"notebookDocument/{method}", params)
        await client.settle()
        texts = {uri: text for uri, (text, _) in client.session.texts.items()}
        assert {client.session.notebooks[uri] for uri in texts} <= {NOTEBOOK}
        said = [one["message"] for one in client.of("window/logMessage")]
        return texts, client.session.languages, client.session.told, said

    return talk(script)


def test_each_cell_is_a_document() -> None:
    texts, languages, _, said = texts_after()
    assert texts == {"cell:1": "one\n", "cell:2": "two\n"}
    assert languages == {"cell:1": "python", "cell:2": "markdown"}
    assert said == []


def test_cells_are_edited_added_and_removed() -> None:
    structure = {
        "array": {"start": 1, "deleteCount": 1, "cells": [{"kind": 2, "document": "cell:3"}]},
        "didOpen": [cell("3", "three\n")],
        "didClose": [{"uri": "cell:2"}],
    }
    edits = [edit("1", 2, 1, "more\n"), edit("3", 2, 0, "before\n")]
    texts, _, _, said = texts_after(("didChange", changed(structure=structure, textContent=edits)))
    assert (texts, said) == ({"cell:1": "one\nmore\n", "cell:3": "before\nthree\n"}, [])


def test_a_cell_that_changes_its_language_stays_open() -> None:
    """It is closed and opened in one message."""
    structure = {"didOpen": [cell("1", "# one\n", 2, "markdown")], "didClose": [{"uri": "cell:1"}]}
    texts, languages, _, _ = texts_after(("didChange", changed(structure=structure)))
    assert texts["cell:1"] == "# one\n"
    assert languages["cell:1"] == "markdown"


@pytest.mark.parametrize("change", [{}, {"metadata": {}}, {"cells": {}}, {"cells": {"data": []}}, {"cells": None}])
def test_what_changes_no_text_changes_nothing(change: object) -> None:
    given = {"notebookDocument": {"uri": NOTEBOOK, "version": 2}, "change": change}
    texts, _, _, said = texts_after(("didChange", given))
    assert (texts, said) == ({"cell:1": "one\n", "cell:2": "two\n"}, [])


def test_one_wrong_cell_does_not_keep_the_others_from_being_changed() -> None:
    edits = [edit("9", 2, 0, "x"), edit("1", 2, 0, "x")]
    texts, _, _, said = texts_after(("didChange", changed(textContent=edits)))
    assert texts["cell:1"] == "xone\n"
    assert said == ["The notification notebookDocument/didChange was passed over: cell:9 is not open."]


def test_a_saved_notebook_is_a_file_that_changed_and_a_closed_one_closes_its_cells() -> None:
    closed = {"notebookDocument": {"uri": NOTEBOOK}, "cellTextDocuments": [{"uri": "cell:1"}, {"uri": "cell:2"}]}
    saved = {"notebookDocument": {"uri": NOTEBOOK}}
    texts, _, told, said = texts_after(("didSave", saved), ("didClose", closed))
    assert (texts, said) == ({}, [])
    assert ("files", (NOTEBOOK,)) in told


# --- The installed command. ---

CELL = '"""Airships."""\n\n\ndef moor_zeppelin(mast):\n    """Tie the zeppelin to a mast."""\n    return mast.tie()\n'


def candidates(client: Piped, query: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = client.request("toolrag/search", {"query": query})["candidates"]
    return found


def test_a_cell_is_searched_cited_hovered_and_followed_and_forgotten_when_closed(shop: Shop) -> None:
    notebook = shop.uri("flights.ipynb")
    uri = f"{notebook.replace('file://', 'vscode-notebook-cell:')}#W1sZmlsZQ%3D%3D"
    with shop.serve() as client:
        client.initialize(workspaceFolders=shop.folders)
        until_ready(client)
        document = {"uri": uri, "languageId": "python", "version": 1, "text": CELL}
        client.notify("notebookDocument/didOpen", opened(document, uri=notebook))
        while not candidates(client, "moor_zeppelin"):
            pass
        asked = {"question": "what does moor_zeppelin do?"}
        answer = client.request("toolrag/ask", asked)
        citation = answer["citations"][0]
        assert (citation["location"]["uri"], citation["lines"]["start"], citation["source"]) == (uri, 4, "buffer")
        lines, pin = citation["lines"], citation["linesSha"][:12]
        assert lines["end"] > lines["start"]
        written = f"- `{citation['path']}:{lines['start']}-{lines['end']}@{pin}`"
        (verified,) = client.request("toolrag/verify", {"text": written})["citations"]
        assert (verified["standing"], verified["location"]["uri"]) == ("verified", uri)
        position = {"line": 3, "character": 6}
        hovered = client.request("textDocument/hover", {"textDocument": {"uri": uri}, "position": position})
        assert "Tie the zeppelin to a mast." in hovered["contents"]["value"]
        in_front = {"textDocument": {"uri": uri}, "selection": {"start": position, "end": position}}
        this = client.request("toolrag/ask", {"question": "what does this do?", **in_front})
        assert this["citations"][0]["location"]["uri"] == uri

        at = {"line": 0, "character": 0}
        change = {
            "document": {"uri": uri, "version": 2},
            "changes": [{"range": {"start": at, "end": at}, "text": "\n"}],
        }
        versioned = {"uri": notebook, "version": 2}
        params = {"notebookDocument": versioned, "change": {"cells": {"textContent": [change]}}}
        client.notify("notebookDocument/didChange", params)
        while (message := client.message()) is not None:
            if message.get("method") == "toolrag/standings" and message["params"]["answerId"] == answer["id"]:
                break
        assert message is not None
        told = {one["id"]: one for one in message["params"]["citations"]}[citation["id"]]
        assert (told["standing"], told["lines"]["start"], told["location"]["uri"]) == ("verified", 5, uri)
        assert client.request("toolrag/ask", asked)["citations"][0]["lines"]["start"] == 5

        closed = {"notebookDocument": {"uri": notebook}, "cellTextDocuments": [{"uri": uri}]}
        client.notify("notebookDocument/didClose", closed)
        while candidates(client, "moor_zeppelin"):
            pass
        assert client.request("toolrag/locate", {"citation": citation})["standing"] == "gone"
        assert client.leave() == 0


def test_cells_of_a_denied_notebook_are_neither_searched_nor_read(shop: Shop) -> None:
    (shop.folder / ".toolragignore").write_text("private/\n")
    with shop.serve() as client:
        client.initialize(workspaceFolders=shop.folders)
        until_ready(client)
        beside = cell("2", "def beside(): pass\n")
        client.notify("notebookDocument/didOpen", opened(cell("1", CELL), uri=shop.uri("private/flights.ipynb")))
        client.notify("notebookDocument/didOpen", opened(beside, uri=shop.uri("flights.ipynb")))
        while not candidates(client, "beside"):
            pass  # documents are taken up in the order they were opened
        assert candidates(client, "moor_zeppelin") == []
        assert client.request("toolrag/readRange", {"path": "cell:1", "start": 1, "end": 1})["error"] == "ignored"
        assert client.leave() == 0
