"""What boto3 raises, as a ModelError: one sentence that says what to do, and never a credential, header or address.

The service's own words are told for a request that it does not take, and for no other error: those about signatures
and tokens repeat what was sent.
"""

from __future__ import annotations

import email.utils
import re
import time
from collections.abc import Mapping
from typing import Any, Final

from botocore import eventstream
from botocore import exceptions as boto
from botocore.parsers import ResponseParserError
from urllib3 import exceptions as urllib3

from toolrag.adapters.bedrock.reply import CUT, TOO_LONG
from toolrag.errors import ModelError, ModelErrorCode

NOT_CONFIGURED: Final = (
    "No valid AWS credentials for Amazon Bedrock. Set AWS_BEARER_TOKEN_BEDROCK, or AWS_ACCESS_KEY_ID and "
    "AWS_SECRET_ACCESS_KEY, or name a profile in bedrock.profile; an expired login is renewed with `aws sso login`."
)
NO_REGION: Final = "No region for Amazon Bedrock. Set bedrock.region or AWS_REGION."
BAD_ENDPOINT: Final = (
    "The address in bedrock.endpoint or AWS_ENDPOINT_URL_BEDROCK_RUNTIME is none. Write https:// and a host."
)
UNTRUSTED: Final = (
    "The certificate of Amazon Bedrock's address is not trusted here. "
    "Set AWS_CA_BUNDLE to the file of your network's certificate authority."
)
UNREACHED: Final = "Amazon Bedrock could not be reached. Check the network, bedrock.region and bedrock.endpoint."
STALLED: Final = "Nothing came from Amazon Bedrock for too long. Ask again, or raise bedrock.read_seconds."

_SENTENCES: Final[Mapping[ModelErrorCode, str]] = {
    "throttled": "Amazon Bedrock has too many requests from this account. Wait a little and ask again.",
    "unavailable": "Amazon Bedrock cannot answer at the moment. Ask again later.",
    "timeout": "The model took longer than Amazon Bedrock allows. Ask again, or ask for less at once.",
    "cut": CUT,
    "too_long": TOO_LONG,
    "not_allowed": (
        "This AWS account may not use this model in this region, or there is no such model. Check its id after "
        "bedrock:, bedrock.region, and the account's model access and permissions (bedrock:InvokeModel and "
        "bedrock:InvokeModelWithResponseStream)."
    ),
    "not_configured": NOT_CONFIGURED,
}

# The exceptions of Converse and ConverseStream (API reference), and those of every AWS service ("Common errors").
# In a stream their names begin with a small letter.
_CODES: Final[Mapping[str, ModelErrorCode]] = {
    "throttlingexception": "throttled",
    "toomanyrequestsexception": "throttled",
    "servicequotaexceededexception": "throttled",
    "internalserverexception": "unavailable",
    "internalfailure": "unavailable",
    "serviceunavailableexception": "unavailable",
    "serviceunavailable": "unavailable",
    "modelnotreadyexception": "unavailable",
    "modelerrorexception": "unavailable",
    "modeltimeoutexception": "timeout",
    "modelstreamerrorexception": "cut",
    "accessdeniedexception": "not_allowed",
    "resourcenotfoundexception": "not_allowed",
    "unrecognizedclientexception": "not_configured",
    "expiredtokenexception": "not_configured",
    "expiredtoken": "not_configured",
    "invalidsignatureexception": "not_configured",
    "signaturedoesnotmatch": "not_configured",
    "incompletesignature": "not_configured",
    "incompletesignatureexception": "not_configured",
    "invalidclienttokenid": "not_configured",
    "missingauthenticationtoken": "not_configured",
    "missingauthenticationtokenexception": "not_configured",
}
_STATUSES: Final[Mapping[int, ModelErrorCode]] = {
    401: "not_configured",
    403: "not_allowed",
    404: "not_allowed",
    408: "timeout",
    413: "too_long",
    429: "throttled",
}
_LONG: Final = re.compile(
    r"(input|prompt) is too long|too many (input )?tokens|maximum context length|context window|input length"
)
_CREDENTIALS: Final = (
    boto.NoCredentialsError,
    boto.PartialCredentialsError,
    boto.CredentialRetrievalError,
    boto.TokenRetrievalError,
    boto.NoAuthTokenError,
    boto.SSOError,
    boto.UnknownCredentialError,
    boto.RefreshWithMFAUnsupportedError,
    boto.MetadataRetrievalError,
)
_BROKEN: Final = (boto.ResponseStreamingError, boto.ConnectionClosedError, boto.IncompleteReadError)
FAULTS: Final = (
    boto.BotoCoreError,
    boto.ClientError,
    ResponseParserError,
    eventstream.ParserError,
    urllib3.HTTPError,
    OSError,
)
"""What a request raises when it is the outside world that fails."""
_SAID_CHARACTERS: Final = 300


def fault_of(error: BaseException) -> ModelError:
    """The ModelError for one of FAULTS."""
    if isinstance(error, boto.ClientError):
        return _refused(error.response)
    if isinstance(error, (boto.ReadTimeoutError, boto.ConnectTimeoutError, urllib3.TimeoutError, TimeoutError)):
        return ModelError("timeout", STALLED)
    if isinstance(error, boto.ParamValidationError):
        return ModelError("bad_request", "This is no id of a model of Amazon Bedrock. Check what follows bedrock:.")
    if isinstance(error, boto.SSLError) and "CERTIFICATE_VERIFY_FAILED" in str(error):
        return ModelError("not_configured", UNTRUSTED)
    if isinstance(error, (boto.HTTPClientError, boto.ConnectionError)):
        return ModelError("cut", CUT) if isinstance(error, _BROKEN) else ModelError("unavailable", UNREACHED)
    if isinstance(error, boto.BotoCoreError):
        return _not_set_up(error)
    return ModelError("cut", CUT)  # urllib3's and the system's own: botocore has none for what breaks in a stream


def _not_set_up(error: boto.BotoCoreError) -> ModelError:
    """What fails before a request is made."""
    if isinstance(error, boto.NoRegionError):
        sentence = NO_REGION
    elif isinstance(error, boto.ProfileNotFound):
        sentence = "There is no such AWS profile. Set bedrock.profile or AWS_PROFILE to one of yours."
    elif isinstance(error, boto.InvalidRegionError):
        sentence = "This is no AWS region. Set bedrock.region to one, such as eu-central-1."
    elif isinstance(error, _CREDENTIALS):
        sentence = NOT_CONFIGURED
    else:
        sentence = f"The AWS settings cannot be used ({type(error).__name__}). Check ~/.aws/config and the environment."
    return ModelError("not_configured", sentence)


def said_by(error: boto.ClientError) -> str:
    """The service's own sentence."""
    return str(error.response.get("Error", {}).get("Message", ""))


def may_teach(error: boto.ClientError) -> bool:
    """Whether a refusal can be about what a model takes, and not about who asks.

    Prompt caching that a model cannot do is refused with 403 too (BerriAI/litellm#39210).
    """
    code = str(error.response.get("Error", {}).get("Code", "")).lower()
    return code == "validationexception" or (code == "accessdeniedexception" and "prompt caching" in said_by(error))


def _refused(response: Mapping[str, Any]) -> ModelError:
    told = response.get("Error", {})
    said, name = str(told.get("Message", "")), str(told.get("Code", ""))
    status = response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    code = _CODES.get(name.lower()) or _STATUSES.get(status)
    if code == "not_allowed" and re.search(r"api key|authentication failed|security token", said.lower()):
        code = "not_configured"  # so does the service say that a bearer token is wrong
    if code is None and status >= 500:
        code = "unavailable"
    if code is None:
        if _LONG.search(said.lower()):
            return ModelError("too_long", TOO_LONG)
        if "model identifier is invalid" in said:
            return ModelError("not_allowed", _SENTENCES["not_allowed"])
        return ModelError("bad_request", f"Amazon Bedrock does not take the request: {_one_line(said) or name}")
    return ModelError(code, _SENTENCES[code], after=_after(response))


def _one_line(said: str) -> str:
    line = " ".join(said.split())
    return line if len(line) <= _SAID_CHARACTERS else line[: _SAID_CHARACTERS - 1] + "…"


def _after(response: Mapping[str, Any]) -> float | None:
    """The seconds of `Retry-After`, which may also be a date (RFC 9110, 10.2.3); None where there is none."""
    given = str(response.get("ResponseMetadata", {}).get("HTTPHeaders", {}).get("retry-after", "")).strip()
    if re.fullmatch(r"\d{1,6}(\.\d{1,6})?", given):
        return float(given)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(given).timestamp() - time.time())
    except ValueError:
        return None
