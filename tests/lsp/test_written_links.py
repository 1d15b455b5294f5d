"""Links, definitions and marks of written citations on the wire, in each position encoding."""

from __future__ import annotations

from typing import Any

import pytest
from lsp_doubles import Client, talk

URI = "untitled:one"
TEXT = "\U0001f600\u00e9 see src/a.py:1, b.py:90"
UNITS = [("utf-8", 11), ("utf-16", 8), ("utf-32", 7)]


def of(encoding: str, text: str = TEXT, uri: str = URI) -> tuple[Client, Any, Any, Any]:
    """The client after its links, the definition at its first citation, and one elsewhere, were told."""

    async def script(client: Client) -> tuple[Client, Any, Any, Any]:
        await client.initialize(capabilities={"general": {"positionEncodings": [encoding]}})
        document = {"uri": uri, "languageId": "markdown", "version": 3, "text": text}
        client.notify("textDocument/didOpen", {"textDocument": document})
        at = {"textDocument": {"uri": uri}}
        links = await client.request("textDocument/documentLink", at)
        here = await client.request("textDocument/definition", {**at, "position": {"line": 0, "character": 9}})
        away = await client.request("textDocument/definition", {**at, "position": {"line": 1, "character": 0}})
        client.session.events.unstanding(uri, client.session.written(uri))
        client.session.events.unstanding(uri, None)
        return client, links, here, away

    return talk(script)


@pytest.mark.parametrize(("encoding", "start"), UNITS)
def test_ranges_are_in_the_client_s_encoding(encoding: str, start: int) -> None:
    client, links, here, away = of(encoding)
    end = start + len("src/a.py:1")
    where = {"start": {"line": 0, "character": start}, "end": {"line": 0, "character": end}}
    assert links[0]["range"] == where
    assert [link.get("target") for link in links] == [f"{URI}#L1", f"{URI}#L1"]
    assert [link["tooltip"][:4] for link in links] == ["unpi", "gone"]
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": end + len(", b.py:90")}}
    assert (here, away) == ({"uri": URI, "range": whole}, None)
    marked, cleared = client.of("textDocument/publishDiagnostics")
    assert (marked["uri"], marked["version"], cleared) == (URI, 3, {"uri": URI, "diagnostics": []})
    assert marked["diagnostics"][0]["range"] == where
    assert {key: marked["diagnostics"][1][key] for key in ("severity", "source", "code")} == {
        "severity": 3,
        "source": "toolrag",
        "code": "gone",
    }


def test_a_document_that_is_not_there_has_no_links_and_no_definitions() -> None:
    async def script(client: Client) -> Any:
        await client.initialize()
        at = {"textDocument": {"uri": URI}, "position": {"line": 0, "character": 0}}
        return await client.request("textDocument/documentLink", at), await client.request(
            "textDocument/definition", at
        )

    assert talk(script) == ([], None)


def test_a_link_to_a_notebook_s_cell_is_its_uri() -> None:
    """Its fragment names the cell."""
    cell = "vscode-notebook-cell:/a.ipynb#W0"
    _, links, _, _ = of("utf-16", uri=cell)
    assert {link["target"] for link in links} == {cell}
