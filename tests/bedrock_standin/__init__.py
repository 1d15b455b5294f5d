"""A stand-in for Amazon Bedrock that boto3 talks to over HTTPS, and that refuses what the service refuses.

    with Standin(following(Say((Text("Hello."),))), tmp_path) as service:
        run(["toolrag", "ask", "--model", "bedrock:example.forced-v1", …], env={**env, **service.environment()})
    assert service.refused == []

A brain gets the request as botocore's model parses it, and gives a Say, an HttpError or a Silence. Nothing here knows
the client that is tested, nor imports it.
"""

from bedrock_standin.brains import following, reads_then_answers, results_of, said_to, tool_names
from bedrock_standin.cards import CARDS, ModelCard
from bedrock_standin.parsing import RefusedError
from bedrock_standin.replies import HttpError, Say, Silence, Step, Text, Think, Use, redacted, signature
from bedrock_standin.server import Brain, Seen, Standin

__all__ = [
    "CARDS",
    "Brain",
    "HttpError",
    "ModelCard",
    "RefusedError",
    "Say",
    "Seen",
    "Silence",
    "Standin",
    "Step",
    "Text",
    "Think",
    "Use",
    "following",
    "reads_then_answers",
    "redacted",
    "results_of",
    "said_to",
    "signature",
    "tool_names",
]
