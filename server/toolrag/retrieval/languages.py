"""Which language a file is taken for: by its name, its suffix, its first line, or its text. Pure.

`language_of` is the cheap answer, of the path alone. `language_for` is the one that counts, once the text is read;
where `text_decides` is false they are the same.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from toolrag.retrieval.language import Language as Language
from toolrag.retrieval.language_table import TABLE
from toolrag.retrieval.rst import reads_as_rst

LANGUAGES: Final[Mapping[str, Language]] = MappingProxyType({language.name: language for language in TABLE})

ANY_TEXT: Final = "text"
"""The language of any other text: it has passages and no symbols."""

_BY_SUFFIX: Final = {suffix: language.name for language in TABLE for suffix in language.suffixes}
_BY_FILE_NAME: Final = {name: language.name for language in TABLE for name in language.file_names}
_BY_SHEBANG: Final = {program: language.name for language in TABLE for program in language.shebangs}

_SHEBANG: Final = re.compile(r"\ufeff?#!\s*(?:\S*/)?(?:env\s+(?:-\S+\s+)*(?:\S+=\S*\s+)*(?:\S*/)?)?([A-Za-z_+-]+)")
"""The program a first line names, without its folder, `env`, and version digits."""

_CPP_HEADER: Final = re.compile(
    r"^[ \t]*(?:(?:inline[ \t]+)?namespace\b|template[ \t]*<|(?:class|enum[ \t]+class)[ \t]+\w+|using[ \t]+\w"
    r"|(?:public|protected|private)[ \t]*:)|\bstd::",
    re.MULTILINE,
)
"""What a header says that is not C, at the start of a line: comments speak of classes too."""

_TEXT_TO_JUDGE: Final = 200_000
_SHEBANG_LENGTH: Final = 256
"""Characters of a first line that Linux reads."""

_NOT_TEXT: Final = frozenset(
    f".{suffix}"
    for suffix in """
    apng avif bmp cur dds exr gif hdr heic heif icns ico jp2 jpeg jpg jxl ktx ktx2 png psd tga tif tiff webp xcf
    3gp aac aif aiff avi flac flv m4a m4v mid midi mkv mov mp3 mp4 mpeg mpg oga ogg ogv opus wav webm wma wmv
    7z apk ar bz2 cab cpio crx deb dmg ear egg gz ipa iso jar jmod lz lz4 lzma nupkg rar rpm tar tbz2 tgz txz vsix
    war whl xpi xz z zip zst
    eot otf pcf pfb ttc ttf woff woff2
    a aab beam bin class cubin dex dll dylib elc exe gch hi ko lib lo mo node o obj odex pch pdb pyc pyd pyo rlib
    rmeta so sys wasm
    accdb db db3 dbf gpkg ibd idx kdbx ldb mdb myd myi pack rdb sqlite sqlite3 sst
    arrow avro bson ckpt feather gguf h5 hdf5 joblib keras mat msgpack npy npz onnx orc parquet pb pickle pkl pt
    pth rda rdata rds safetensors tflite
    doc docm docx epub key mobi numbers odg odp ods odt pages pdf pps ppt pptx vsd vsdx xls xlsb xlsm xlsx
    blend fbx glb gltfb skp uasset umap unitypackage
    cer der gpg jks keystore p12 p7b p7s pfx
    lockb nib swp swo swatch xcuserstate
    """.split()
)
"""Suffixes of files that are never text: they are not even read."""

_NEVER_READ: Final = frozenset({".toolragignore", ".ds_store", "thumbs.db"})
"""Names of files that are not read either: they list what must stay unseen, or say nothing."""


def language_of(path: str, first_line: str = "") -> str | None:
    """The name of a file's language as far as its path and first line tell; None for one that is never text.

    By the file's whole name, else its suffix, both in any case; for a file without one, by its shebang. Any other is
    text, as far as anybody knows before it is read. `path` is written with `/`, or is a bare name.
    """
    file_name = posixpath.basename(path).lower()
    suffix = posixpath.splitext(file_name)[1]
    known = _BY_FILE_NAME.get(file_name) or _BY_SUFFIX.get(suffix)
    if known:
        return known
    if not file_name or suffix in _NOT_TEXT or file_name in _NEVER_READ:
        return None
    shebang = None if suffix else _SHEBANG.match(first_line)
    return _BY_SHEBANG.get(shebang[1], ANY_TEXT) if shebang else ANY_TEXT


def text_decides(path: str) -> bool:
    """Whether a file's text may say another language than `language_of` its path."""
    return language_of(path) == ANY_TEXT or path.lower().endswith(".h")


def language_for(path: str, text: str) -> str | None:
    """The name of a file's language, of its path and its text.

    As `language_of`, with the text's first line; but a header that says what only C++ says is C++, and a text without
    a suffix, or with `.txt`, is reStructuredText where it reads as that.
    """
    known = language_of(path, text[:_SHEBANG_LENGTH].partition("\n")[0])
    if known == "c" and path.lower().endswith(".h") and _CPP_HEADER.search(text, 0, _TEXT_TO_JUDGE):
        return "cpp"
    if known == ANY_TEXT and posixpath.splitext(path.lower())[1] in ("", ".txt") and reads_as_rst(text):
        return "rst"
    return known
