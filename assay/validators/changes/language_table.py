"""Table of languages and file kinds: names, comment syntax, parser, and the questions that apply.

Every analyzer declares the rows it covers (`languages`) and takes suffixes from here (`suffixes`); a test fails on
a suffix written anywhere else. The module imports nothing of Assay, to keep start-up fast.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache, partial


class Kind(StrEnum):
    """Kind of a language; it decides which questions apply to its files."""

    code = "code"
    template = "template"
    style = "style"
    query = "query"
    interface = "interface"
    infrastructure = "infrastructure"
    notebook = "notebook"
    settings = "settings"
    prose = "prose"
    data = "data"


@dataclass(frozen=True, slots=True)
class Language:
    """One row. `key` is used by analyzers, `name` by reports.

    `suffixes` are lower case with their dot; `path` matches a whole path and takes precedence over a suffix. `family`
    groups languages that share a runtime. `comments` names a dialect of `source_text`; `parser` the library or
    tree-sitter grammar that reads the language; `embeds` the rows of embedded scripts. `interpreters` are the programs
    a `#!` line may name. `is_source`: handwritten code that ships.
    """

    key: str
    name: str
    kind: Kind
    suffixes: tuple[str, ...] = ()
    path: re.Pattern[str] | None = None
    family: str = ""
    comments: str | None = None
    parser: str | None = None
    embeds: tuple[str, ...] = ()
    interpreters: tuple[str, ...] = ()
    is_source: bool = True


def _row(
    key: str,
    name: str,
    kind: Kind,
    suffixes: str = "",
    *,
    path: str = "",
    family: str = "",
    comments: str | None = None,
    parser: str | None = None,
    embeds: str = "",
    run_by: str = "",
    is_source: bool | None = None,
) -> Language:
    return Language(
        key=key,
        name=name,
        kind=kind,
        suffixes=tuple(suffixes.split()),
        path=re.compile(path) if path else None,
        family=family or key,
        comments=comments,
        parser=parser,
        embeds=tuple(embeds.split()),
        interpreters=tuple(run_by.split()),
        is_source=kind in _SOURCE_KINDS if is_source is None else is_source,
    )


_deployed = partial(_row, kind=Kind.infrastructure, comments="settings")
_script = partial(_row, kind=Kind.code, family="javascript", comments="javascript")
_SOURCE_KINDS = frozenset((Kind.code, Kind.template, Kind.style, Kind.query, Kind.interface))
_WORKFLOW = r"(?:.*/)?\.github/(?:workflows/[^/]+|actions/(?:.+/)?action)\.ya?ml|action\.ya?ml"
_COMPOSE = r"(?:.*/)?(?:docker-)?compose[^/]*\.ya?ml"
_IMAGE = r"(?:.*/)?(?:Dockerfile|Containerfile)[^/]*|.+\.[Dd]ockerfile"
_OPENAPI = r"(?:.*/)?[^/]*(?:openapi|swagger)[^/]*\.(?:ya?ml|json)"
_DEPLOYED = (
    r"(?:.*/)?(?:k8s|kubernetes|helm|charts?|pulumi|ansible|cloudformation|deploy(?:ments?)?|argocd|kustomize)/.*"
    r"\.(?:ya?ml|tpl)"
    r"|(?:.*/)?(?:serverless|kustomization|Chart|fly|render)\.(?:ya?ml|toml)"
)
_OTHER_CI = (
    r"\.gitlab-ci\.yml|(?:.*/)?Jenkinsfile|azure-pipelines\.yml|\.circleci/config\.yml|\.travis\.yml|\.drone\.yml"
    r"|appveyor\.yml"
)
_PLAIN_NAMES = (
    r"(?:.*/)?(?:LICEN[SC]E|NOTICE|AUTHORS|CHANGELOG|CHANGES|README|COPYING|CODEOWNERS|MAINTAINERS|VERSION|py\.typed"
    r"|\.[^/.]+)"
)
_DATA = (
    ".csv .tsv .jsonl .ndjson .parquet .svg .png .jpg .jpeg .gif .webp .ico .bmp .pdf .woff .woff2 .ttf .otf .eot .mp3 "
    ".mp4 .wav .zip .gz .xz .bz2 .tar .jar .class .so .dll .dylib .a .o .exe .wasm .bin .dat .db .sqlite .pkl .npy "
    ".npz .h5 .pt .onnx .pem .crt .key .lock .sum .snap .map .po .pot .mo .log .diff .patch .out .golden .api"
)
_TEMPLATES = ".jinja .jinja2 .j2 .erb .ejs .hbs .mustache .haml .slim .pug .twig .liquid .tmpl .gotmpl .mako"
_XML = ".xml .csproj .fsproj .vbproj .sln .slnx .props .targets .plist .config .resx .xsd"
_CPP = ".cc .cpp .cxx .c++ .hh .hpp .hxx .h++ .ipp .inl .tpp .cppm .ixx"
_SCRIPTS = "javascript typescript"
_SHELLS = "sh bash zsh dash ksh fish"

# Rows with a path first (in this order), then by suffix.
LANGUAGE_TABLE: tuple[Language, ...] = (
    # Paths that are more exact than their suffix.
    _deployed("workflow", "GitHub workflow", path=_WORKFLOW, family="ci", parser="yaml"),
    _deployed("other-ci", "CI configuration", path=_OTHER_CI, family="ci"),
    _deployed("compose", "Compose file", path=_COMPOSE, family="docker", parser="yaml"),
    _deployed("dockerfile", "Dockerfile", path=_IMAGE, family="docker"),
    _row("openapi", "OpenAPI", Kind.interface, path=_OPENAPI, comments="settings", is_source=False),
    _deployed("deployment", "deployment file", path=_DEPLOYED, parser="yaml"),
    # Programming languages.
    _row("python", "Python", Kind.code, ".py .pyi .pyw", comments="python", parser="ast", run_by="python uv"),
    _row("cython", "Cython", Kind.code, ".pyx .pxd .pxi", family="python", comments="python"),
    _script("javascript", "JavaScript", suffixes=".js .mjs .cjs", parser="javascript", run_by="node deno bun zx"),
    _script("jsx", "JSX", suffixes=".jsx", parser="javascript"),
    _script("typescript", "TypeScript", suffixes=".ts .mts .cts", parser="typescript", run_by="ts-node tsx"),
    _script("tsx", "TSX", suffixes=".tsx", parser="tsx"),
    _script("vue", "Vue", suffixes=".vue", embeds=_SCRIPTS),
    _script("svelte", "Svelte", suffixes=".svelte", embeds=_SCRIPTS),
    _script("astro", "Astro", suffixes=".astro", embeds=_SCRIPTS),
    _row("go", "Go", Kind.code, ".go", comments="go", parser="go"),
    _row("java", "Java", Kind.code, ".java", family="jvm", comments="c", parser="java"),
    _row("kotlin", "Kotlin", Kind.code, ".kt .kts", family="jvm", comments="c", parser="kotlin"),
    _row("scala", "Scala", Kind.code, ".scala .sc .sbt", family="jvm", comments="c"),
    _row("groovy", "Groovy", Kind.code, ".groovy", family="jvm", comments="c", run_by="groovy"),
    _row("clojure", "Clojure", Kind.code, ".clj .cljs .cljc .edn", family="jvm"),
    _row("csharp", "C#", Kind.code, ".cs", family="dotnet", comments="c", parser="csharp"),
    _row("fsharp", "F#", Kind.code, ".fs .fsx .fsi", family="dotnet"),
    _row("visual-basic", "Visual Basic", Kind.code, ".vb", family="dotnet"),
    _row("rust", "Rust", Kind.code, ".rs", comments="rust", parser="rust"),
    _row(
        "ruby",
        "Ruby",
        Kind.code,
        ".rb .rake .gemspec .ru",
        path=r"(?:.*/)?(?:Rakefile|Gemfile)",
        comments="ruby",
        parser="ruby",
        run_by="ruby",
    ),
    _row("php", "PHP", Kind.code, ".php .phtml .php5 .php7 .phps", comments="php", parser="php", run_by="php"),
    _row("c", "C", Kind.code, ".c", family="c", comments="c", parser="c"),
    _row("c-header", "C or C++ headers", Kind.code, ".h", family="c", comments="c", parser="cpp"),
    _row("cpp", "C++", Kind.code, _CPP, family="c", comments="c", parser="cpp"),
    _row("cuda", "CUDA", Kind.code, ".cu .cuh", family="c", comments="c"),
    _row("objective-c", "Objective-C", Kind.code, ".m .mm", family="c", comments="c"),
    _row("swift", "Swift", Kind.code, ".swift", comments="c", run_by="swift"),
    _row("dart", "Dart", Kind.code, ".dart", comments="c"),
    _row("lua", "Lua", Kind.code, ".lua", comments="sql", run_by="lua luajit"),
    _row("perl", "Perl", Kind.code, ".pl .pm .t", comments="shell", run_by="perl"),
    _row("r", "R", Kind.code, ".r", comments="ruby", run_by="rscript"),
    _row("julia", "Julia", Kind.code, ".jl", comments="ruby", run_by="julia"),
    _row("elixir", "Elixir", Kind.code, ".ex .exs", family="beam", comments="ruby", run_by="elixir"),
    _row("erlang", "Erlang", Kind.code, ".erl .hrl", family="beam", run_by="escript"),
    _row("haskell", "Haskell", Kind.code, ".hs .lhs", comments="sql", run_by="runhaskell"),
    _row("ocaml", "OCaml", Kind.code, ".ml .mli"),
    _row("nim", "Nim", Kind.code, ".nim", comments="ruby"),
    _row("crystal", "Crystal", Kind.code, ".cr", comments="ruby"),
    _row("zig", "Zig", Kind.code, ".zig"),
    _row("solidity", "Solidity", Kind.code, ".sol", comments="c"),
    _row("verilog", "Verilog", Kind.code, ".v .sv"),
    _row("vhdl", "VHDL", Kind.code, ".vhd .vhdl"),
    _row("fortran", "Fortran", Kind.code, ".f90 .f95 .f03"),
    _row("assembly", "assembly", Kind.code, ".s .asm"),
    _row("tcl", "Tcl", Kind.code, ".tcl", run_by="tclsh"),
    _row("gdscript", "GDScript", Kind.code, ".gd"),
    _row("coffeescript", "CoffeeScript", Kind.code, ".coffee", family="javascript"),
    _row("shell", "shell", Kind.code, ".sh .bash .zsh .ksh .fish .bats", comments="shell", run_by=_SHELLS),
    _row("powershell", "PowerShell", Kind.code, ".ps1 .psm1 .psd1", family="shell", run_by="pwsh"),
    _row("batch", "batch file", Kind.code, ".bat .cmd", family="shell"),
    _row("awk", "awk", Kind.code, ".awk", run_by="awk gawk"),
    # Templates, styles, queries, interfaces.
    _row("html", "HTML", Kind.template, ".html .htm .xhtml", comments="markup", embeds="javascript css"),
    _row("template", "template", Kind.template, _TEMPLATES),
    _row("razor", "Razor", Kind.template, ".cshtml .razor", family="dotnet"),
    _row("css", "CSS", Kind.style, ".css", comments="c"),
    _row("scss", "Sass or Less", Kind.style, ".scss .sass .less", family="css", comments="c"),
    _row("sql", "SQL", Kind.query, ".sql", comments="sql", parser="sqlglot"),
    _row("prisma", "Prisma", Kind.query, ".prisma", family="sql", is_source=False),
    _row("protobuf", "protobuf", Kind.interface, ".proto", comments="c"),
    _row("graphql", "GraphQL", Kind.interface, ".graphql .gql .graphqls", comments="settings"),
    _row("thrift", "Thrift", Kind.interface, ".thrift"),
    # Infrastructure, notebooks and files that do not run.
    _deployed("terraform", "Terraform", suffixes=".tf .tfvars .hcl"),
    _row("bicep", "Bicep", Kind.infrastructure, ".bicep"),
    _row(
        "notebook",
        "notebook",
        Kind.notebook,
        ".ipynb",
        family="python",
        embeds="python",
        parser="json",
        is_source=False,
    ),
    _row("make", "Makefile", Kind.settings, ".mk", path=r"(?:.*/)?(?:GNUm|M|m)akefile", comments="settings"),
    _row("just", "justfile", Kind.settings, path=r"(?:.*/)?justfile", comments="settings"),
    _row(
        "build-script",
        "build script",
        Kind.settings,
        ".gradle .bzl .bazel .cmake .nix",
        comments="c",
        path=r"(?:.*/)?(?:BUILD|WORKSPACE|CMakeLists\.txt|meson\.build)",
    ),
    _row("yaml", "YAML", Kind.settings, ".yaml .yml", comments="settings", parser="yaml"),
    _row("toml", "TOML", Kind.settings, ".toml", comments="settings", parser="tomllib"),
    _row("ini", "INI", Kind.settings, ".ini .cfg .conf .properties .env .editorconfig .neon", comments="settings"),
    _row("json", "JSON", Kind.settings, ".json .jsonc .json5", parser="json"),
    _row("xml", "XML", Kind.settings, _XML, comments="markup"),
    _row("markdown", "Markdown", Kind.prose, ".md .mdx .markdown", comments="markup", is_source=False),
    _row("prose", "prose", Kind.prose, ".rst .adoc .asciidoc .txt .tex .pod .org .in .rtf", path=_PLAIN_NAMES),
    _row("data", "data", Kind.data, _DATA),
)

_BY_KEY = {row.key: row for row in LANGUAGE_TABLE}
_BY_SUFFIX = {suffix: row for row in LANGUAGE_TABLE for suffix in row.suffixes}
_BY_PATH = tuple((row.path, row) for row in LANGUAGE_TABLE if row.path is not None)
_BY_INTERPRETER = {name: row for row in LANGUAGE_TABLE for name in row.interpreters}
ALL_LANGUAGES = frozenset(_BY_KEY)
SOURCE_SUFFIXES = frozenset(suffix for row in LANGUAGE_TABLE if row.is_source for suffix in row.suffixes)
_RUN_BY = re.compile(rb"(?:\xef\xbb\xbf)?#!\s*(?:\S*/)?(?:env\s+(?:-S\s+)?(?:\w+=\S*\s+)*)?([\w.+-]+)")

_PHP_TAG = re.compile(rb"(?:\xef\xbb\xbf)?\s{0,100}<(?:\?(?:php\b|=)|(?=[!a-z])[^\0]{0,8000}?<\?php\b)", re.IGNORECASE)
"""PHP's opening tag at the beginning, or after markup."""


@lru_cache(maxsize=8192)
def language_of(path: str) -> Language | None:
    """Return the row of a path, by the whole path, else by its suffix; None for an unknown one."""
    for pattern, row in _BY_PATH:
        if pattern.fullmatch(path):
            return row
    return _BY_SUFFIX.get(suffix_of(path))


def is_program(first_bytes: bytes) -> bool:
    """Return whether a file starts like a program: with a `#!` line or PHP's opening tag."""
    return first_bytes.startswith((b"#!", b"\xef\xbb\xbf#!")) or _PHP_TAG.match(first_bytes) is not None


def language_of_script(first_bytes: bytes) -> Language | None:
    """Return the row named by a `#!` line or PHP's opening tag."""
    if _PHP_TAG.match(first_bytes):
        return _BY_KEY["php"]
    found = _RUN_BY.match(first_bytes[:200].partition(b"\n")[0])
    if found is None:
        return None
    name = found[1].decode("ascii", "replace").lower()
    return _BY_INTERPRETER.get(name) or _BY_INTERPRETER.get(name.rstrip("0123456789."))


def suffix_of(path: str) -> str:
    """Return the suffix as the table spells it (`.py`), or "" for a name without one."""
    name = path.rpartition("/")[2]
    stem, dot, last = name.rpartition(".")
    return f".{last.lower()}" if dot and stem else ""


def languages(*keys: str) -> frozenset[str]:
    """Return the rows of these keys, for an analyzer's `covers`. Raises `KeyError` for an unknown key."""
    return frozenset(_BY_KEY[key].key for key in keys)


def of_kind(*kinds: Kind) -> frozenset[str]:
    """Return the keys of all rows of these kinds."""
    return frozenset(row.key for row in LANGUAGE_TABLE if row.kind in kinds)


def of_family(*families: str) -> frozenset[str]:
    """Return the keys of all rows of these families."""
    return frozenset(row.key for row in LANGUAGE_TABLE if row.family in families)


def suffixes(*keys: str) -> tuple[str, ...]:
    """Return all suffixes of these rows, for `str.endswith`. Raises `KeyError` for an unknown key."""
    return tuple(suffix for key in keys for suffix in _BY_KEY[key].suffixes)


def bare_suffixes(*keys: str) -> frozenset[str]:
    """Return all suffixes of these rows without their dots. Raises `KeyError` for an unknown key."""
    return frozenset(suffix[1:] for suffix in suffixes(*keys))


def is_in(path: str, keys: Iterable[str]) -> bool:
    """Return whether the path's row is one of these."""
    row = language_of(path)
    return row is not None and row.key in keys


def names_of(keys: Iterable[str]) -> Iterator[str]:
    """Yield the report names of these rows, in the table's order."""
    wanted = set(keys)
    return (row.name for row in LANGUAGE_TABLE if row.key in wanted)
