"""What a Python file says, statement by statement, read from its syntax tree by `ast`.

A fact has a family ("default", "raise", …) and slots: the texts that fill its roles, such as a parameter and its
default. It shares no code with `toolrag.answer`, so that what it says is a test of that. Every statement's facts are
listed, also those no claim is made of: what is not listed is taken for false.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

Kind = Literal["name", "number", "string", "code", "operator"]
Function = ast.FunctionDef | ast.AsyncFunctionDef
MAX_CHARACTERS = 60
"""Longer code is not put into a claim."""
MAX_STATEMENT = 12
"""Nor is a statement of more lines."""
OPERATORS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
    ast.Is: "is", ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Slot:
    """What fills one role of a fact."""

    role: str
    kind: Kind
    text: str
    """As a claim says it: a string without its quotes."""
    norm: str
    """As facts are compared."""
    lines: tuple[int, int] = (0, 0)
    """Where it stands; unknown where it was made up."""


@dataclass(frozen=True, slots=True)
class Symbol:
    """A function or class; lines are 1-based and inclusive, as in `ast`."""

    name: str
    kind: Literal["function", "class"]
    first: int
    """With its decorators."""
    header: int
    """The line of `def` or `class`."""
    last: int


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing a file says."""

    family: str
    first: int
    last: int
    slots: tuple[Slot, ...]
    owner: Symbol | None
    """The function or class it stands in; None at the file's top level."""
    sayable: bool = True
    """Short enough for a claim."""

    @property
    def core(self) -> tuple[int, int]:
        """The lines that show it: those of its slots, fewer than its statement's where that goes on."""
        return self.shown_by({slot.role for slot in self.slots})

    def shown_by(self, roles: Collection[str]) -> tuple[int, int]:
        """The lines that show what a claim says of it, when that is some of its roles."""
        lines = [slot.lines for slot in self.slots if slot.role in roles and slot.lines != (0, 0)]
        lines = lines or [(self.first, self.last)]
        return min(first for first, _ in lines), max(last for _, last in lines)

    def slot(self, role: str) -> Slot | None:
        """What fills a role, if anything."""
        return next((slot for slot in self.slots if slot.role == role), None)


class File:
    """A parsed file and its facts."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text
        self.lines = text.split("\n")
        self.tree = ast.parse(text)

    @cached_property
    def symbols(self) -> tuple[Symbol, ...]:
        """Its functions and classes, in order."""
        found = [node for node in ast.walk(self.tree) if isinstance(node, Function | ast.ClassDef)]
        return tuple(sorted(map(symbol_of, found), key=lambda one: one.first))

    @cached_property
    def facts(self) -> tuple[Fact, ...]:
        """Everything it says, in order."""
        return tuple(sorted(_Reader(self).read(), key=lambda fact: (fact.first, fact.last)))


def symbol_of(node: Function | ast.ClassDef) -> Symbol:
    """A definition's lines; the header is where its name stands."""
    first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
    kind: Literal["function", "class"] = "class" if isinstance(node, ast.ClassDef) else "function"
    return Symbol(node.name, kind, first, node.lineno, node.end_lineno or node.lineno)


class _Reader:
    def __init__(self, file: File) -> None:
        self._file = file
        self._parents = {child: node for node in ast.walk(file.tree) for child in ast.iter_child_nodes(node)}

    def read(self) -> Iterator[Fact]:
        for node in ast.walk(self._file.tree):
            yield from self._of(node)

    def _of(self, node: ast.AST) -> Iterator[Fact]:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                yield from self._defaults(node)
                yield from self._decorators(node)
                yield from self._doc(node)
            case ast.ClassDef():
                for base in node.bases:
                    yield self._fact("base", node, [self._slot("base", base)], first=node.lineno, last=base.end_lineno)
                yield from self._decorators(node)
                yield from self._doc(node)
            case ast.Raise(exc=ast.expr() as raised):
                yield from self._raise(node, raised)
            case ast.Return(value=ast.expr() as value):
                yield self._fact("return", node, [self._slot("value", value)])
            case ast.Assign(value=value):
                for target in node.targets:
                    yield self._assigned(node, target, value)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                yield self._assigned(node, target, value)
            case ast.Compare(ops=[op], comparators=[right]):
                operator = OPERATORS[type(op)]
                slots = [self._slot("left", node.left), Slot("op", "operator", operator, operator)]
                yield self._fact("compare", self._statement(node), [*slots, self._slot("right", right)], within=node)
            case ast.Subscript(ctx=ast.Load(), slice=ast.Constant(value=str())):
                slots = [self._slot("container", node.value), self._slot("key", node.slice)]
                yield self._fact("key", self._statement(node), slots, within=node)
            case ast.Call():
                yield from self._call(node)

    def _assigned(self, node: ast.stmt, target: ast.expr, value: ast.expr) -> Fact:
        owner = self._owner(node)
        flat = owner is None or owner.kind == "class"
        family = "constant" if flat and isinstance(target, ast.Name) else "set"
        return self._fact(family, node, [self._slot("target", target), self._slot("value", value)])

    def _defaults(self, node: Function) -> Iterator[Fact]:
        arguments = node.args
        positional = [*arguments.posonlyargs, *arguments.args]
        pairs = [
            *zip(positional[len(positional) - len(arguments.defaults) :], arguments.defaults, strict=True),
            *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True),
        ]
        for argument, default in pairs:
            if default is not None:
                slots = [_name("parameter", argument.arg, argument), self._slot("value", default)]
                yield self._fact("default", node, slots, first=node.lineno, last=default.end_lineno)

    def _decorators(self, node: Function | ast.ClassDef) -> Iterator[Fact]:
        for one in node.decorator_list:
            called = one.func if isinstance(one, ast.Call) else one
            yield self._fact("decorator", node, [self._slot("decorator", called)], first=one.lineno, last=node.lineno)

    def _raise(self, node: ast.Raise, raised: ast.expr) -> Iterator[Fact]:
        named = self._slot("exception", raised.func if isinstance(raised, ast.Call) else raised)
        slots = [named]
        if isinstance(raised, ast.Call) and raised.args and _is_text(raised.args[0]):
            slots.append(self._slot("message", raised.args[0]))
        yield self._fact("raise", node, slots)
        inner: ast.AST = node
        while isinstance(outer := self._parents[inner], ast.If):
            if inner in outer.body:
                yield self._fact("raise when", node, [named, self._slot("condition", outer.test)], first=outer.lineno)
            inner = outer

    def _call(self, node: ast.Call) -> Iterator[Fact]:
        statement = self._statement(node)
        called = self._slot("callee", node.func)
        last = _name("callee", node.func.attr, node.func) if isinstance(node.func, ast.Attribute) else None
        for one in filter(None, (called, last)):
            yield self._fact("call", statement, [one], within=node)
            for keyword in node.keywords:
                if keyword.arg is not None:
                    slots = [one, _name("keyword", keyword.arg, keyword), self._slot("value", keyword.value)]
                    yield self._fact("keyword", statement, slots, within=node)
            for argument in node.args:
                yield self._fact("argument", statement, [one, self._slot("value", argument)], within=node)
        if called.text == "isinstance" and len(node.args) == 2:
            checked, of = node.args
            for kind in of.elts if isinstance(of, ast.Tuple) else [of]:
                slots = [self._slot("checked", checked), self._slot("type", kind)]
                yield self._fact("isinstance", statement, slots, within=node)
        reads = isinstance(node.func, ast.Attribute) and node.func.attr in ("get", "pop", "setdefault", "getenv")
        if reads and isinstance(node.func, ast.Attribute) and node.args and _is_text(node.args[0]):
            slots = [self._slot("container", node.func.value), self._slot("key", node.args[0])]
            yield self._fact("key", statement, slots, within=node)

    def _doc(self, node: Function | ast.ClassDef) -> Iterator[Fact]:
        doc = node.body[0]
        if not (isinstance(doc, ast.Expr) and _is_text(doc.value)):
            return
        for first, last, words in _sentences(self._file.lines[doc.lineno - 1 : doc.end_lineno], doc.lineno):
            slot = Slot("sentence", "string", words, words, (first, last))
            yield self._fact("doc", node, [slot], first=first, last=last)

    def _fact(
        self,
        family: str,
        node: ast.AST,
        slots: list[Slot],
        first: int | None = None,
        last: int | None = None,
        within: ast.expr | None = None,
    ) -> Fact:
        """A fact that stands on the lines of a node; `within` is the part of it that says so."""
        assert isinstance(node, ast.stmt | ast.ExceptHandler | ast.match_case)
        if within is not None:
            first, last = within.lineno, within.end_lineno
        first, last = first or getattr(node, "lineno", 1), last or getattr(node, "end_lineno", 1)
        own = isinstance(node, Function | ast.ClassDef) and family in ("default", "decorator", "base", "doc")
        owner = symbol_of(node) if own else self._owner(node)  # type: ignore[arg-type]
        fits = all(slot.text and len(slot.text) <= MAX_CHARACTERS and "\n" not in slot.text for slot in slots)
        fits = fits or (family == "doc" and len(slots[0].text) <= 3 * MAX_CHARACTERS)
        return Fact(family, first, last, tuple(slots), owner, fits and last - first < MAX_STATEMENT)

    def _slot(self, role: str, node: ast.expr) -> Slot:
        norm = ast.unparse(node)
        source, lines = self._source(node), _lines(node)
        match node:
            case ast.Name() | ast.Attribute() if re.fullmatch(r"[\w.]+", source):
                return Slot(role, "name", source, norm, lines)
            case ast.Constant(value=bool() | None):
                return Slot(role, "name", source, norm, lines)
            case ast.Constant(value=int() | float()):
                return Slot(role, "number", source, norm, lines)
            case ast.Constant(value=str() as value) if re.fullmatch(r"""(["']).*\1""", source) and "\\" not in source:
                return Slot(role, "string", value, norm, lines)
        return Slot(role, "code", source, norm, lines)

    def _source(self, node: ast.expr) -> str:
        """As `ast.get_source_segment`, which splits the whole file at each call. Columns there are of UTF-8 bytes."""
        assert node.end_lineno is not None
        lines = [line.encode() for line in self._file.lines[node.lineno - 1 : node.end_lineno]]
        lines[-1] = lines[-1][: node.end_col_offset]
        lines[0] = lines[0][node.col_offset :]
        return b"\n".join(lines).decode()

    def _statement(self, node: ast.AST) -> ast.AST:
        while not isinstance(node, ast.stmt | ast.ExceptHandler | ast.match_case):
            node = self._parents[node]
        return node

    def _owner(self, node: ast.AST) -> Symbol | None:
        inner = node
        while inner in self._parents:
            inner = self._parents[inner]
            if isinstance(inner, Function | ast.ClassDef):
                return symbol_of(inner)
        return None


def _name(role: str, text: str, node: ast.arg | ast.expr | ast.keyword) -> Slot:
    lines = _lines(node)
    return Slot(role, "name", text, text, (lines[1], lines[1]) if isinstance(node, ast.Attribute) else lines)


def _lines(node: ast.arg | ast.expr | ast.keyword) -> tuple[int, int]:
    return node.lineno, node.end_lineno or node.lineno


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _sentences(lines: list[str], start: int) -> Iterator[tuple[int, int, str]]:
    """Whole sentences of a docstring with the lines they stand on, without any that holds markup or quotes."""
    words: list[tuple[int, str]] = []
    for number, line in enumerate(lines, start):
        bare = line.strip().removeprefix('r"""').removeprefix('"""').removesuffix('"""')
        if not bare or bare.startswith((":", ">>>", "..", "-", "*")):
            words = []
        for word in bare.split():
            words.append((number, word))
            if word.endswith("."):
                sentence = " ".join(text for _, text in words)
                if re.fullmatch(r"[A-Z][\w ,.()/:;=<>+-]{19,}\.", sentence):
                    yield words[0][0], words[-1][0], sentence.removesuffix(".")
                words = []
