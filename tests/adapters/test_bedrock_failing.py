"""Every way in which Bedrock fails is one error of one kind, told without a secret, and nothing is tried twice."""

from __future__ import annotations

import email.utils
import time
from dataclasses import replace

import pytest
from bedrock_runs import (
    SAID,
    TURN,
    Serve,
    ask,
    fails,
    model,
    serve,
)
from bedrock_standin import HttpError, Say, Step, Text
from toolrag.adapters.bedrock.reply import CUT
from toolrag.config import BedrockSettings

__all__ = ["serve"]


def breaking(name: str) -> Say:
    return Say((Text("It is"),), breaks="exception", exception=(name, "As the script says."))


@pytest.mark.parametrize(
    ("step", "code"),
    [
        pytest.param(Say((Text("It is"),), breaks="cut"), "cut", id="a cut stream"),
        pytest.param(Say((Text("It is"),), breaks="bad_crc"), "cut", id="a wrong checksum"),
        pytest.param(Say((Text("It is"),), breaks="no_stop"), "cut", id="an end without messageStop"),
        pytest.param(Say((), breaks="no_stop"), "cut", id="an end after nothing"),
        pytest.param(breaking("modelStreamErrorException"), "cut", id="a model that fails in the stream"),
        pytest.param(breaking("throttlingException"), "throttled", id="throttled in the stream"),
        pytest.param(breaking("internalServerException"), "unavailable", id="a fault of the service in the stream"),
        pytest.param(breaking("serviceUnavailableException"), "unavailable", id="unavailable in the stream"),
        pytest.param(breaking("validationException"), "bad_request", id="a refusal in the stream"),
        pytest.param(Say((Text("It is"),), breaks="stall"), "timeout", id="a stall"),
        pytest.param(HttpError(429, "ThrottlingException"), "throttled", id="429"),
        pytest.param(HttpError(429, "ModelNotReadyException"), "unavailable", id="a model that is not ready"),
        pytest.param(HttpError(500, "InternalServerException"), "unavailable", id="500"),
        pytest.param(HttpError(502, "BadGateway"), "unavailable", id="502, which nothing documents"),
        pytest.param(HttpError(503, "ServiceUnavailableException"), "unavailable", id="503"),
        pytest.param(HttpError(424, "ModelErrorException"), "unavailable", id="424"),
        pytest.param(HttpError(408, "ModelTimeoutException"), "timeout", id="408"),
        pytest.param(
            HttpError(400, "ValidationException", "prompt is too long: 9 tokens > 8 maximum"), "too_long", id="long"
        ),
        pytest.param(HttpError(413, "RequestEntityTooLarge"), "too_long", id="413"),
        pytest.param(HttpError(403, "AccessDeniedException"), "not_allowed", id="403"),
        pytest.param(HttpError(404, "ResourceNotFoundException"), "not_allowed", id="404"),
        pytest.param(HttpError(403, "ExpiredTokenException"), "not_configured", id="an expired token"),
        pytest.param(HttpError(403, "InvalidSignatureException"), "not_configured", id="a wrong secret"),
        pytest.param(
            HttpError(403, "AccessDeniedException", "Authentication failed: Please make sure your API Key is valid."),
            "not_configured",
            id="a wrong bearer token",
        ),
    ],
)
@pytest.mark.parametrize(
    "bearer", [{}, {"AWS_BEARER_TOKEN_BEDROCK": "bedrock-api-key-example"}], ids=["with keys", "with a bearer token"]
)
def test_every_way_to_fail_is_one_error_and_no_second_request(
    serve: Serve, step: Step, code: str, bearer: dict[str, str]
) -> None:
    service = serve(step, SAID, **bearer)
    began = time.monotonic()
    error = fails(model(settings=BedrockSettings(read_seconds=1)))

    assert time.monotonic() - began < 10
    assert error.code == code
    assert (error.message == CUT) is (code == "cut")
    assert len(service.taken) == 1
    authorization = service.taken[0].headers["Authorization"]
    assert authorization.startswith("Bearer " if bearer else "AWS4-HMAC-SHA256 ")


def test_a_stream_that_breaks_without_streaming_is_cut_too(serve: Serve) -> None:
    serve(Say((Text("It is"),), breaks="cut"))

    assert fails(model("us.meta.llama4-maverick-17b-instruct-v1:0")).code == "cut"


def test_a_reply_without_usage_is_whole(serve: Serve) -> None:
    serve(Say((Text("It is here."),), breaks="no_usage"))

    assert ask(model()).text == "It is here."


def test_a_service_that_says_when_to_come_back_is_believed(serve: Serve) -> None:
    date = email.utils.formatdate(time.time() + 3_600, usegmt=True)
    serve(
        HttpError(429, "ThrottlingException", headers={"Retry-After": "2.5"}),
        HttpError(503, "ServiceUnavailableException", headers={"Retry-After": date}),
        HttpError(429, "ThrottlingException", headers={"Retry-After": "soon"}),
    )
    throttled = model()

    assert fails(throttled).after == 2.5
    assert 3_000 < (fails(throttled).after or 0) <= 3_600
    assert fails(throttled).after is None


def test_a_reply_that_drips_for_longer_than_its_turn_is_a_timeout(serve: Serve) -> None:
    serve(Say((Text("It is"),), breaks="stall"))

    assert fails(model(), replace(TURN, seconds=0.5)).code == "timeout"


def test_what_the_service_says_of_a_request_is_told_in_one_line_of_some_length(serve: Serve) -> None:
    serve(HttpError(400, "ValidationException", "Wrong:\n  line 1\r\n" + "x" * 900))
    message = fails(model()).message

    assert "Wrong: line 1 xxx" in message
    assert len(message) < 400


def test_what_it_says_of_signatures_is_not_told(serve: Serve) -> None:
    serve(HttpError(403, "SignatureDoesNotMatch", "The Canonical String was: AKIDEXAMPLE s3cr3t"))

    assert fails(model()).code == "not_configured"
