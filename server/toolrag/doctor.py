"""`toolrag doctor`: what is set up, what is not, and the one thing to do about each."""

from __future__ import annotations

import importlib
import json
import os
import platform
import sqlite3
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

import toolrag
from toolrag import app
from toolrag.adapters.cache_dir import private_index_dir
from toolrag.adapters.fingerprint import analysis_fingerprint
from toolrag.adapters.openers import default_opener
from toolrag.adapters.roots import open_root
from toolrag.adapters.store import Store
from toolrag.answer.prose import visible
from toolrag.config import BedrockSettings, OpenAISettings, Settings
from toolrag.errors import ConfigError
from toolrag.render import Look
from toolrag.retrieval.languages import LANGUAGES

Status = Literal["ok", "note", "problem"]


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at. `todo` is the one thing to do, empty when there is none."""

    name: str
    status: Status
    detail: str
    todo: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """Everything doctor found."""

    checks: tuple[Check, ...]
    engine: str
    embedder: str

    @property
    def healthy(self) -> bool:
        """No check is a problem."""
        return all(check.status != "problem" for check in self.checks)

    def wire(self) -> dict[str, object]:
        """The report as JSON values."""
        return {
            "version": toolrag.__version__,
            "healthy": self.healthy,
            "vectorIndex": {"engine": self.engine, "hnswlib": _version("hnswlib")},
            "embedder": self.embedder,
            "parser": {"treeSitter": _version("tree-sitter"), "languages": sorted(LANGUAGES)},
            "python": platform.python_version(),
            "platform": sys.platform,
            "checks": [
                {"name": check.name, "status": check.status, "detail": check.detail, "todo": check.todo}
                for check in self.checks
            ],
        }


def examine(root: str, settings: Settings, settings_path: Path | None, problems: list[str]) -> Report:
    """Look at everything toolrag stands on. Never raises ConfigError: what is wrong is in the report."""
    try:
        engine = app.vector_engine(settings.index.vectors, app.embedder().dimensions)(sys.maxsize).engine
    except ConfigError as error:
        engine, vectors = "none", Check("vector index", "problem", str(error), "make hnsw")
    else:
        vectors = _vectors(engine)
    checks = (
        Check("python", "ok", f"{platform.python_version()} at {sys.executable}"),
        *_grammars(),
        vectors,
        Check("embedder", "ok", f"{app.embedder().id}: no model, sees words only"),
        Check("fence", "ok", f"opens files through {type(default_opener()).__name__}"),
        _settings(settings_path, problems),
        _model(settings),
        *_root(root),
    )
    return Report(checks, engine, app.embedder().id)


def lines(report: Report, look: Look) -> Iterator[str]:
    """The report for a terminal, a check a line."""
    marks = {"ok": look.good("ok     "), "note": "note   ", "problem": look.strong("PROBLEM")}
    for check in report.checks:
        yield f"{marks[check.status]}  {check.name:<13} {visible(check.detail)}"
        if check.todo:
            yield f"{'':<23} → {visible(check.todo)}"


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _grammars() -> Iterator[Check]:
    broken = []
    for language in LANGUAGES.values():
        if language.grammar is None:
            continue
        module, _ = language.grammar
        try:
            importlib.import_module(module)
        except ImportError as error:
            broken.append(f"{language.name} ({error})")
    if broken:
        todo = "pip install --force-reinstall toolrag"
        yield Check("parser", "problem", f"these grammars do not load: {', '.join(broken)}", todo)
    else:
        yield Check("parser", "ok", f"tree-sitter {_version('tree-sitter')}: {', '.join(sorted(LANGUAGES))}")


def _vectors(engine: str) -> Check:
    if engine == "hnsw":
        return Check("vector index", "ok", f"hnsw (hnswlib {_version('hnswlib')})")
    if find_spec("hnswlib") is not None:
        return Check("vector index", "ok", "exact, as your settings ask")
    detail = "exact: hnswlib is not installed; answers are the same, large trees are searched more slowly"
    return Check("vector index", "note", detail, "make hnsw (needs a C++ compiler), or pip install 'toolrag[hnsw]'")


def _settings(path: Path | None, problems: list[str]) -> Check:
    if path is None:
        return Check("settings", "note", "defaults: there is no home folder", "set HOME or XDG_CONFIG_HOME")
    if problems:
        return Check("settings", "problem", f"{path}: {' '.join(problems)}", f"edit {path}")
    return Check("settings", "ok", f"{path}" if path.exists() else f"defaults; {path} would change them")


def _model(settings: Settings) -> Check:
    """Who answers where nothing else is asked for. No model is called, and no network is used."""
    name = settings.model
    if name.startswith("bedrock:"):
        return _bedrock(name, settings.bedrock)
    if name.startswith("openai:"):
        return _openai(name, settings.openai)
    if name == "editor":
        return Check("model", "note", "editor: the editor's own; a command line needs another", "toolrag ask --model …")
    return Check("model", "ok", "extractive: answers without a model, nothing leaves this machine")


def _bedrock(name: str, given: BedrockSettings) -> Check:
    region = given.region or os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
    if find_spec("boto3") is None:
        return Check("model", "problem", f"{name}: boto3 is not installed", "pip install toolrag")
    if not region and not given.profile and not os.environ.get("AWS_PROFILE"):
        detail = f"{name}: no region is set, unless ~/.aws/config has a default one"
        return Check("model", "note", detail, "set bedrock.region in config.toml, or AWS_REGION")
    profile = f", profile {given.profile}" if given.profile else ""
    where = f"region {region or 'of the profile'}{profile}"
    return Check("model", "ok", f"{name}, {where}; lines that it reads are sent to Amazon Bedrock")


def _openai(name: str, given: OpenAISettings) -> Check:
    url = given.base_url or os.environ.get("OPENAI_BASE_URL") or "https://api.openai.com/v1"
    host = urlsplit(url).hostname
    if host is None:
        return Check("model", "problem", f"{name}: the base URL has no host", "set openai.base_url in config.toml")
    has_key = bool(given.api_key or os.environ.get("OPENAI_API_KEY"))
    if host == "api.openai.com" and not has_key:
        todo = "set OPENAI_API_KEY, or openai.base_url for a server of your own"
        return Check("model", "problem", f"{name}: {host} needs a key, and none is set", todo)
    key = "a key is set" if has_key else "no key is set"
    return Check("model", "ok", f"{name} at {host} ({key}); lines that it reads are sent there")


def _root(root: str) -> Iterator[Check]:
    try:
        opened = open_root(root)
    except ConfigError as error:
        yield Check("root", "problem", str(error), "name a folder with --root")
        return
    opened.close()
    yield Check("root", "ok", opened.real)
    try:
        folder = private_index_dir(opened.real)
    except ConfigError as error:
        yield Check("cache", "problem", str(error), "make it writable, or set XDG_CACHE_HOME")
        return
    yield _index(folder)


def _index(folder: Path) -> Check:
    if not (folder / "index.sqlite").exists():
        return Check("index", "note", f"none yet; it will be kept in {folder}", "toolrag index")
    try:
        store = Store(folder / "index.sqlite", analysis_fingerprint())
        try:
            found = store.meta("coverage")
        finally:
            store.close()
    except sqlite3.Error as error:
        return Check("index", "problem", f"it cannot be used ({error}), in {folder}", f"remove {folder}")
    try:
        n_files = json.loads(found or "")["files"]
    except (ValueError, KeyError, TypeError):
        n_files = None
    if not isinstance(n_files, int):
        return Check("index", "note", f"begun but not complete, in {folder}", "toolrag index")
    size = sum(entry.stat().st_size for entry in os.scandir(folder) if entry.is_file())
    return Check("index", "ok", f"{n_files:,} files, {size / 1e6:.1f} MB in {folder}")
