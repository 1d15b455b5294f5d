"""The table of languages. A language is one entry here, one query in `queries/` and one golden file.

Pure data; a grammar's module is only named, and imported by `spans` when a text in that language is parsed.
"""

from __future__ import annotations

from typing import Final

from toolrag.retrieval.language import Language

_C_LINE: Final = ("///", "//!", "//")
_C_BLOCK: Final = ((r"/\*[*!]?<?", "*/"),)
_ELIXIR_DOCS: Final = (
    (r"@(?:type|module)?doc\s+(?:~[sS])?\"{3}", '"""'),
    (r"@(?:type|module)?doc\s+\"(?!\")", '"'),
)
"""A doc is an attribute whose value is a string."""

_ML_BLOCK: Final = ((r"\(\*{1,2}(?!\))", "*)"),)
_ECMASCRIPT: Final = ("ecmascript",)

TABLE: Final = (
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
    Language(
        "dart",
        (".dart",),
        ("tree_sitter_dart", "language"),
        shebangs=("dart",),
        comments=("///", "//"),
        block_comments=_C_BLOCK,
    ),
    Language(
        "html",
        (".html", ".htm", ".xhtml"),
        ("tree_sitter_html", "language"),
        path_separator=" > ",
        block_comments=(("<!--", "-->"),),
    ),
    Language("css", (".css",), ("tree_sitter_css", "language"), path_separator=" ", block_comments=_C_BLOCK),
    Language("rst", (".rst", ".rest"), None, path_separator=" > "),
    # Any other text: it is searched, and has no symbols.
    Language("text", (), None),
)
