"""The events of a journal, one function a kind: its attributes are named here and nowhere else. Pure.

Each gives what `ports.Journal.record` takes: `journal.record(*events.verify(…))`. Names are OpenTelemetry's GenAI
conventions' (`gen_ai.…`, `error.type`) where there is one; the rest is `toolrag.…`. In the order of a run:

| kind | what | recorded by |
|---|---|---|
| `run.start` | question, scope, model, budget and read limits; no other setting | the recording |
| `retrieval` | what was searched for and found: search, definitions, references, files | the recording |
| `document` | a document that was asked for, and its text or why there is none | the recording |
| `documents` | texts that were looked through for hints | the recording |
| `chat` | a request to a model and its reply, or its error | the recording |
| `execute_tool` | a call, its arguments and result, the sha expected and the one found | the answerer |
| `verify` | a claim, and whether it stands | the answerer |
| `lexicon`, `clock` | idf and definitions that were looked up; what the clock said; once each | the recording |
| `run.end` | the Answer of PROTOCOL section 2 | the recording |

The parser is not recorded: it gives the same for the same text.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from toolrag.answer.earlier import Earlier
from toolrag.answer.journal import forms
from toolrag.answer.journal.chain import END, START, Blob, canonical
from toolrag.chat import Reply, ToolCall, Turn
from toolrag.config import Budget, ReadLimits, Settings
from toolrag.errors import ModelError, ReadError
from toolrag.ports import Candidate, Place, Scope, Searched
from toolrag.text import TextSnapshot

Attributes = dict[str, Any]
Made = tuple[str, Attributes]
"""A kind and its attributes."""


FORMAT: Final = 1
"""Another number means other attributes: such a journal is not replayed."""

_PROVIDERS: Final = {"bedrock": "aws.bedrock", "openai": "openai", "editor": "toolrag.editor"}
CHAT_REQUEST: Final = (
    "gen_ai.operation.name",
    "gen_ai.provider.name",
    "gen_ai.request.model",
    "gen_ai.request.max_tokens",
    "gen_ai.system_instructions",
    "gen_ai.input.messages",
    "gen_ai.tool.definitions",
    "toolrag.choice",
    "toolrag.tool",
    "toolrag.hints",
    "toolrag.seconds",
)
"""The attributes of `chat` that say what was asked."""


def run_start(
    question: str,
    scope: Scope,
    model: str,
    settings: Settings,
    *,
    asked: str,
    roots: Sequence[str],
    version: str,
    earlier: Earlier | None = None,
) -> Made:
    """`question` as the answerer is given it, `asked` as the user wrote it; `roots` are real paths."""
    return START, {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "toolrag",
        "gen_ai.agent.version": version,
        **_model(model),
        "toolrag.format": FORMAT,
        "toolrag.question": question,
        "toolrag.asked": asked,
        "toolrag.scope": forms.scope(scope),
        "toolrag.model": model,
        "toolrag.budget": asdict(settings.budget),
        "toolrag.read": asdict(settings.read),
        "toolrag.roots": list(roots),
        "toolrag.earlier": None if earlier is None else asdict(earlier),
    }


def earlier_of(start: Mapping[str, Any]) -> Earlier | None:
    """The answer that a run's question followed. Raises TypeError or KeyError for what is none."""
    given = start["toolrag.earlier"]
    if given is None:
        return None
    return Earlier(given["question"], tuple(given["claims"]), tuple(given["citations"]))


def settings_of(start: Mapping[str, Any]) -> Settings:
    """The settings of a `run.start`; all others are defaults. Raises TypeError for what is none."""
    return Settings(read=ReadLimits(**start["toolrag.read"]), budget=Budget(**start["toolrag.budget"]))


def retrieval(method: str, text: str, limit: int, scope: Scope) -> Attributes:
    """What was asked of a retriever; the whole event has what was found, below."""
    return {
        "gen_ai.operation.name": "retrieval",
        "gen_ai.retrieval.query.text": text,
        "gen_ai.retrieval.top_k": limit,
        "toolrag.method": method,
        "toolrag.scope": forms.scope(scope),
    }


def candidates(found: Sequence[Candidate], searched: Searched | None = None) -> Attributes:
    """What a search or definitions found."""
    more = {} if searched is None else {"toolrag.searched": forms.searched(searched)}
    return {"gen_ai.retrieval.documents": [forms.candidate(one) for one in found], **more}


def places(found: Sequence[Place]) -> Attributes:
    """The references that were found."""
    return {"gen_ai.retrieval.documents": [forms.place(one) for one in found]}


def files(found: Sequence[str]) -> Attributes:
    """The documents that are searched: a text of its own, the same for every run until one comes or goes."""
    return {"toolrag.files": Blob(canonical(list(found)))}


def document(path: str, found: TextSnapshot | ReadError) -> Made:
    """A document that was asked for by `path`. Of one that may not be read there is the code and nothing else."""
    asked = {"toolrag.path": path}
    if isinstance(found, ReadError):
        return "document", {**asked, "error.type": found.code, "toolrag.error": forms.read_error(found)}
    return "document", {**asked, "toolrag.snapshot": forms.snapshot(found), "toolrag.text": forms.text(found)}


def documents(paths: Sequence[str], found: Sequence[TextSnapshot | None], kept: Mapping[int, str]) -> Made:
    """Documents that were looked through; `kept` has the texts that matter to the run, by their place."""
    snapshots = [None if one is None else forms.snapshot(one) for one in found]
    return "documents", {
        "toolrag.paths": Blob(canonical(list(paths))),
        "toolrag.snapshots": Blob(canonical(snapshots)),
        "toolrag.texts": {str(at): Blob(text) for at, text in kept.items()},
    }


def chat_request(model: str, turn: Turn) -> Attributes:
    """What a model was asked: all of it. `toolrag.choice` is what was wanted of it."""
    return {
        "gen_ai.operation.name": "chat",
        **_model(model),
        "gen_ai.request.max_tokens": turn.max_tokens,
        "gen_ai.system_instructions": [{"type": "text", "content": turn.system}],
        "gen_ai.input.messages": forms.messages(turn.messages),
        "gen_ai.tool.definitions": forms.tools(turn),
        "toolrag.choice": turn.choice,
        "toolrag.tool": turn.tool,
        "toolrag.hints": [asdict(hint) for hint in turn.hints],
        "toolrag.seconds": turn.seconds,
    }


def chat_reply(pieces: Sequence[str], reply: Reply | None, error: ModelError | None) -> Attributes:
    """What came back: the pieces of its text, then the whole reply (`toolrag.rung` is what the provider was sent), or
    the error in its place, or neither where the run did not listen to the end."""
    told: Attributes = {"toolrag.streamed": "".join(pieces), "toolrag.pieces": [len(piece) for piece in pieces]}
    if error is not None:
        return {**told, "error.type": error.code, "toolrag.error": forms.model_error(error)}
    if reply is None:
        return told
    return {
        **told,
        "gen_ai.output.messages": [forms.reply(reply)],
        "gen_ai.response.finish_reasons": [forms.finish_reason(reply)],
        "gen_ai.usage.input_tokens": reply.input_tokens,
        "gen_ai.usage.output_tokens": reply.output_tokens,
        "toolrag.rung": reply.rung,
    }


def execute_tool(
    call: ToolCall, result: Mapping[str, object] | str, sha_expected: str | None = None, sha_found: str | None = None
) -> Made:
    """A call that was carried out or refused. `result` is what the model is told: JSON, with `error` for a refusal."""
    error = result.get("error") if isinstance(result, Mapping) else None
    return "execute_tool", {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": call.name,
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.id": call.id,
        "gen_ai.tool.call.arguments": dict(call.arguments) if isinstance(call.arguments, Mapping) else call.arguments,
        "gen_ai.tool.call.result": dict(result) if isinstance(result, Mapping) else result,
        **({"error.type": str(error)} if error is not None else {}),
        "toolrag.sha.expected": sha_expected,
        "toolrag.sha.found": sha_found,
    }


def verify(claim: str, citations: Sequence[str], why: str = "") -> Made:
    """A claim with its citations as they are written (`path:12-18@…`); `why` it was dropped, empty when it stands."""
    return "verify", {
        "toolrag.claim": claim,
        "toolrag.citations": list(citations),
        "toolrag.verdict": "dropped" if why else "verified",
        "toolrag.why": why,
    }


def lexicon(idf: Mapping[str, float], defines: Mapping[str, bool]) -> Made:
    """How rare tokens are and whether names are defined, of all that were looked up."""
    return "lexicon", {
        "toolrag.idf": {token: float(value) for token, value in idf.items()},
        "toolrag.defines": {name: bool(value) for name, value in defines.items()},
    }


def clock(said: Sequence[float]) -> Made:
    """What the clock said each time, in seconds."""
    return "clock", {"toolrag.now": list(said)}


def run_end(answer: Mapping[str, object]) -> Made:
    """An Answer in the wire's form, positions in UTF-16."""
    return END, {"toolrag.answer": dict(answer)}


def _model(name: str) -> Attributes:
    provider, _, model = name.partition(":")
    return {"gen_ai.provider.name": _PROVIDERS.get(provider, "toolrag"), "gen_ai.request.model": model or name}
