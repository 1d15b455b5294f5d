"""The client's documents, as it opens, edits, saves and closes them; a notebook's cells are documents too.

Functions raise SyncError for what cannot be done, such as an edit of a document that is not open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from toolrag.lsp.editor_params import Changed, Opened
from toolrag.lsp.notebook_params import ChangedNotebook, OpenedNotebook
from toolrag.lsp.server import Server
from toolrag.lsp.sync import SyncError


def did_open(server: Server, given: Opened, notebook: str | None = None) -> None:
    """A document, or a cell of this notebook."""
    server.documents.open(given.uri, given.text, given.version)
    server.session.opened(given.uri, given.language_id, given.text, given.version, notebook)


def did_change(server: Server, given: Changed) -> None:  # noqa: D103
    now = server.documents.change(given.uri, given.changes, given.version, server.client.encoding)
    server.session.changed(given.uri, now.text, given.version, now.edits)


def did_save(server: Server, uri: str) -> None:  # noqa: D103
    server.documents.check_open(uri)
    server.session.saved(uri)


def did_close(server: Server, uri: str) -> None:  # noqa: D103
    server.documents.close(uri)
    server.session.closed(uri)


def did_open_notebook(server: Server, given: OpenedNotebook) -> None:  # noqa: D103
    for cell in given.cells:
        did_open(server, cell, given.uri)


def did_change_notebook(server: Server, given: ChangedNotebook) -> None:  # noqa: D103
    _each(
        [
            *(partial(did_close, server, uri) for uri in given.closed),
            *(partial(did_open, server, cell, given.uri) for cell in given.opened),
            *(partial(did_change, server, cell) for cell in given.changed),
        ]
    )


def did_save_notebook(server: Server, uri: str) -> None:
    """Its cells are as they were, and its file is another."""
    server.session.files_changed([uri])


def did_close_notebook(server: Server, cells: Iterable[str]) -> None:  # noqa: D103
    _each([partial(did_close, server, uri) for uri in cells])


def _each(steps: Iterable[Callable[[], None]]) -> None:
    """Does every step, also after one that cannot be done: the other cells are as the client says all the same.

    Raises the SyncError of the first that could not.
    """
    problems: list[SyncError] = []
    for step in steps:
        try:
            step()
        except SyncError as error:
            problems.append(error)
    if problems:
        raise problems[0]
