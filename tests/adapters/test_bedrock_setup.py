"""How Bedrock is found: regions, credentials, profiles, addresses; what is missing is named, with the first reply."""

from __future__ import annotations

import http.client
import os
import ssl
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from bedrock_runs import (
    NO_KEYS,
    PLAIN,
    SAID,
    Serve,
    ask,
    environment,
    fails,
    model,
    serve,
)
from toolrag.config import BedrockSettings

__all__ = ["serve"]


@pytest.mark.parametrize(
    ("changed", "settings", "code", "said"),
    [
        pytest.param(NO_KEYS, PLAIN, "not_configured", "AWS_ACCESS_KEY_ID", id="no credentials"),
        pytest.param(
            {"AWS_SECRET_ACCESS_KEY": None}, PLAIN, "not_configured", "AWS_SECRET_ACCESS_KEY", id="half of them"
        ),
        pytest.param({"AWS_REGION": None}, PLAIN, "not_configured", "bedrock.region or AWS_REGION", id="no region"),
        pytest.param({}, BedrockSettings(region="no region"), "not_configured", "bedrock.region", id="no such region"),
        pytest.param({}, BedrockSettings(profile="s3cr3t"), "not_configured", "bedrock.profile", id="no such profile"),
        pytest.param(
            {"AWS_PROFILE": "s3cr3t"}, PLAIN, "not_configured", "AWS_PROFILE", id="no such profile, environment"
        ),
        pytest.param(
            {},
            BedrockSettings(endpoint="http://localhost?key=s3cr3t"),
            "not_configured",
            "https://",
            id="an open endpoint",
        ),
        pytest.param(
            {}, BedrockSettings(endpoint="https://a:s3cr3t@b"), "not_configured", "https://", id="a user in it"
        ),
        pytest.param(
            {}, BedrockSettings(endpoint="https://[s3cr3t"), "not_configured", "https://", id="no address at all"
        ),
        pytest.param(
            {"AWS_ENDPOINT_URL_BEDROCK_RUNTIME": "s3cr3t"},
            PLAIN,
            "not_configured",
            "https://",
            id="no address, environment",
        ),
        pytest.param({"AWS_CA_BUNDLE": None}, PLAIN, "not_configured", "AWS_CA_BUNDLE", id="an unknown authority"),
        pytest.param(
            {},
            BedrockSettings(endpoint="https://localhost:1/?key=s3cr3t"),
            "unavailable",
            "bedrock.endpoint",
            id="nobody there",
        ),
    ],
)
def test_what_is_not_set_up_is_said_with_the_first_reply_and_names_what_to_set(
    serve: Serve,
    monkeypatch: pytest.MonkeyPatch,
    changed: dict[str, str | None],
    settings: BedrockSettings,
    code: str,
    said: str,
) -> None:
    service = serve(SAID)
    with environment(monkeypatch, **changed):
        made = model(settings=settings)
        error = fails(made)

    assert error.code == code
    assert said in error.message
    assert service.taken == []


@pytest.mark.parametrize(
    ("model_id", "code"),
    [
        pytest.param("example.unknown-v1", "not_allowed", id="none that there is"),
        pytest.param("no such/model ünïcode", "not_allowed", id="no id at all"),
        pytest.param("x" * 3_000, "not_allowed", id="a long one"),
    ],
)
def test_a_model_that_there_is_not_is_said_to_be_none(serve: Serve, model_id: str, code: str) -> None:
    serve(SAID)

    assert fails(model(model_id)).code == code


def test_a_profile_and_a_region_of_the_users_files_are_taken(
    serve: Serve, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = tmp_path / "config"
    config.write_text("[profile work]\nregion = us-west-2\naws_access_key_id = AKIDWORK\naws_secret_access_key = w\n")
    service = serve(SAID, SAID)
    with environment(monkeypatch, AWS_CONFIG_FILE=str(config), **NO_KEYS):
        ask(model(settings=BedrockSettings(profile="work")))
        ask(model(settings=BedrockSettings(profile="work", region="eu-west-1")))

    scopes = [seen.headers["Authorization"].partition("Credential=")[2].split("/")[:3] for seen in service.taken]
    assert [(scope[0], scope[2]) for scope in scopes] == [("AKIDWORK", "us-west-2"), ("AKIDWORK", "eu-west-1")]


def test_the_region_of_the_environment_is_taken_as_other_sdks_name_it(serve: Serve) -> None:
    service = serve(SAID)
    ask(model())

    assert "/eu-central-1/bedrock/" in service.taken[0].headers["Authorization"]


def test_an_endpoint_of_the_settings_stands_for_the_services_own(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    service = serve(SAID)
    with environment(monkeypatch, AWS_ENDPOINT_URL_BEDROCK_RUNTIME="https://localhost:1"):
        ask(model(settings=BedrockSettings(endpoint=service.endpoint)))

    assert len(service.taken) == 1


def test_a_program_of_its_own_is_answered_by_the_environment_alone(serve: Serve) -> None:
    """As `toolrag ask --model bedrock:…` is, which has nothing else of the stand-in."""
    service = serve(SAID)
    program = (
        "import asyncio\n"
        "from toolrag.adapters.bedrock import BedrockModel\n"
        "from toolrag.adapters.capabilities import Capabilities\n"
        "from toolrag.chat import Said, Turn\n"
        "from toolrag.config import BedrockSettings\n"
        "async def ask():\n"
        "    made = BedrockModel('example.forced-v1', BedrockSettings(), Capabilities(None))\n"
        "    print([piece async for piece in made.reply(Turn('', (Said('Where?'),), (), 'auto'))][-1].text)\n"
        "asyncio.run(ask())\n"
    )
    environment_ = {"PATH": os.environ["PATH"], **service.environment()}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment_)

    assert (done.stdout, done.stderr) == ("It is here.\n", "")


def test_making_a_model_looks_for_nothing_and_imports_no_boto3() -> None:
    program = (
        "import sys\n"
        "from toolrag.adapters.bedrock import BedrockModel\n"
        "from toolrag.adapters.capabilities import Capabilities\n"
        "from toolrag.config import BedrockSettings\n"
        "made = BedrockModel('a', BedrockSettings(profile='none', endpoint='none'), Capabilities(None))\n"
        "print(made.id, [name for name in sys.modules if name.partition('.')[0] in ('boto3', 'botocore', 'urllib3')])\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)

    assert done.stdout == "bedrock:a []\n"


def test_the_stand_in_refuses_a_request_without_credentials(serve: Serve) -> None:
    """What the tests above rest on."""
    service = serve(SAID)
    context = ssl.create_default_context(cafile=service.environment()["AWS_CA_BUNDLE"])
    connection = http.client.HTTPSConnection(service.endpoint.removeprefix("https://"), context=context)
    with closing(connection):
        connection.request("POST", "/model/example.forced-v1/converse", b"{}")
        assert connection.getresponse().status == 403

    assert service.refused[0][1].code == "MissingAuthenticationTokenException"
