"""The real server as bytes on pipes: folders, settings and files that change, cancels, and what an ask tells meanwhile."""

from __future__ import annotations

from collections import Counter
from typing import Any

from language_server import FIRST_LINE, QUESTION, Shop, until_ready
from raw_client import Piped

EDIT = {"languageId": "python", "version": 1}


def begun(shop: Shop, **params: object) -> Piped:
    client = shop.serve()
    client.initialize(workspaceFolders=shop.folders, **params)
    return client


def ask_until(client: Piped, question: str, outcome: str) -> Any:
    """The first answer of an outcome; asked again while the index follows."""
    while (answer := client.request("toolrag/ask", {"question": question}))["outcome"] != outcome:
        pass
    return answer


def test_an_ask_during_the_first_indexing_never_says_that_it_is_not_here(shop: Shop) -> None:
    for number in range(100):
        (shop.folder / f"module_{number}.py").write_text(f"def function_{number}():\n    return {number}\n")
    with begun(shop) as client:
        answer = client.request("toolrag/ask", {"question": QUESTION})
        assert answer["outcome"] == "answered" or answer["reason"]["code"] == "not_indexed_yet"
        ask_until(client, QUESTION, "answered")


def test_an_ask_tells_what_is_read_then_what_is_found_then_ends(shop: Shop) -> None:
    with begun(shop) as client:
        until_ready(client)
        before = len(client.seen)
        answer = client.request("toolrag/ask", {"question": QUESTION, "workDoneToken": "w", "partialResultToken": "p"})
        told = [one["params"] for one in client.seen[before:] if one.get("method") == "$/progress"]
        kinds = [one["value"].get("kind", "partial") for one in told]
        assert kinds[0] == "begin"
        assert kinds[-1] == "end"
        assert {"report", "partial"} <= set(kinds)
        claims: dict[str, object] = {}
        for part in (one["value"] for one in told if one["token"] == "p"):
            claims |= {claim["id"]: claim for claim in part["claims"]}
            assert {used for claim in part["claims"] for used in claim["citations"]} <= {
                one["id"] for one in part["citations"]
            }
            for withdrawn in part["withdrawn"]:
                del claims[withdrawn]
        assert list(claims.values()) == answer["claims"]


def test_cancelled_asks_have_one_answer_each_and_nothing_after_it(shop: Shop) -> None:
    """Cancelled at many different moments, by both ways there are."""
    with begun(shop) as client:
        until_ready(client)
        asks = []
        for number in range(60):
            given = {"question": QUESTION, "workDoneToken": f"w{number}", "partialResultToken": f"p{number}"}
            asks.append(client.begin("toolrag/ask", given))
            for late in range(number % 7):
                client.begin("toolrag/status", {"late": late})
            if number % 2:
                client.notify("$/cancelRequest", {"id": asks[-1]})
            else:
                client.notify("window/workDoneProgress/cancel", {"token": f"w{number}"})
        client.request("shutdown")
        client.notify("exit")
        client.rest()
        answers = Counter(one["id"] for one in client.seen if "method" not in one)
        assert [answers[identity] for identity in asks] == [1] * 60
        cancelled = 0
        for number, identity in enumerate(asks):
            at = next(
                place for place, one in enumerate(client.seen) if one.get("id") == identity and "method" not in one
            )
            cancelled += client.seen[at].get("error", {}).get("code") == -32800
            tokens = [one["params"]["token"] for one in client.seen[at:] if one.get("method") == "$/progress"]
            assert not {f"w{number}", f"p{number}"} & set(tokens)
        assert cancelled > 10
        assert client.code() == 0


def test_folders_with_equal_file_names_come_and_go(shop: Shop) -> None:
    """Each is told from the other, and a URI comes back in the client's own spelling."""
    other = shop.home / "other"
    (other / "shop").mkdir(parents=True)
    (other / "shop" / "pricing.py").write_text("def surcharge(price):\n    return price + 1\n")
    spelt = other.as_uri().replace("/other", "/%6fther")
    folder = {"uri": spelt, "name": "other"}
    question = "what does surcharge return?"
    with begun(shop) as client:
        until_ready(client)
        client.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [folder], "removed": []}})
        citation = ask_until(client, question, "answered")["citations"][0]
        assert (citation["root"], citation["path"]) == ("other", "shop/pricing.py")
        assert citation["location"]["uri"].startswith(spelt)
        read = client.request("toolrag/readRange", {"path": "shop/pricing.py", "start": 1, "end": 1})
        assert read["error"] == "not_found"
        client.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [], "removed": [folder]}})
        ask_until(client, question, "notFound")
        assert ask_until(client, QUESTION, "answered")["citations"][0]["lines"]["start"] == FIRST_LINE


def test_a_server_without_a_folder_answers_from_open_documents(shop: Shop) -> None:
    with shop.serve() as client:
        client.initialize()
        until_ready(client)
        document = {"uri": "untitled:a", "text": 'def mint():\n    """Make a fresh token."""\n', **EDIT}
        client.notify("textDocument/didOpen", {"textDocument": document})
        assert ask_until(client, "what does mint do?", "answered")["citations"][0]["location"]["uri"] == "untitled:a"
        assert client.leave() == 0


def test_a_file_that_changes_on_disk_is_read_again(shop: Shop) -> None:
    with begun(shop) as client:
        until_ready(client)
        (shop.folder / "shop" / "fees.py").write_text(
            'def handling_fee():\n    """What packing costs."""\n    return 4\n'
        )
        client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": shop.uri("shop/fees.py"), "type": 1}]})
        answer = ask_until(client, "what does handling_fee return?", "answered")
        assert answer["citations"][0]["path"] == "shop/fees.py"


def test_what_the_settings_deny_is_no_longer_read(shop: Shop) -> None:
    """A setting that is wrong is named, and the others hold."""
    with begun(shop) as client:
        until_ready(client)
        settings = {"deny": ["shop/pricing.py"], "read": {"maxLines": 0}}
        client.notify("workspace/didChangeConfiguration", {"settings": {"toolrag": settings}})
        read = {"path": "shop/pricing.py", "start": 1, "end": 1}
        while "text" in (result := client.request("toolrag/readRange", read)):
            pass
        assert result["error"] == "ignored"
        lines = [one["params"]["message"] for one in client.seen if one.get("method") == "window/logMessage"]
        assert "read.max_lines must be a whole number above 0, not 0." in lines


def test_a_settings_file_that_is_wrong_is_named_and_the_server_serves(shop: Shop) -> None:
    file = shop.home / "config" / "toolrag" / "config.toml"
    file.parent.mkdir(parents=True)
    file.write_text("[read\n")
    with begun(shop) as client:
        ask_until(client, QUESTION, "answered")
        assert client.leave() == 0
        assert "config.toml: The settings cannot be read" in client.said()
