"""The real server and pytest-lsp's client, which checks what it is sent against the specification."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from language_server import COMMAND, FIRST, FIRST_LINE, PRICING, QUESTION, Shop
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities
from toolrag.text import lines_sha

pytestmark = pytest.mark.asyncio


@pytest_asyncio.fixture
async def client(shop: Shop) -> AsyncIterator[LanguageClient]:
    """An initialized client with the capabilities of VS Code."""
    config = ClientServerConfig(server_command=[str(COMMAND), "serve", "--stdio"], server_env=shop.environment)
    client = await config.start()
    assert isinstance(client, LanguageClient)
    client.feature(types.CLIENT_REGISTER_CAPABILITY)(lambda _: None)
    folder = types.WorkspaceFolder(shop.folder.as_uri(), "shop")
    capabilities = client_capabilities("visual-studio-code")
    await client.initialize_session(
        types.InitializeParams(capabilities, process_id=os.getpid(), workspace_folders=[folder])
    )
    yield client
    await client.shutdown_session()
    await client.stop()


async def send(client: LanguageClient, method: str, params: object) -> Any:
    """A request of ours; pygls gives its result as a namedtuple, whose members are the wire's names."""
    return await client.protocol.send_request_async(method, params)


async def ready(client: LanguageClient) -> None:
    while (await send(client, "toolrag/status", {})).phase != "ready":
        await asyncio.sleep(0)


def opened(uri: str, text: str) -> types.DidOpenTextDocumentParams:
    return types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, "python", 1, text))


def typed_above(uri: str, version: int, text: str) -> types.DidChangeTextDocumentParams:
    top = types.Range(types.Position(0, 0), types.Position(0, 0))
    change = types.TextDocumentContentChangePartial(range=top, text=text)
    return types.DidChangeTextDocumentParams(types.VersionedTextDocumentIdentifier(uri=uri, version=version), [change])


async def test_ask_jump_edit_ask_again_and_close(client: LanguageClient, shop: Shop) -> None:
    """The citation's location holds the quote; typed lines above move it; closing without saving puts it back."""
    await ready(client)
    uri = shop.uri("shop/pricing.py")
    client.text_document_did_open(opened(uri, PRICING))
    text = PRICING
    for version, above in ((1, ""), (2, "# \U0001f680\f\u2028 typed\n"), (3, "# above\r\n")):
        if above:
            client.text_document_did_change(typed_above(uri, version, above))
            text = above + text
        answer = await send(client, "toolrag/ask", {"question": QUESTION})
        citation = answer.citations[0]
        where = citation.location.range
        lines = text.replace("\r\n", "\n").split("\n")
        assert (citation.source, citation.version, citation.location.uri) == ("buffer", version, uri)
        assert lines[where.start.line] == FIRST
        assert citation.lines.start == FIRST_LINE + version - 1 == where.start.line + 1
        assert citation.quote == "".join(f"{line}\n" for line in lines[where.start.line : where.end.line + 1])
        assert where.end.character == len(lines[where.end.line])
    client.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri)))
    citation = (await send(client, "toolrag/ask", {"question": QUESTION})).citations[0]
    assert (citation.source, citation.lines.start) == ("disk", FIRST_LINE)


async def test_a_document_opened_with_text_unlike_the_disk_s_is_the_truth(client: LanguageClient, shop: Shop) -> None:
    """An editor restores what was not saved."""
    await ready(client)
    uri = shop.uri("shop/pricing.py")
    client.text_document_did_open(opened(uri, "# restored\n\n\n" + PRICING.replace("Take a", "Take the whole")))
    read = await send(client, "toolrag/readRange", {"path": "shop/pricing.py", "start": 10, "end": 10})
    assert (read.text, read.source, read.dirty) == ('    """Take the whole discount off a price."""\n', "buffer", True)
    answer = await send(client, "toolrag/ask", {"question": QUESTION})
    assert any("Take the whole discount off a price" in claim.text for claim in answer.claims)
    assert answer.citations[0].lines.start == FIRST_LINE + 3


async def test_what_is_typed_is_found_by_search(client: LanguageClient, shop: Shop) -> None:
    """A symbol that no file has: after the pause that a person makes, without a save."""
    await ready(client)
    uri = shop.uri("shop/pricing.py")
    client.text_document_did_open(opened(uri, PRICING))
    client.text_document_did_change(typed_above(uri, 2, "def clearance_markdown():\n    return 1\n"))
    async with asyncio.timeout(30):
        while not (found := await send(client, "toolrag/search", {"query": "clearance_markdown"})).candidates:
            await asyncio.sleep(0)
    assert (found.candidates[0].symbol.name, found.candidates[0].lines.start) == ("clearance_markdown", 1)


async def test_an_untitled_document_can_be_asked_about(client: LanguageClient) -> None:
    await ready(client)
    client.text_document_did_open(
        opened("untitled:Untitled-1", 'def mint():\n    """Make a fresh token."""\n    return 1\n')
    )
    async with asyncio.timeout(30):
        while (answer := await send(client, "toolrag/ask", {"question": "what does mint do?"})).outcome != "answered":
            await asyncio.sleep(0)
    assert answer.citations[0].location.uri == "untitled:Untitled-1"


async def test_hover_says_what_a_name_is_with_links_that_lead_to_it(client: LanguageClient, shop: Shop) -> None:
    """On a use in another file, as Markdown, before and after lines are typed above the definition."""
    await ready(client)
    basket, pricing = shop.uri("shop/basket.py"), shop.uri("shop/pricing.py")
    at = types.HoverParams(types.TextDocumentIdentifier(basket), types.Position(7, 22))
    found = await client.text_document_hover_async(at)
    assert found is not None
    assert isinstance(found.contents, types.MarkupContent)
    assert found.range == types.Range(types.Position(7, 19), types.Position(7, 35))
    assert found.contents.kind == types.MarkupKind.Markdown
    assert f"[`shop/pricing.py:{FIRST_LINE}-10`]({pricing}#L{FIRST_LINE})" in found.contents.value
    client.text_document_did_open(opened(pricing, "# typed\n" + PRICING))
    async with asyncio.timeout(30):  # a parser that was not started yet is not waited for
        while (
            found := await client.text_document_hover_async(at)
        ) is None or f"({pricing}#L{FIRST_LINE + 1})" not in str(found.contents):
            await asyncio.sleep(0)
    nothing = types.HoverParams(types.TextDocumentIdentifier(basket), types.Position(7, 0))
    assert await client.text_document_hover_async(nothing) is None


async def test_explain_answers_about_the_symbol_and_the_next_hover_tells_it(client: LanguageClient, shop: Shop) -> None:
    await ready(client)
    at = {"textDocument": {"uri": shop.uri("shop/pricing.py")}, "position": {"line": FIRST_LINE - 1, "character": 6}}
    answer = await send(client, "toolrag/explain", at)
    assert (answer.outcome, answer.question) == ("answered", "what does `discounted_price` do?")
    command = types.ExecuteCommandParams("toolrag.explain", [at])
    assert (await client.workspace_execute_command_async(command))["question"] == answer.question
    where = types.HoverParams(
        types.TextDocumentIdentifier(shop.uri("shop/pricing.py")), types.Position(FIRST_LINE - 1, 6)
    )
    found = await client.text_document_hover_async(where)
    assert found is not None
    assert isinstance(found.contents, types.MarkupContent)
    assert all(claim.text in found.contents.value for claim in answer.claims)


async def test_symbols_of_the_workspace_are_found_by_a_part_of_their_name(client: LanguageClient, shop: Shop) -> None:
    await ready(client)
    found = await client.workspace_symbol_async(types.WorkspaceSymbolParams("discP"))
    assert found is not None
    (first,) = found
    where = types.Range(types.Position(FIRST_LINE - 1, 4), types.Position(FIRST_LINE - 1, 20))
    assert (first.name, first.kind) == ("discounted_price", types.SymbolKind.Function)
    assert first.location == types.Location(shop.uri("shop/pricing.py"), where)
    assert await client.workspace_symbol_async(types.WorkspaceSymbolParams("")) == []


NOTE = f"# \U0001f4d6 see `shop/pricing.py:{FIRST_LINE}@{lines_sha([FIRST])[:12]}` and .env:1, shop/pricing.py:3\n"
"""A citation that stands, one that is denied, and one that nobody can judge."""


def cited_in(text: str, written: str) -> types.Range:
    """Where a citation stands in a text of one line, in UTF-16."""
    start = len(text[: text.index(written)].encode("utf-16-le")) // 2
    return types.Range(types.Position(0, start), types.Position(0, start + len(written)))


async def test_written_citations_are_links_that_say_how_they_stand(client: LanguageClient, shop: Shop) -> None:
    """In a comment and in Markdown, before and after the lines were typed down."""
    await ready(client)
    pricing, note = shop.uri("shop/pricing.py"), "untitled:Note"
    first = NOTE[NOTE.index("shop") : NOTE.index("` and")]
    client.text_document_did_open(opened(note, NOTE + "x = shop/pricing.py:3\n"))
    links = await client.text_document_document_link_async(types.DocumentLinkParams(types.TextDocumentIdentifier(note)))
    nobody = "unpinned: whether these are the lines that were meant nobody can say"
    assert list(links or ()) == [
        types.DocumentLink(cited_in(NOTE, first), f"{pricing}#L{FIRST_LINE}", "verified"),
        types.DocumentLink(cited_in(NOTE, ".env:1"), None, "gone: no such file that may be read"),
        types.DocumentLink(cited_in(NOTE, "shop/pricing.py:3"), f"{pricing}#L3", nobody),
    ]
    client.text_document_did_open(opened(pricing, "\n\n" + PRICING))
    readme = types.TextDocumentItem("untitled:Readme", "markdown", 1, NOTE)
    client.text_document_did_open(types.DidOpenTextDocumentParams(readme))
    links = await client.text_document_document_link_async(
        types.DocumentLinkParams(types.TextDocumentIdentifier("untitled:Readme"))
    )
    assert links is not None
    assert links[0] == types.DocumentLink(
        cited_in(NOTE, first), f"{pricing}#L{FIRST_LINE + 2}", f"moved to {FIRST_LINE + 2}"
    )


async def test_definition_of_a_written_citation_is_where_its_lines_are(client: LanguageClient, shop: Shop) -> None:
    await ready(client)
    pricing, note = shop.uri("shop/pricing.py"), types.TextDocumentIdentifier("untitled:Note")
    client.text_document_did_open(opened(note.uri, NOTE))
    client.text_document_did_open(opened(pricing, "\n" + PRICING))
    at = cited_in(NOTE, "pricing.py").start
    found = await client.text_document_definition_async(types.DefinitionParams(note, at))
    where = types.Range(types.Position(FIRST_LINE, 0), types.Position(FIRST_LINE, len(FIRST)))
    assert found == types.Location(pricing, where)
    for nowhere in (types.Position(0, 2), cited_in(NOTE, ".env").start):
        assert await client.text_document_definition_async(types.DefinitionParams(note, nowhere)) is None
    name = types.DefinitionParams(types.TextDocumentIdentifier(pricing), types.Position(FIRST_LINE, 6))
    assert await client.text_document_definition_async(name) is None  # a name's is told by its language's server


async def test_hover_of_a_written_citation_shows_its_lines(client: LanguageClient, shop: Shop) -> None:
    await ready(client)
    note = types.TextDocumentIdentifier("untitled:Note")
    client.text_document_did_open(opened(note.uri, NOTE))
    first = NOTE[NOTE.index("shop") : NOTE.index("` and")]
    found = await client.text_document_hover_async(types.HoverParams(note, cited_in(NOTE, first).end))
    assert found is not None
    assert isinstance(found.contents, types.MarkupContent)
    assert found.range == cited_in(NOTE, first)
    link = f"[`shop/pricing.py:{FIRST_LINE}`]({shop.uri('shop/pricing.py')}#L{FIRST_LINE})"
    assert found.contents.value == f"Verified.\n\n{link}\n\n```python\n{FIRST}\n```"


async def test_citations_that_no_longer_stand_are_marked_on_request(client: LanguageClient, shop: Shop) -> None:
    """Off until the settings want it; told of the document as it is, and cleared on close."""
    await ready(client)
    pricing, note = shop.uri("shop/pricing.py"), "untitled:Note"
    client.text_document_did_open(types.DidOpenTextDocumentParams(types.TextDocumentItem(note, "markdown", 7, NOTE)))
    client.text_document_did_open(opened(pricing, "\n" + PRICING))
    wanted = types.DidChangeConfigurationParams({"toolrag": {"diagnostics": True}})
    client.workspace_did_change_configuration(wanted)
    await client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    moved, gone = client.diagnostics[note]
    assert (moved.code, gone.code) == ("moved", "gone")
    assert {(one.source, one.severity) for one in (moved, gone)} == {("toolrag", types.DiagnosticSeverity.Information)}
    assert moved.message == f"This citation has moved to {FIRST_LINE + 1}. `toolrag verify --fix` writes it anew."
    assert gone.range == cited_in(NOTE, ".env:1")
    client.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(note)))
    await client.wait_for_notification(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    assert not client.diagnostics[note]


async def test_wrong_params_and_secrets_are_refused(client: LanguageClient) -> None:
    for method, params in (
        ("toolrag/ask", {"question": 3}),
        ("toolrag/search", {}),
        ("toolrag/explain", {"textDocument": {"uri": "a"}}),
        ("toolrag/readRange", {"path": "a", "start": "1", "end": 2}),
        ("toolrag/locate", {"citation": "a"}),
        ("toolrag/verify", {"text": 1}),
        ("toolrag/status", [1]),
        ("workspace/executeCommand", types.ExecuteCommandParams("rm")),
    ):
        with pytest.raises(JsonRpcException) as caught:
            await send(client, method, params)
        assert (caught.value.code, caught.value.data) == (-32602, None), method
    refused = await send(client, "toolrag/readRange", {"path": ".env", "start": 1, "end": 1})
    assert refused.error == "secret_denied"
