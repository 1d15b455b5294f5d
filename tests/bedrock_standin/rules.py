"""What the service refuses beyond its model's constraints: a table, each row with where it is documented or reported.

A check gives the service's sentence, much as it was reported, or None. `tests/adapters/test_bedrock_rules.py` has an
accepted and a refused request for each row.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bedrock_standin import conversation_rules as conversation
from bedrock_standin import model_rules as model
from bedrock_standin.cards import ModelCard
from bedrock_standin.conversation_rules import Request
from bedrock_standin.parsing import RefusedError, invalid

DOCS = "https://docs.aws.amazon.com/bedrock/latest/"
GITHUB = "https://github.com/"


@dataclass(frozen=True)
class Rule:
    name: str
    source: str
    check: Callable[[Request, ModelCard, bool], str | None]
    """Given the request, the model's card, and whether it is to stream."""
    status: int = 400


def refuse_unless_taken(request: Request, card: ModelCard, *, stream: bool) -> None:
    """Raises RefusedError for the first row of the table that the request breaks."""
    for rule in RULES:
        sentence = rule.check(request, card, stream)
        if sentence:
            raise (
                invalid(sentence)
                if rule.status == 400
                else RefusedError(rule.status, "AccessDeniedException", sentence)
            )


RULES = (
    Rule("starts with user", f"{GITHUB}langgenius/dify/issues/12340", conversation.starts_with_user),
    Rule("roles alternate", f"{GITHUB}langchain-ai/langchain-aws/issues/192", conversation.alternates),
    Rule("ends with user", f"{GITHUB}microsoft/semantic-kernel/issues/10281", conversation.ends_with_user),
    Rule("content not empty", f"{GITHUB}earendil-works/pi/pull/3443", conversation.has_content),
    Rule("text not blank", f"{GITHUB}continuedev/continue/issues/9767", conversation.no_blank_text),
    Rule("result's text not blank", f"{GITHUB}anomalyco/opencode/pull/17381", conversation.no_blank_tool_text),
    Rule(
        "an error says something",
        f"{GITHUB}aws-samples/sample-multi-agent-orchestration-chat-on-agentcore/issues/15",
        conversation.errors_say_something,
    ),
    Rule(
        "role of tool blocks",
        f"{DOCS}userguide/tool-use-inference-call.html (Call a tool with the Converse API)",
        conversation.right_role,
    ),
    Rule("every call answered", f"{GITHUB}genkit-ai/aws-bedrock-js-plugin/issues/664", conversation.calls_are_answered),
    Rule("every answer called for", f"{GITHUB}strands-agents/harness-sdk/issues/1435", conversation.answers_have_calls),
    Rule("ids once", f"{GITHUB}bvcyber/Cyber-AutoAgent-ng/issues/72", conversation.ids_once),
    Rule("results first", f"{GITHUB}langchain-ai/langchain-aws/issues/451", conversation.results_first),
    Rule("toolConfig for tool blocks", f"{GITHUB}langgenius/dify/issues/17545", conversation.config_for_tools),
    Rule("tool names once", f"{GITHUB}tailcallhq/forgecode/issues/892", conversation.tool_names_once),
    Rule(
        "schema is an object",
        f"{DOCS}APIReference/API_runtime_ToolInputSchema.html (ToolInputSchema)",
        conversation.schema_is_object,
    ),
    Rule(
        "input is an object",
        f"{DOCS}APIReference/API_runtime_ToolUseBlock.html (ToolUseBlock: input, a JSON value)",
        conversation.input_is_object,
    ),
    Rule(
        "chosen tool is known",
        f"{DOCS}APIReference/API_runtime_SpecificToolChoice.html (SpecificToolChoice)",
        model.choice_is_known,
    ),
    Rule("choice is taken", f"{GITHUB}strands-agents/harness-sdk/issues/1241", model.choice_is_taken),
    Rule("sampling is taken", f"{GITHUB}cline/cline/issues/10572", model.sampling_is_taken),
    Rule("further fields are taken", f"{GITHUB}traceloop/openllmetry/pull/3390", model.extra_fields_are_taken),
    Rule(
        "kind of thinking",
        "https://platform.claude.com/docs/en/build-with-claude/adaptive-thinking (Adaptive thinking)",
        model.thinking_is_taken,
    ),
    Rule(
        "room to think",
        f"{GITHUB}BerriAI/litellm/pull/21306 and {GITHUB}vercel/ai/issues/7927",
        model.thinking_has_room,
    ),
    Rule("thinking not forced", f"{GITHUB}pydantic/pydantic-ai/issues/3092", model.thinking_is_not_forced),
    Rule("thinking goes on", f"{GITHUB}anomalyco/opencode/issues/3077", model.thinking_goes_on),
    Rule(
        "reasoning unchanged",
        f"{DOCS}APIReference/API_runtime_ReasoningTextBlock.html (ReasoningTextBlock)",
        model.reasoning_is_unchanged,
    ),
    Rule("reasoning is taken", f"{GITHUB}langchain-ai/langchain-aws/issues/401", model.reasoning_is_taken),
    Rule("streams with tools", f"{GITHUB}earendil-works/pi/issues/3739", model.streams),
    Rule("status is taken", f"{GITHUB}strands-agents/harness-sdk/issues/393", model.status_is_taken),
    Rule("results stand alone", f"{GITHUB}strands-agents/harness-sdk/issues/1223", model.results_stand_alone),
    Rule("calls stand alone", f"{GITHUB}quarkiverse/quarkus-langchain4j/issues/1983", model.calls_stand_alone),
    Rule("caching is taken", f"{GITHUB}BerriAI/litellm/pull/39210", model.caching_is_taken, status=403),
    Rule(
        "few cache points",
        f"{DOCS}userguide/prompt-caching.html (Prompt caching for faster model inference)",
        model.cache_points_are_few,
    ),
    Rule("input fits", f"{GITHUB}continuedev/continue/issues/9592", model.fits),
)
