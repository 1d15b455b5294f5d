"""The table of languages: how a file is recognised, which grammar parses it, how its comments look.

A language is one line here, one query in `queries/` and one golden file. Pure; a grammar's module is only named,
and imported by `spans` when a text in that language is parsed.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from toolrag.retrieval.language import Language as Language

_SHEBANG: Final = re.compile(r"\ufeff?#!\s*(?:\S*/)?(?:env\s+(?:-\S+\s+)*(?:\S+=\S*\s+)*(?:\S*/)?)?([A-Za-z_+-]+)")
"""The program a first line names, without its folder, `env`, and version digits."""


_C_LINE: Final = ("///", "//!", "//")
_C_BLOCK: Final = ((r"/\*[*!]?<?", "*/"),)
_ELIXIR_DOCS: Final = (
    (r"@(?:type|module)?doc\s+(?:~[sS])?\"{3}", '"""'),
    (r"@(?:type|module)?doc\s+\"(?!\")", '"'),
)
"""A doc is an attribute whose value is a string."""

_ML_BLOCK: Final = ((r"\(\*{1,2}(?!\))", "*)"),)
_ECMASCRIPT: Final = ("ecmascript",)

_TABLE: Final = (
    Language(
        "python",
        (".py", ".pyi", ".pyw"),
        ("tree_sitter_python", "language"),
        shebangs=("python", "pypy"),
        comments=("#",),
        docstrings=True,
        indented=True,
    ),
    Language(
        "markdown",
        (".md", ".markdown", ".mdown"),
        ("tree_sitter_markdown", "language"),
        path_separator=" > ",
    ),
    Language(
        "javascript",
        (".js", ".jsx", ".mjs", ".cjs"),
        ("tree_sitter_javascript", "language"),
        shebangs=("node",),
        comments=("//",),
        block_comments=_C_BLOCK,
        shared_queries=_ECMASCRIPT,
    ),
    Language(
        "typescript",
        (".ts", ".mts", ".cts"),
        ("tree_sitter_typescript", "language_typescript"),
        shebangs=("deno", "bun", "tsx"),
        comments=_C_LINE,
        block_comments=_C_BLOCK,
        shared_queries=_ECMASCRIPT,
    ),
    Language(
        "tsx",
        (".tsx",),
        ("tree_sitter_typescript", "language_tsx"),
        comments=_C_LINE,
        block_comments=_C_BLOCK,
        shared_queries=("ecmascript", "typescript"),
    ),
    Language("go", (".go",), ("tree_sitter_go", "language"), comments=("//",), block_comments=_C_BLOCK),
    Language("rust", (".rs",), ("tree_sitter_rust", "language"), comments=_C_LINE, block_comments=_C_BLOCK),
    Language("java", (".java",), ("tree_sitter_java", "language"), comments=_C_LINE, block_comments=_C_BLOCK),
    Language("c", (".c", ".h"), ("tree_sitter_c", "language"), comments=_C_LINE, block_comments=_C_BLOCK),
    Language(
        "cpp",
        (".cc", ".cpp", ".cxx", ".c++", ".hh", ".hpp", ".hxx", ".h++", ".ipp", ".tpp", ".inl"),
        ("tree_sitter_cpp", "language"),
        comments=_C_LINE,
        block_comments=_C_BLOCK,
        name_separators=("::",),
        shared_queries=("c",),
    ),
    Language(
        "csharp",
        (".cs", ".csx"),
        ("tree_sitter_c_sharp", "language"),
        comments=_C_LINE,
        block_comments=_C_BLOCK,
        name_separators=(".",),
    ),
    Language(
        "ruby",
        (".rb", ".rake", ".gemspec", ".ru"),
        ("tree_sitter_ruby", "language"),
        file_names=("rakefile", "gemfile", "vagrantfile"),
        shebangs=("ruby",),
        comments=("#",),
        block_comments=(("=begin", "=end"),),
        name_separators=("::",),
    ),
    Language(
        "php",
        (".php", ".phtml"),
        ("tree_sitter_php", "language_php"),
        shebangs=("php",),
        comments=("//", "#"),
        block_comments=_C_BLOCK,
        name_separators=("\\",),
    ),
    Language(
        "swift",
        (".swift",),
        ("tree_sitter_swift", "language"),
        comments=_C_LINE,
        block_comments=_C_BLOCK,
        name_separators=(".",),
    ),
    Language("kotlin", (".kt", ".kts"), ("tree_sitter_kotlin", "language"), comments=("//",), block_comments=_C_BLOCK),
    Language("scala", (".scala", ".sc"), ("tree_sitter_scala", "language"), comments=("//",), block_comments=_C_BLOCK),
    Language(
        "lua",
        (".lua",),
        ("tree_sitter_lua", "language"),
        shebangs=("lua", "luajit"),
        comments=("---", "--"),
        block_comments=((r"--\[=*\[", "]]"),),
        name_separators=(".", ":"),
    ),
    Language(
        "elixir",
        (".ex", ".exs"),
        ("tree_sitter_elixir", "language"),
        shebangs=("elixir",),
        comments=("#",),
        block_comments=_ELIXIR_DOCS,
        name_separators=(".",),
    ),
    Language(
        "bash",
        (".sh", ".bash", ".bats", ".ksh"),
        ("tree_sitter_bash", "language"),
        file_names=(".bashrc", ".bash_profile", ".profile"),
        shebangs=("bash", "sh", "dash", "ksh"),
        comments=("#",),
    ),
    Language(
        "haskell",
        (".hs",),
        ("tree_sitter_haskell", "language"),
        comments=("-- |", "-- ^", "--"),
        block_comments=((r"\{-[|^]?", "-}"),),
    ),
    Language(
        "ocaml",
        (".ml",),
        ("tree_sitter_ocaml", "language_ocaml"),
        block_comments=_ML_BLOCK,
        shared_queries=("ocaml_interface",),
    ),
    Language(
        "ocaml_interface",
        (".mli",),
        ("tree_sitter_ocaml", "language_ocaml_interface"),
        block_comments=_ML_BLOCK,
    ),
    Language(
        "julia",
        (".jl",),
        ("tree_sitter_julia", "language"),
        shebangs=("julia",),
        comments=("#",),
        block_comments=(("#=", "=#"), (r"\"{3}", '"""'), (r"\"(?!\")", '"')),
    ),
    Language("zig", (".zig",), ("tree_sitter_zig", "language"), comments=_C_LINE),
    Language(
        "sql",
        (".sql", ".ddl"),
        ("tree_sitter_sql", "language"),
        comments=("--",),
        block_comments=_C_BLOCK,
        name_separators=(".",),
    ),
    Language("toml", (".toml",), ("tree_sitter_toml", "language"), comments=("#",)),
    Language("yaml", (".yaml", ".yml"), ("tree_sitter_yaml", "language"), comments=("#",)),
    Language("json", (".json", ".jsonc"), ("tree_sitter_json", "language"), comments=("//",), block_comments=_C_BLOCK),
    Language(
        "dockerfile",
        (".dockerfile",),
        ("tree_sitter_dockerfile", "language"),
        file_names=("dockerfile", "containerfile"),
        comments=("#",),
    ),
    Language(
        "make",
        (".mk", ".mak"),
        ("tree_sitter_make", "language"),
        file_names=("makefile", "gnumakefile"),
        shebangs=("make",),
        comments=("#",),
    ),
)

LANGUAGES: Final[Mapping[str, Language]] = MappingProxyType({language.name: language for language in _TABLE})

_BY_SUFFIX: Final = {suffix: language.name for language in _TABLE for suffix in language.suffixes}
_BY_FILE_NAME: Final = {name: language.name for language in _TABLE for name in language.file_names}
_BY_SHEBANG: Final = {program: language.name for language in _TABLE for program in language.shebangs}


def language_of(path: str, first_line: str = "") -> str | None:
    """The name of a file's language; None for one without a parser here.

    By the file's whole name, else its suffix, both in any case; for a file with neither, by its shebang. `path` is
    written with `/`, or is a bare name.
    """
    file_name = posixpath.basename(path).lower()
    suffix = posixpath.splitext(file_name)[1]
    known = _BY_FILE_NAME.get(file_name) or _BY_SUFFIX.get(suffix)
    if known or suffix:
        return known
    shebang = _SHEBANG.match(first_line)
    return _BY_SHEBANG.get(shebang[1]) if shebang else None
