"""Doubles for the language server: a session that answers from open documents alone, and a client in the same process."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine, Mapping, Sequence
from typing import Any, TypeVar

from toolrag.answer.checking import CheckedText, Runs, judge
from toolrag.answer.citations import anchor_of
from toolrag.answer.edits import Edit
from toolrag.answer.hover.markup import Format
from toolrag.answer.hover.names import Listed
from toolrag.answer.reading import ReadResult
from toolrag.answer.types import Answer, Citation, Claim, Evidence, Usage
from toolrag.answer.written import find_written
from toolrag.config import Settings
from toolrag.errors import ConfigError, ReadError
from toolrag.lsp import log_lines, methods
from toolrag.lsp.framing import Body, FramingError, Skipped
from toolrag.lsp.server import Server
from toolrag.lsp.settings import SettingsFile
from toolrag.ports import Scope, Searched, SearchResult
from toolrag.session.types import Ask, Events, Folder, Hover, Links, Watch
from toolrag.text import Form, LineRange, Position, PositionEncoding, Text, TextSnapshot, blob_sha

Json = dict[str, Any]
Result = TypeVar("Result")

PATIENCE = 30.0
"""Seconds; a test that waits this long has failed."""


class FakeSession:
    """Cites the first line of an open document that holds the question. Some questions have a meaning of their own.

    `wait` never ends unless cancelled · `wait, stubborn` goes on for a while after it is · `fail` raises · `model`
    cannot be used · `nan` gives what is no JSON.
    """

    def __init__(self, settings: Settings, events: Events) -> None:
        self.settings = [settings]
        self.events = events
        self.folders: list[Folder] = []
        self.texts: dict[str, tuple[str, int | None]] = {}
        self.languages: dict[str, str] = {}
        self.notebooks: dict[str, str | None] = {}
        self.edits: list[Sequence[Edit] | None] = []
        self.told: list[tuple[str, object]] = []
        self.asked: list[Ask] = []
        self.watch: Watch | None = None
        self.started = asyncio.Event()
        self.start_gate: asyncio.Event | None = None
        self.late = asyncio.Event()
        """Set when a stubborn ask has ended."""

    async def start(self, folders: Sequence[Folder]) -> None:
        if self.start_gate is not None:
            await self.start_gate.wait()
        self.folders += folders
        self.started.set()

    async def change_folders(self, added: Sequence[Folder], removed: Sequence[Folder]) -> None:
        self.folders = [folder for folder in self.folders if folder not in removed] + list(added)
        self.told.append(("folders", tuple(self.folders)))

    async def configure(self, settings: Settings) -> None:
        self.settings.append(settings)

    def opened(self, uri: str, language_id: str, text: str, version: int | None, notebook: str | None = None) -> None:
        self.notebooks[uri] = notebook
        self.texts[uri] = text, version
        self.languages[uri] = language_id

    def changed(self, uri: str, text: str, version: int | None, edits: Sequence[Edit] | None = None) -> None:
        self.edits.append(edits)
        if uri not in self.texts:
            raise KeyError(uri)
        self.texts[uri] = text, version

    def saved(self, uri: str) -> None:
        self.told.append(("saved", uri))

    def closed(self, uri: str) -> None:
        del self.texts[uri]

    def files_changed(self, uris: Sequence[str]) -> None:
        self.told.append(("files", tuple(uris)))

    async def ask(self, ask: Ask, watch: Watch) -> Answer:
        self.asked.append(ask)
        self.watch = watch
        match ask.question:
            case "wait":
                await asyncio.Event().wait()
            case "wait, stubborn":
                try:
                    await asyncio.Event().wait()
                except asyncio.CancelledError:
                    watch.reading("something, after all")
                    self.late.set()
            case "fail":
                raise RuntimeError(f"source text: {self.texts}")
            case "model":
                raise ConfigError("No model of this name can be used.")
            case "nan":
                return self._answer(ask, (), (), float("nan"))
        claims, citations = [], []
        for uri, (content, version) in self.texts.items():
            text = Text(content)
            for index in range(text.n_lines):
                if ask.question in text.line(index):
                    citations.append(_citation(f"r{len(citations) + 1}", uri, text, version, index))
                    claims.append(Claim(f"c{len(citations)}", f"`{ask.question}`", (citations[-1].id,)))
                    break
            watch.reading(f"reading {uri}")
        if claims:
            watch.claims(claims, citations, ())
        return self._answer(ask, tuple(claims), tuple(citations), 0.25)

    def _answer(self, ask: Ask, claims: tuple[Claim, ...], citations: tuple[Citation, ...], seconds: float) -> Answer:
        outcome = "answered" if claims else "notFound"
        searched = Searched(len(self.texts), 0, True, ())
        return Answer(
            "0" * 16, ask.question, outcome, None, "extractive", claims, citations, (), searched, Usage(seconds=seconds)
        )

    async def search(self, query: str, limit: int, scope: Scope) -> SearchResult:
        self.told.append(("search", (query, limit, scope)))
        return SearchResult((), Searched(len(self.texts), 0, True, (query,)))

    async def read_range(self, path: str, start: int, end: int, expect_sha: str | None) -> ReadResult:
        if path not in self.texts:
            raise ReadError("not_found", "There is no such file.")
        content, version = self.texts[path]
        text, lines = Text(content), LineRange(start - 1, end)
        evidence = Evidence("e1", _snapshot(path, text, version), lines)
        if expect_sha not in (None, evidence.snapshot.sha):
            raise ReadError("stale_blob", "It is another text now.", sha=evidence.snapshot.sha)
        return ReadResult(evidence, text.slice(lines), text.sha_of(lines))

    async def hover(
        self, uri: str, position: Position, encoding: PositionEncoding, form: Format, command_links: bool
    ) -> Hover | None:
        self.told.append(("hover", (uri, position, encoding, form, command_links)))
        if uri not in self.texts:
            return None
        return Hover(f"{form}: {command_links}", Position(position.line, 0), position)

    async def links(self, uri: str) -> Links | None:
        self.told.append(("links", uri))
        return self.written(uri) if uri in self.texts else None

    async def written_at(self, uri: str, position: Position, encoding: PositionEncoding) -> CheckedText | None:
        self.told.append(("written", (uri, position, encoding)))
        citations = self.written(uri).citations if uri in self.texts else ()
        return next((one for one in citations if position.line == 0), None)

    def written(self, uri: str) -> Links:
        """The citations of a document, each as if it were of the document itself."""
        content, version = self.texts[uri]
        snapshot = _snapshot(uri, Text(content), version)
        return Links(snapshot, tuple(judge(one, snapshot, None, Runs()) for one in find_written(content)))

    async def explain(
        self, uri: str, position: Position, encoding: PositionEncoding, model: str | None, watch: Watch
    ) -> Answer:
        self.told.append(("explain", (uri, position, encoding, model)))
        return await self.ask(Ask(model or "explain", uri, model=model), watch)

    async def shown(self, answer: Answer) -> str:
        if answer.question == "nowhere":
            raise ConfigError("There is no place for an answer.")
        self.told.append(("shown", answer.question))
        return f"file:///answers/{answer.id}.md"

    async def symbols(self, query: str) -> Sequence[Listed]:
        found = []
        for uri, (content, version) in self.texts.items():
            snapshot = _snapshot(uri, Text(content), version)
            at = snapshot.text.line(0).find(query)
            if query and at >= 0:
                found.append(Listed(snapshot, query, "Around", "method", 0, at, at + len(query)))
        return found

    async def locate(self, citation: Mapping[str, object], encoding: PositionEncoding) -> Mapping[str, object]:
        if "linesSha" not in citation:
            raise ValueError("citation.linesSha is missing.")
        return {"standing": "gone", "sha": citation["linesSha"], "encoding": encoding}

    async def cited(self, answer_id: str, citation_id: str) -> TextSnapshot:
        if (answer_id, citation_id) != ("0" * 16, "r1"):
            raise ReadError("not_found", "No answer with this id is kept.")
        ((uri, (content, version)),) = self.texts.items()
        return _snapshot(uri, Text(content), version)

    async def verify_text(self, text: str, encoding: PositionEncoding) -> Mapping[str, object]:
        return {"citations": [], "unsupported": [], "characters": len(text), "encoding": encoding}

    async def verify_answer(self, answer: Mapping[str, object], encoding: PositionEncoding) -> Mapping[str, object]:
        if "citations" not in answer:
            raise ValueError("answer.citations is missing.")
        return {"citations": [], "unsupported": [], "encoding": encoding}

    async def replay(self, run: str, verify: bool, encoding: PositionEncoding) -> Mapping[str, object]:
        if run != "0" * 16:
            raise ConfigError(f"No run {run!r} is kept.")
        return {"run": run, "reproduced": True, **({"citations": [], "encoding": encoding} if verify else {})}

    async def clear_journals(self) -> Mapping[str, object]:
        self.told.append(("clear journals", None))
        return {"runs": 1, "bytes": 2}

    def status(self) -> Mapping[str, object]:
        return {"phase": "ready" if self.started.is_set() else "starting"}

    async def reindex(self) -> None:
        self.told.append(("reindex", None))

    async def close(self) -> None:
        self.told.append(("close", None))


def _snapshot(uri: str, text: Text, version: int | None) -> TextSnapshot:
    sha = blob_sha(text.content.encode("utf-8", "surrogatepass"))
    return TextSnapshot(uri, "", uri, text, Form(), sha, "buffer", version, dirty=True)


def _citation(identity: str, uri: str, text: Text, version: int | None, line: int) -> Citation:
    lines = LineRange(line, line + 1)
    snapshot = _snapshot(uri, text, version)
    return Citation(identity, snapshot, lines, text.sha_of(lines), anchor_of(text, lines), "", "verified")


class FakeConnection:
    """A connection whose other end is the test."""

    def __init__(self) -> None:
        self.incoming: asyncio.Queue[Body | Skipped | FramingError | None] = asyncio.Queue()
        self.sent: list[Json] = []
        self.pending = 0
        self.arrived = asyncio.Event()

    async def receive(self) -> Body | Skipped | None:
        item = await self.incoming.get()
        if isinstance(item, FramingError):
            raise item
        return item

    def send(self, body: bytes) -> None:
        self.sent.append(json.loads(body))
        self.arrived.set()

    async def drain(self) -> None:
        return

    async def close(self) -> None:
        return


class Client:
    """Talks to a server in the same process."""

    def __init__(self, file: SettingsFile) -> None:
        self.connection = FakeConnection()
        self.server = Server(self._make, file)
        methods.register(self.server)
        self.session: FakeSession
        self.prepare: Callable[[FakeSession], None] = lambda _: None
        self._count = 0

    def _make(self, settings: Settings, events: Events) -> FakeSession:
        self.session = FakeSession(settings, events)
        self.prepare(self.session)
        return self.session

    @property
    def sent(self) -> list[Json]:
        return self.connection.sent

    def put(self, message: object) -> None:
        self.put_bytes(json.dumps(message).encode())

    def put_bytes(self, body: bytes) -> None:
        self.connection.incoming.put_nowait(Body(body))

    def notify(self, method: str, params: object = None) -> None:
        self.put({"jsonrpc": "2.0", "method": method, "params": params})

    def begin(self, method: str, params: object = None) -> int:
        """Send a request and go on; its id."""
        self._count += 1
        self.put({"jsonrpc": "2.0", "id": self._count, "method": method, "params": params})
        return self._count

    async def until(self, found: Callable[[Json], bool]) -> Json:
        """The first message that was, or will be, sent and fits."""
        async with asyncio.timeout(PATIENCE):
            while True:
                for message in self.sent:
                    if found(message):
                        return message
                self.connection.arrived.clear()
                await self.connection.arrived.wait()

    async def answer(self, identity: object) -> Json:
        """The whole answer to a request, result or error."""
        return await self.until(lambda message: "method" not in message and message["id"] == identity)

    async def request(self, method: str, params: object = None) -> Any:
        """A request's result."""
        return (await self.answer(self.begin(method, params)))["result"]

    async def error(self, method: str, params: object = None) -> Json:
        """A request's error."""
        error: Json = (await self.answer(self.begin(method, params)))["error"]
        assert set(error) == {"code", "message"}
        return error

    async def initialize(self, **params: object) -> Json:
        """Both steps; the result of the first."""
        result: Json = await self.request("initialize", {"processId": None, "capabilities": {}, **params})
        self.notify("initialized", {})
        return result

    async def settle(self) -> None:
        """Everything that was sent to the server so far has been taken, and what it began at once is done."""
        await self.answer(self.begin("toolrag/status"))

    def of(self, method: str) -> list[Any]:
        """Params of every message of a method that was sent."""
        return [message["params"] for message in self.sent if message.get("method") == method]


def talk(script: Callable[[Client], Coroutine[None, None, Result]], file: SettingsFile | None = None) -> Result:
    """Run a script against a fresh server, and end both."""

    async def run() -> Result:
        client = Client(file or SettingsFile())
        listening = asyncio.create_task(client.server.protocol.listen(client.connection))
        with log_lines.to_client(client.server.protocol.notify):
            try:
                async with asyncio.timeout(2 * PATIENCE):
                    return await script(client)
            finally:
                client.connection.incoming.put_nowait(None)
                await listening
                await client.server.close()

    return asyncio.run(run())
