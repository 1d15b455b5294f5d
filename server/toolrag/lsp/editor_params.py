"""What LSP's own methods take, as far as toolrag uses it, out of a client's JSON. Pure; functions raise ParamsError."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Final, Literal
from urllib.parse import unquote, urlsplit

from toolrag.answer.hover.markup import Format
from toolrag.lsp.members import Members, ParamsError
from toolrag.lsp.params import MAX_QUESTION, Token, position, span
from toolrag.lsp.settings import section
from toolrag.session.types import Folder
from toolrag.text import Position, PositionEncoding

Trace = Literal["off", "messages", "verbose"]

_ENCODINGS: Final[Mapping[object, PositionEncoding]] = {"utf-8": "utf-8", "utf-16": "utf-16", "utf-32": "utf-32"}
_FORMS: Final[Mapping[object, Format]] = {"markdown": "markdown", "plaintext": "plaintext"}
_TRACES: Final[Mapping[object, Trace]] = {"off": "off", "messages": "messages", "verbose": "verbose"}


@dataclass(frozen=True, slots=True)
class Client:
    """What `initialize` says of the client."""

    process_id: int | None
    folders: tuple[Folder, ...]
    encoding: PositionEncoding
    """The first of the client's own list that we know; LSP's default is UTF-16."""
    settings: Mapping[str, object]
    """toolrag's part of `initializationOptions`."""
    trace: Trace
    work_done_progress: bool
    """It shows progress that we begin."""
    watches_files: bool
    """It can be asked, later, to watch files."""
    answers_settings: bool
    """It can be asked for its settings."""
    hover_form: Format
    """How it shows a hover: the first of its own list that we know."""
    command_links: bool
    """It runs commands of links in a hover: `initializationOptions.toolrag.commandLinks`."""
    show_answers: bool = False
    """Answers to commands are shown on a document of their own: `initializationOptions.toolrag.showAnswers`."""
    shows_documents: bool = False
    """It can be asked to show a document."""
    shows_texts: bool = False
    """It shows documents whose text it asks the server for."""


@dataclass(frozen=True, slots=True)
class Change:
    """One edit: of the whole text where `at` is None."""

    at: tuple[Position, Position] | None
    text: str


@dataclass(frozen=True, slots=True)
class Opened:
    """`textDocument/didOpen`."""

    uri: str
    language_id: str
    """The editor's name for the language; empty where it has none."""
    text: str
    version: int | None


@dataclass(frozen=True, slots=True)
class Changed:
    """`textDocument/didChange`."""

    uri: str
    changes: tuple[Change, ...]
    version: int | None


@dataclass(frozen=True, slots=True)
class Hover:
    """`textDocument/hover`, and `textDocument/definition`."""

    uri: str
    position: Position


@dataclass(frozen=True, slots=True)
class FoldersChanged:
    """`workspace/didChangeWorkspaceFolders`."""

    added: tuple[Folder, ...]
    removed: tuple[Folder, ...]


@dataclass(frozen=True, slots=True)
class Command:
    """`workspace/executeCommand`."""

    name: str
    arguments: tuple[object, ...]
    work_done_token: Token | None


def initialize(given: object) -> Client:
    """Params of `initialize`. What a client says it can do is never wrong: what is not understood counts as absent."""
    members = Members({} if given is None else given)
    capabilities = members.raw("capabilities")
    order = _within(capabilities, "general", "positionEncodings")
    offered = order if isinstance(order, list) else []
    known = [_ENCODINGS[one] for one in offered if isinstance(one, str) and one in _ENCODINGS]
    forms = _within(capabilities, "textDocument", "hover", "contentFormat")
    shown = [
        _FORMS[one] for one in (forms if isinstance(forms, list) else []) if isinstance(one, str) and one in _FORMS
    ]
    options = dict(section(members.raw("initializationOptions")))
    command_links = options.pop("commandLinks", None) is True
    show_answers = options.pop("showAnswers", None) is True
    return Client(
        process_id=members.optional_whole("processId"),
        folders=_first_folders(members),
        encoding=known[0] if known else "utf-16",
        settings=options,
        trace=_TRACES.get(members.raw("trace") if isinstance(members.raw("trace"), str) else None, "off"),
        work_done_progress=_within(capabilities, "window", "workDoneProgress") is True,
        watches_files=_within(capabilities, "workspace", "didChangeWatchedFiles", "dynamicRegistration") is True,
        answers_settings=_within(capabilities, "workspace", "configuration") is True,
        show_answers=show_answers,
        shows_documents=_within(capabilities, "window", "showDocument", "support") is True,
        shows_texts=isinstance(_within(capabilities, "workspace", "textDocumentContent"), Mapping),
        hover_form=shown[0] if shown else "plaintext",
        command_links=command_links,
    )


def anything(given: object) -> object:
    """Params of `initialized`, `shutdown` and `exit`, which say nothing."""
    return given


def opened(given: object) -> Opened:
    """Params of `textDocument/didOpen`."""
    return opened_item(Members(given).part("textDocument"))


def opened_item(document: Members) -> Opened:
    """A `TextDocumentItem`."""
    language = document.optional_word("languageId") or ""
    return Opened(document.word("uri"), language, document.string("text"), document.optional_whole("version"))


def changed(given: object) -> Changed:
    """Params of `textDocument/didChange`."""
    members = Members(given)
    return changed_item(members.part("textDocument"), members.parts("contentChanges"))


def changed_item(document: Members, changes: Iterable[Members]) -> Changed:
    """A `VersionedTextDocumentIdentifier` and its edits."""
    edits = tuple(map(_change, changes))
    return Changed(document.word("uri"), edits, document.optional_whole("version"))


def hover(given: object) -> Hover:
    """Params of `textDocument/hover`, and of `textDocument/definition`."""
    members = Members(given)
    return Hover(members.part("textDocument").word("uri"), position(members.part("position")))


def symbols(given: object) -> str:
    """The query of `workspace/symbol`, which may be empty."""
    return Members(given).word("query", MAX_QUESTION)


def document_uri(given: object) -> str:
    """The document of `textDocument/didSave`, `textDocument/didClose` and `textDocument/documentLink`."""
    return Members(given).part("textDocument").word("uri")


def folders_changed(given: object) -> FoldersChanged:
    """Params of `workspace/didChangeWorkspaceFolders`."""
    event = Members(given).part("event")
    both = ("added", "removed")
    added, removed = (tuple(map(_folder, event.parts(key))) if event.has(key) else () for key in both)
    return FoldersChanged(added, removed)


def settings_changed(given: object) -> object:
    """The settings of `workspace/didChangeConfiguration`, as they are; None where the client wants to be asked."""
    return Members(given).raw("settings")


def files_changed(given: object) -> tuple[str, ...]:
    """The files of `workspace/didChangeWatchedFiles`; how each changed, the disk says better."""
    return tuple(event.word("uri") for event in Members(given).parts("changes"))


def command(given: object) -> Command:
    """Params of `workspace/executeCommand`."""
    members = Members(given)
    arguments = tuple(members.items("arguments")) if members.has("arguments") else ()
    return Command(members.word("command"), arguments, members.token("workDoneToken"))


def progress_token(given: object) -> Token | None:
    """The token of `window/workDoneProgress/cancel`."""
    return Members(given).token("token")


def request_id(given: object) -> Token | None:
    """The request of `$/cancelRequest`."""
    return Members(given).token("id")


def trace(given: object) -> Trace:
    """The value of `$/setTrace`."""
    value = Members(given).word("value")
    if value not in _TRACES:
        raise ParamsError('value must be "off", "messages" or "verbose".')
    return _TRACES[value]


def text_uri(given: object) -> str:
    """The document of `workspace/textDocumentContent`."""
    return Members(given).word("uri")


def _first_folders(members: Members) -> tuple[Folder, ...]:
    """The folders at the start, by the newest way the client knows: `workspaceFolders`, `rootUri`, `rootPath`."""
    if members.has("workspaceFolders"):
        return tuple(map(_folder, members.parts("workspaceFolders")))
    if members.has("rootUri"):
        uri = members.word("rootUri")
        return (Folder(uri, _last_name(uri)),)
    path = members.optional_word("rootPath")
    if not path:
        return ()
    if not PurePath(path).is_absolute():
        raise ParamsError("rootPath must be an absolute path.")
    uri = PurePath(path).as_uri()
    return (Folder(uri, _last_name(uri)),)


def _folder(members: Members) -> Folder:
    uri = members.word("uri")
    return Folder(uri, members.optional_word("name") or _last_name(uri))


def _last_name(uri: str) -> str:
    """A folder's name where the client gives none: the last part of its URI."""
    return unquote(urlsplit(uri).path.rstrip("/").rpartition("/")[2]) or uri


def _change(members: Members) -> Change:
    at = members.optional_part("range")
    return Change(None if at is None else span(at), members.string("text"))


def _within(value: object, *keys: str) -> object:
    """A member of a member; None wherever the way there ends."""
    for key in keys:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value
