"""What LSP's notebook messages take, as far as toolrag uses it. Pure; functions raise ParamsError.

A notebook is its cells, and a cell is a document: their order, kinds, outputs and metadata are not looked at.
"""

from __future__ import annotations

from dataclasses import dataclass

from toolrag.lsp.editor_params import Changed, Opened, changed_item, opened_item
from toolrag.lsp.members import Members


@dataclass(frozen=True, slots=True)
class OpenedNotebook:
    """`notebookDocument/didOpen`."""

    uri: str
    cells: tuple[Opened, ...]


@dataclass(frozen=True, slots=True)
class ChangedNotebook:
    """`notebookDocument/didChange`: to be done in this order, since a cell that changes its language is in both."""

    uri: str
    closed: tuple[str, ...]
    opened: tuple[Opened, ...]
    changed: tuple[Changed, ...]


def opened(given: object) -> OpenedNotebook:
    """Params of `notebookDocument/didOpen`."""
    members = Members(given)
    uri = members.part("notebookDocument").word("uri")
    return OpenedNotebook(uri, tuple(map(opened_item, members.parts("cellTextDocuments"))))


def changed(given: object) -> ChangedNotebook:
    """Params of `notebookDocument/didChange`; what it leaves out has not changed."""
    members = Members(given)
    uri = members.part("notebookDocument").word("uri")
    cells = members.part("change").optional_part("cells") or Members({})
    structure = cells.optional_part("structure") or Members({})
    closed = structure.parts("didClose") if structure.has("didClose") else ()
    opens = structure.parts("didOpen") if structure.has("didOpen") else ()
    texts = cells.parts("textContent") if cells.has("textContent") else ()
    return ChangedNotebook(
        uri,
        tuple(cell.word("uri") for cell in closed),
        tuple(map(opened_item, opens)),
        tuple(changed_item(one.part("document"), one.parts("changes")) for one in texts),
    )


def saved(given: object) -> str:
    """The notebook of `notebookDocument/didSave`."""
    return Members(given).part("notebookDocument").word("uri")


def closed(given: object) -> tuple[str, ...]:
    """The cells of `notebookDocument/didClose`."""
    return tuple(cell.word("uri") for cell in Members(given).parts("cellTextDocuments"))
