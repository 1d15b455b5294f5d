"""The house's rules on its own source: imports point one way, pure packages touch nothing, files stay small.

The rules read syntax trees, never text, and each has a wrong sample that it must find.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
import toolrag

PACKAGE = Path(toolrag.__file__).parent
SOURCES = {str(path.relative_to(PACKAGE)): path.read_text("utf-8") for path in sorted(PACKAGE.rglob("*.py"))}

# Each layer with those it may use besides itself. A module of the top folder is a layer of its own name.
LAYERS: dict[str, set[str]] = {"text": set(), "errors": set()}
LAYERS["symbols"] = {"text", "errors"}
LAYERS["chat"] = set()
LAYERS["config"] = LAYERS["symbols"] | {"symbols"}
LAYERS["ports"] = LAYERS["config"] | {"chat"}
LAYERS["retrieval"] = LAYERS["ports"] | {"config", "ports"}
LAYERS["answer"] = LAYERS["retrieval"] | {"retrieval"}
LAYERS["adapters"] = LAYERS["answer"] | {"answer"}
LAYERS["render"] = {"text", "symbols", "ports", "answer"}
LAYERS["models"] = LAYERS["adapters"] | {"adapters"}
LAYERS["app"] = LAYERS["models"] | {"models"}
LAYERS["session"] = LAYERS["app"] | {"app"}
LAYERS["doctor"] = LAYERS["app"] | {"app", "render"}
LAYERS["lsp"] = LAYERS["session"] | {"session"}
LAYERS["progress"] = {"answer", "config"}
LAYERS["verifying"] = LAYERS["app"] | {"app", "render"}
LAYERS["replaying"] = LAYERS["verifying"]
LAYERS["manual"] = set()
LAYERS["commands"] = LAYERS["answer"] | {"answer", "models", "app", "doctor", "render", "progress", "session", "lsp"}
LAYERS["commands"] |= {"verifying", "replaying"}
LAYERS["cli"] = {"errors", "commands", "manual", "progress"}
LAYERS["__main__"] = {"cli"}
LAYERS["__init__"] = set()

PURE = {"text", "errors", "symbols", "chat", "config", "ports", "retrieval", "answer"}
IMPURE_MODULES = frozenset(
    """
    asyncio concurrent ctypes datetime faulthandler fcntl fileinput ftplib getpass glob http importlib io logging mmap
    multiprocessing os pathlib platform platformdirs queue random resource sched secrets select selectors shelve shutil
    signal socket socketserver sqlite3 ssl subprocess sys tempfile threading time tomllib urllib uuid webbrowser _thread
    boto3 botocore hnswlib httpx pathspec pygls lsprotocol websockets tqdm
    """.split()
)
OWN_FILES = {"importlib", "importlib.import_module", "importlib.resources", "importlib.resources.files"}
"""What `retrieval/` may use to read the queries that it brings along, and to load a grammar by its name."""
IMPURE_BUILTINS = frozenset({"open", "print", "input", "exec", "eval", "compile", "__import__"})
MAX_LINES = 300


def layer_of(module: str) -> str:
    return module.split("/", 1)[0].removesuffix(".py")


def imported(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Every module that is imported, at whatever depth, with each name taken from it as `module.name`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            yield node.lineno, node.module or ""
            yield from ((node.lineno, f"{node.module}.{alias.name}") for alias in node.names)


def faults(module: str, source: str) -> list[str]:
    """Everything that is wrong with one module, a rule's name each; `module` is its path in the package."""
    tree = ast.parse(source)
    found = [*_import_faults(module, tree), *_call_faults(module, tree), *_except_faults(tree)]
    if not ast.get_docstring(tree):
        found.append("no docstring")
    if source.count("\n") > MAX_LINES:
        found.append("too long")
    return list(dict.fromkeys(found))


def _import_faults(module: str, tree: ast.AST) -> Iterator[str]:
    layer = layer_of(module)
    for _, name in imported(tree):
        parts = name.split(".")
        if parts[0] == "toolrag":
            other = parts[1] if len(parts) > 1 else "__init__"
            if other in LAYERS and other != layer and other not in LAYERS[layer] and other != "__init__":
                yield f"imports {other}"
        elif layer in PURE and parts[0] in IMPURE_MODULES and not (layer == "retrieval" and name in OWN_FILES):
            yield f"impure {parts[0]}"
        if parts[0] in ("pickle", "cPickle", "dill", "shelve", "marshal"):
            yield "pickle"


def _call_faults(module: str, tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr == "splitlines":
            yield "splitlines"
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and layer_of(module) in PURE:
            name = node.func.id
            if name in IMPURE_BUILTINS:
                yield f"impure {name}"


def _except_faults(tree: ast.AST) -> Iterator[str]:
    """Handlers that catch everything, but for one of BaseException that tidies up and raises it again."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ExceptHandler):
            caught = ast.walk(node.type) if node.type else iter(())
            names = {one.id for one in caught if isinstance(one, ast.Name)}
            last = node.body[-1]
            raises = names == {"BaseException"} and isinstance(last, ast.Raise) and last.exc is None
            if node.type is None or (names & {"Exception", "BaseException"} and not raises):
                yield "except Exception"


@pytest.mark.parametrize("module", SOURCES)
def test_a_module_keeps_the_rules(module: str) -> None:
    assert faults(module, SOURCES[module]) == []


def test_every_layer_is_known() -> None:
    assert {layer_of(module) for module in SOURCES} <= LAYERS.keys()


def test_only_the_composition_roots_and_the_doctor_name_adapters() -> None:
    users = {
        layer_of(module)
        for module, source in SOURCES.items()
        for _, name in imported(ast.parse(source))
        if name.startswith("toolrag.adapters")
    }
    assert users == {"adapters", "models", "app", "session", "doctor"}


def test_only_the_language_server_knows_lsp() -> None:
    users = {
        layer_of(module)
        for module, source in SOURCES.items()
        for _, name in imported(ast.parse(source))
        if name.partition(".")[0] in {"pygls", "lsprotocol", "websockets"}
    }
    assert users == {"lsp"}


def test_one_module_knows_regular_expressions_of_a_model() -> None:
    """And imports them only when one is matched: a start waits for no engine."""
    users = {
        (module, isinstance(node, ast.FunctionDef))
        for module, source in SOURCES.items()
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Module | ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.If | ast.Try)
        for statement in node.body
        if isinstance(statement, ast.Import | ast.ImportFrom)
        for _, name in imported(statement)
        if name.partition(".")[0] == "re2"
    }
    assert users == {("answer/tools/line_pattern.py", True)}


def test_only_its_adapter_knows_the_aws_sdk() -> None:
    users = {
        module.rpartition("/")[0]
        for module, source in SOURCES.items()
        for _, name in imported(ast.parse(source))
        if name.partition(".")[0] in {"boto3", "botocore", "urllib3"}
    }
    assert users == {"adapters/bedrock"}


def test_only_its_adapter_knows_httpx() -> None:
    users = {
        module.rpartition("/")[0]
        for module, source in SOURCES.items()
        for _, name in imported(ast.parse(source))
        if name.partition(".")[0] in {"httpx", "httpcore"}
    }
    assert users == {"adapters/openai_chat"}


def test_layers_point_one_way() -> None:
    """Along the layers' own table no way leads back."""
    for layer, uses in LAYERS.items():
        assert layer not in uses
        assert all(layer not in LAYERS[used] for used in uses)


DOC = '"""A module."""\n'


@pytest.mark.parametrize(
    ("module", "source", "expected"),
    [
        pytest.param("text.py", f"{DOC}import toolrag.errors\n", ["imports errors"], id="text uses errors"),
        pytest.param("ports.py", f"{DOC}from toolrag import retrieval\n", ["imports retrieval"], id="ports, retrieval"),
        pytest.param("retrieval/a.py", f"{DOC}from toolrag.answer.types import Cut\n", ["imports answer"], id="upward"),
        pytest.param(
            "answer/a.py", f"{DOC}def f():\n    import toolrag.adapters.fence\n", ["imports adapters"], id="late"
        ),
        pytest.param(
            "adapters/a.py", f"{DOC}from toolrag.app import Place\n", ["imports app"], id="an adapter, the root"
        ),
        pytest.param("cli.py", f"{DOC}from toolrag.adapters.fence import Fence\n", ["imports adapters"], id="cli"),
        pytest.param("render.py", f"{DOC}from toolrag.retrieval import cuts\n", ["imports retrieval"], id="render"),
        pytest.param("answer/a.py", f"{DOC}import os.path\n", ["impure os"], id="a pure package reads the disk"),
        pytest.param("answer/a.py", f"{DOC}from time import monotonic\n", ["impure time"], id="the clock"),
        pytest.param("answer/a.py", f"{DOC}import asyncio\n", ["impure asyncio"], id="tasks"),
        pytest.param("answer/a.py", f"{DOC}from importlib.resources import files\n", ["impure importlib"], id="files"),
        pytest.param("retrieval/a.py", f"{DOC}from importlib.resources import files\n", [], id="its own queries"),
        pytest.param("retrieval/a.py", f"{DOC}x = open('a')\n", ["impure open"], id="open"),
        pytest.param("adapters/a.py", f"{DOC}import os\nx = open('a')\n", [], id="an adapter may"),
        pytest.param("adapters/a.py", f"{DOC}import pickle\n", ["pickle"], id="pickle"),
        pytest.param("cli.py", f"{DOC}x = 'a'.splitlines()\n", ["splitlines"], id="splitlines"),
        pytest.param("cli.py", f"{DOC}try:\n    x = 1\nexcept Exception:\n    x = 2\n", ["except Exception"], id="all"),
        pytest.param("cli.py", f"{DOC}try:\n    x = 1\nexcept:\n    x = 2\n", ["except Exception"], id="bare"),
        pytest.param(
            "cli.py",
            f"{DOC}try:\n    x = 1\nexcept (OSError, BaseException):\n    x = 2\n",
            ["except Exception"],
            id="among others",
        ),
        pytest.param(
            "cli.py", f"{DOC}try:\n    x = 1\nexcept BaseException:\n    x = 2\n    raise\n", [], id="tidied and raised"
        ),
        pytest.param("cli.py", "x = 1\n", ["no docstring"], id="no docstring"),
        pytest.param("cli.py", DOC + "x = 1\n" * MAX_LINES, ["too long"], id="too long"),
        pytest.param(
            "cli.py", DOC + "x = 'import pickle; splitlines()'  # except Exception\n", [], id="words are not code"
        ),
    ],
)
def test_a_wrong_module_is_found(module: str, source: str, expected: list[str]) -> None:
    assert faults(module, source) == expected
