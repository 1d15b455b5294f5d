"""Secret names are denied under every spelling, and what only looks like one stays readable."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from toolrag.adapters.secrets import is_secret

SECRET = """
    .env .env.local .env.production prod.env .envrc .flaskenv server.pem server.key a.p12 a.pfx a.pkcs12 a.jks
    a.keystore a.truststore a.ppk a.gpg a.asc id_rsa id_dsa id_ecdsa id_ed25519 deploy_rsa deploy_dsa
    deploy_ecdsa deploy_ed25519 .ssh/config .gnupg/x .aws/credentials .azure/x .kube/config
    .docker/config.json .gcp/x .password-store/x .npmrc .pypirc .netrc _netrc .git-credentials .dockercfg
    kubeconfig dev.kubeconfig a.tfstate a.tfstate.backup a.tfvars a.tfvars.json a.kdb a.kdbx a.psafe3
    a.keychain .htpasswd .pgpass .s3cfg .my.cnf .vault-token .terraformrc config/master.key
    config/initializers/secret_token.rb .bash_history .python_history a.ovpn a.rdp a.publishsettings
    service-account.json service-account-prod.json client_secret.json client_secret_1.apps.json
    application_default_credentials.json .git .git/config .git/hooks/x sub/.git/HEAD .ssh .aws
""".split()
READABLE = """
    .env.example .env.sample .env.template .env.dist .env.defaults server.pem.example id_rsa.pub
    deploy_ed25519.pub secrets.py tokenizer.py credentials_provider.go config.json settings.json
    package-lock.json poetry.lock environment.py env .gitignore .github/workflows/ci.yml .gitattributes
    keys.py monkey.py id_rsa.py crypto_rsa/rsa.go my.environment git/config docker/Dockerfile ssh/config.py
    aws/client.py history.py .envoy.yaml turkey master.keyboard secret_token.py pem.c service.json a.pemx
    .toolragignore .dockerignore tfstate.go
""".split()

names = st.sampled_from(SECRET)


@pytest.mark.parametrize("path", SECRET)
@pytest.mark.parametrize("folder", ["", "a/b/", "/home/x/ws/", "a b/"])
def test_secret_names_are_denied_at_any_depth(folder: str, path: str) -> None:
    """Every name of the list, in the root, below folders and absolute."""
    assert is_secret(folder + path)


@pytest.mark.parametrize("path", READABLE)
@pytest.mark.parametrize("folder", ["", "a/b/", "/home/x/ws/"])
def test_what_only_looks_like_a_secret_stays_readable(folder: str, path: str) -> None:
    """Examples, public keys and sources named like secrets."""
    assert not is_secret(folder + path)


@given(names, st.integers(min_value=0))
def test_case_makes_no_difference(path: str, capitals: int) -> None:
    """Any mixture of upper and lower case; each bit of a number makes one letter a capital."""
    assert is_secret("".join(c.upper() if capitals >> index & 1 else c for index, c in enumerate(path)))


@given(names, st.data())
def test_invisible_characters_make_no_difference(path: str, data: st.DataObject) -> None:
    """Zero-width and other characters that show nothing, anywhere in the name."""
    invisible = data.draw(st.sampled_from("\u200b\u200c\u200d\ufeff\u2060\u00ad\u202e\ufe0f\u034f\x01"))
    at = data.draw(st.integers(0, len(path)))
    assert is_secret(path[:at] + invisible + path[at:])


@given(names, st.text(alphabet=". \t", max_size=4), st.sampled_from(["", "::$DATA", ":stream", ":a:$DATA"]))
def test_endings_that_windows_passes_over_make_no_difference(path: str, trail: str, stream: str) -> None:
    """Trailing dots and blanks, and the streams of NTFS."""
    assert is_secret(path + trail + stream)
    assert is_secret(path + stream)


@given(names)
def test_compatibility_forms_make_no_difference(path: str) -> None:
    """Full-width letters, dots and slashes fold to the plain ones."""
    wide = "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in path)
    assert unicodedata.normalize("NFKC", wide) == path
    assert is_secret(wide)


@given(st.text())
def test_any_text_has_an_answer(path: str) -> None:
    """No name, however odd, makes the question fail."""
    assert is_secret(path) in (True, False)


@pytest.mark.parametrize(
    "path", [".aws\\credentials", "a\\.env", ".ENV", ".Env.Local", "SERVER.PEM", "ID_RSA", ".env."]
)
def test_spellings_seen_in_reports(path: str) -> None:
    """Backslashes separate somewhere; CVE-2025-59944 was one of case."""
    assert is_secret(path)


def test_a_trailing_slash_says_folder() -> None:
    """A package called like a key file may be entered; a secret folder may not."""
    assert is_secret("crypto_rsa")
    assert not is_secret("crypto_rsa/")
    assert is_secret(".ssh/")
    assert is_secret(".env/")
