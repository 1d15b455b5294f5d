"""The real server, given its own good params with one member replaced, removed or renamed: it always has an answer.

What is wrong gets -32602 with a sentence; a fault of ours (-32603) or no answer at all is never right.
"""

from __future__ import annotations

import copy
import os
import random
import time
from typing import Any

from language_server import PRICING, QUESTION, Shop, until_ready

N_REQUESTS = int(os.environ.get("TOOLRAG_WRONG_PARAMS", "400"))
SEED = int(os.environ.get("TOOLRAG_WRONG_PARAMS_SEED", str(time.time_ns())))

VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2, 10**9, 2**63, -(10**40), 1.5, 1e308, 3.0),
    *(
        "",
        "a",
        "x" * 5_000,
        "\0",
        "../..",
        "/etc/passwd",
        "file:///etc/passwd",
        "file:///%00",
        "untitled:q",
        "%2e%2e%2f",
    ),
    *("a.py:1", "shop/pricing.py:6-7@000000000000", "\u2028", "\U0001f600", "\ud800", "[](){}`<b>", "0" * 64, "c:\\x"),
    *([], [None], [[]], ["a", "b"], [1] * 50, {}, {"a": {"b": []}}, {"line": 1, "character": 1}),
    *({"uri": "file:///x"}, {"start": {"line": 5, "character": 0}, "end": {"line": 1, "character": 0}}),
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The way to every member at every depth."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [found for key, one in inner for found in ((*path, key), *places(one, (*path, key)))]


def spoiled(params: Any, chance: random.Random) -> Any:
    """A copy with one member that is not what it was."""
    params = copy.deepcopy(params)
    found = places(params)
    if not found or chance.random() < 0.03:
        return chance.choice(VALUES)
    *way, key = chance.choice(found)
    inner = params
    for step in way:
        inner = inner[step]
    what = chance.random()
    if what < 0.15:
        del inner[key]
    elif what < 0.2 and isinstance(key, str):
        inner[key.upper()] = inner.pop(key)
    else:
        inner[key] = copy.deepcopy(chance.choice(VALUES))
    return params


def test_any_spoiled_params_have_an_answer(shop: Shop) -> None:
    chance = random.Random(SEED)
    with shop.serve() as client:
        client.initialize(workspaceFolders=shop.folders)
        until_ready(client)
        document = {"uri": shop.uri("shop/pricing.py"), "languageId": "python", "version": 1, "text": "#\n" + PRICING}
        client.notify("textDocument/didOpen", {"textDocument": document})
        selection = {"start": {"line": 6, "character": 0}, "end": {"line": 8, "character": 4}}
        scope = {"include": ["shop/**"], "exclude": ["*.md"]}
        budget = {"turns": 8, "toolCalls": 24, "reads": 16, "bytes": 120_000, "tokens": 60_000, "seconds": 90}
        answer = client.request("toolrag/ask", {"question": QUESTION})
        ask = {
            "question": "what does this do?",
            "textDocument": {"uri": document["uri"]},
            "selection": selection,
            "scope": scope,
            "model": "extractive",
            "budget": budget,
            "follows": answer["id"],
            "workDoneToken": "w",
            "partialResultToken": "p",
        }
        read = {"path": "shop/pricing.py", "start": 6, "end": 7, "expectSha": ""}
        at = {"textDocument": {"uri": document["uri"]}, "position": {"line": 6, "character": 6}}
        good: list[tuple[str, Any]] = [
            ("toolrag/ask", ask),
            ("toolrag/explain", {**at, "model": "extractive", "workDoneToken": "v", "partialResultToken": "q"}),
            ("textDocument/hover", {**at, "workDoneToken": "u"}),
            ("textDocument/definition", at),
            ("textDocument/documentLink", {"textDocument": at["textDocument"], "workDoneToken": "l"}),
            ("workspace/symbol", {"query": "discount"}),
            ("workspace/executeCommand", {"command": "toolrag.explain", "arguments": [at]}),
            ("toolrag/search", {"query": "discount", "limit": 5, "scope": scope}),
            ("toolrag/readRange", read),
            ("toolrag/locate", {"citation": answer["citations"][0]}),
            ("toolrag/verify", {"text": "see shop/pricing.py:6-7 and `shop/basket.py#L7`"}),
            ("toolrag/verify", {"answer": answer}),
            ("toolrag/replay", {"run": answer["journal"], "verify": True}),
            ("toolrag/status", {}),
            ("toolrag/cited", {"answerId": answer["id"], "id": answer["citations"][0]["id"]}),
            ("workspace/textDocumentContent", {"uri": f"toolrag-cited:/{answer['id']}/{answer['citations'][0]['id']}/a.py"}),
            ("workspace/executeCommand", {"command": "toolrag.ask", "arguments": [ask]}),
            ("workspace/executeCommand", {"command": "toolrag.locate", "arguments": [{"citation": answer["citations"][0]}]}),
            ("workspace/executeCommand", {"command": "toolrag.verify", "arguments": [{"answer": answer}]}),
            ("workspace/executeCommand", {"command": "toolrag.replay", "arguments": [answer["journal"]]}),
            ("workspace/executeCommand", {"command": "toolrag.readRange", "arguments": ["shop/pricing.py", 1, 2]}),
        ]  # fmt: skip
        for method, params in good:
            assert "result" in client.answer(client.begin(method, params)), method
        for _ in range(N_REQUESTS):
            method, params = chance.choice(good)
            params = spoiled(params, chance)
            reply = client.answer(client.begin(method, params))
            again = f"TOOLRAG_WRONG_PARAMS_SEED={SEED} finds it again: {method} {str(params)[:2_000]}"
            if "error" in reply:
                assert set(reply["error"]) == {"code", "message"}, again
                assert reply["error"]["code"] == -32602, (reply, again)
                assert reply["error"]["message"].endswith("."), (reply, again)
                assert "codec" not in reply["error"]["message"], (reply, again)
                assert str(shop.home) not in reply["error"]["message"], (reply, again)
        assert client.leave() == 0
