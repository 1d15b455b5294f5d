"""Which names are secret: files that are never read, indexed, searched or shown, under every spelling. Pure.

The list is collected from gitrob, Continue, github/gitignore and gitleaks, and so are its exceptions: blocking too
much is the second most reported fault of such lists. Absent on purpose: any look at a file's content, and any setting
that takes a name off the list.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

_NAMES: Final = frozenset(
    """
    .env .envrc .flaskenv id_rsa id_dsa id_ecdsa id_ed25519 .npmrc .pypirc .netrc _netrc .git-credentials .dockercfg
    kubeconfig .htpasswd .pgpass .s3cfg .my.cnf .vault-token .terraformrc secret_token.rb
    application_default_credentials.json .git
    """.split()
)
_FOLDERS: Final = frozenset(".ssh .gnupg .aws .azure .kube .docker .gcp .password-store".split())
_SHAPES: Final = re.compile(
    r"""
    \.env\..* | .*\.env
    | .*\.(?: pem | key | p12 | pfx | pkcs12 | jks | keystore | truststore | ppk | gpg | asc )
    | .*\.(?: kubeconfig | kdb | kdbx | psafe3 | keychain | ovpn | rdp | publishsettings )
    | .*\.tfstate | .*\.tfstate\..* | .*\.tfvars | .*\.tfvars\.json
    | \..*_history | service-account.*\.json | client_secret.*\.json
    """,
    re.VERBOSE | re.DOTALL,
)
_KEY_FILES: Final = re.compile(r".*_(?:rsa|dsa|ecdsa|ed25519)", re.DOTALL)
"""Names of key files by ssh-keygen's habit; a folder may be called so (`crypto_rsa/` is a package)."""
_READABLE: Final = re.compile(r"\.env\.(?:example|sample|template|dist|defaults)|.*\.example|.*\.pub", re.DOTALL)

_SEPARATORS: Final = re.compile(r"[/\\]")
_IGNORABLE: Final = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0") | frozenset(
    map(chr, (*range(0x180B, 0x1810), *range(0xFE00, 0xFE10)))
)
"""Characters that show nothing though their category is not Cf (Unicode's Default_Ignorable_Code_Point)."""


def is_secret(path: str) -> bool:
    """Whether a `/`-separated path, relative or absolute, names a secret or lies in a secret folder.

    A trailing `/` says that the last name is a folder's. Case, Unicode form, invisible characters, and the trailing
    dots, blanks and `:stream` suffixes that Windows passes over make no difference; a backslash separates too,
    because on some systems it does.
    """
    if not (path.isascii() and path.isprintable()):
        path = _plain(path)
    *folders, name = _SEPARATORS.split(path)
    return any(_is_secret_name(folder, True) for folder in folders) or _is_secret_name(name, False)


@lru_cache(maxsize=16_384)
def _is_secret_name(name: str, is_folder: bool) -> bool:
    """Whether one component is denied, either as it stands or as Windows would take it."""
    if not name:
        return False
    name = name.casefold()
    cut = name.partition(":")[0].rstrip(". \t\r\n\v\f")
    return any(_matches(spelling, is_folder) for spelling in {name, cut})


def _matches(name: str, is_folder: bool) -> bool:
    if name in _NAMES or name in _FOLDERS:
        return True
    if not _SHAPES.fullmatch(name) and (is_folder or not _KEY_FILES.fullmatch(name)):
        return False
    return not _READABLE.fullmatch(name)


def _plain(text: str) -> str:
    """`text` in one spelling: compatibility forms and case folded, what shows nothing taken out."""
    text = unicodedata.normalize("NFKC", _visible(text)).casefold()
    return unicodedata.normalize("NFKC", _visible(text))


def _visible(text: str) -> str:
    return "".join(
        character
        for character in text
        if character not in _IGNORABLE and unicodedata.category(character) not in ("Cf", "Cc")
    )
