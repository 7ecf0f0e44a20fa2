"""Table of known tools: which tool a plain command starts, and for what purpose.

The first row whose pattern matches the command (without runners) gives the tool and its kind.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from assay.validators.report.model import ToolKind
from assay.validators.tools.runners import started

_TABLE = """
test   pytest        (pytest|py\\.test)
test   unittest      unittest
test   nose          (nosetests|nose2)
test   twisted       trial
test   django        (python3? )?(\\./)?manage\\.py test|django-admin test
test   runtests      python3? (\\S+/)?(run_?tests?|tests?/run\\w*)\\.py
test   vitest        vitest
test   jest          jest|react-scripts test|craco test
test   mocha         (mocha|_mocha)
test   ava           ava
test   tap           (tap|tape)
test   jasmine       jasmine
test   karma         karma start .*single-run
test   playwright    playwright test
test   cypress       cypress run
test   node:test     (node|tsx) .*--test|borp
test   ng            ng test
test   bun           bun test
test   deno          deno test
test   wtr           (wtr|web-test-runner)
test   go            go test|{go_run}gotestsum(@\\S+)?
test   cargo         cargo (nextest run|test|t)
test   maven         (\\S*/)?mvnw?( -\\S+)*( clean)? (test|verify|package)
test   gradle        (\\S*/)?gradlew?( -\\S+)*( clean)? (\\S*:)?(test|check|build)
test   dotnet        dotnet test
test   rspec         rspec
test   minitest      (rails|bin/rails|rake|ruby) .*test
test   cucumber      cucumber
test   phpunit       (phpunit|pest|paratest|simple-phpunit)
test   artisan       php artisan test
test   swift         swift test
test   mix           mix test
test   ctest         ctest
test   bats          bats
lint   ruff          ruff (check|\\.|src|\\S+/)|ruff$
lint   flake8        (flake8|pflake8)
lint   pylint        pylint
lint   codespell     codespell
lint   pycodestyle   pycodestyle
lint   pyflakes      pyflakes
lint   pydocstyle    pydocstyle
lint   pydoclint     pydoclint
lint   doc8          doc8
lint   vulture       vulture
lint   deptry        deptry
lint   import-linter lint-imports
lint   eslint        eslint|ng lint|next lint|vue-cli-service lint
lint   oxlint        oxlint
lint   biome         biome (check|lint|ci)
lint   tslint        tslint
lint   standard      (standard|ts-standard|semistandard|xo)
lint   stylelint     stylelint
lint   markdownlint  (markdownlint|markdownlint-cli2)
lint   knip          knip
lint   depcheck      depcheck
lint   publint       publint
lint   attw          attw
lint   syncpack      syncpack lint
lint   deno-lint     deno lint
lint   golangci-lint {go_run}golangci-lint(@\\S+)? run
lint   go-vet        go vet
lint   staticcheck   {go_run}staticcheck(@\\S+)?
lint   revive        (revive|golint)
lint   clippy        cargo clippy
lint   cargo-deny    cargo deny
lint   cargo-udeps   cargo (machete|udeps)
lint   rubocop       (rubocop|standardrb)
lint   phpcs         phpcs
lint   checkstyle    (\\S*/)?(mvnw?|gradlew?) .*(checkstyle|spotbugs|pmd|detekt|ktlintCheck)\\S*
lint   shellcheck    shellcheck
lint   yamllint      yamllint
lint   actionlint    actionlint
lint   hadolint      hadolint
lint   sqlfluff      sqlfluff lint
format ruff-format   ruff format
format black         black
format isort         isort
format yapf          yapf
format autopep8      autopep8
format prettier      prettier
format biome-format  biome format
format dprint        dprint (check|fmt)
format oxfmt         oxfmt
format deno-fmt      deno fmt
format gofmt         (gofmt|gofumpt|goimports)
format rustfmt       (cargo fmt|rustfmt)
format dotnet-format dotnet format
format php-cs-fixer  php-cs-fixer
format pint          pint
format spotless      (\\S*/)?(mvnw?|gradlew?) .*spotless:?[Cc]heck
format mix-format    mix format
format clang-format  clang-format
format taplo         taplo (fmt|format|check)
types  mypy          (mypy|dmypy run)
types  pyright       (pyright|basedpyright)
types  ty            ty check
types  pyre          pyre( check)?$
types  pytype        pytype
types  pyrefly       pyrefly check
types  zuban         zuban (check|mypy)
types  tsc           (tsc|tsgo|vue-tsc|svelte-check|glint)
types  tstyche       (tstyche|tsd)
types  flow          flow( check)?$
types  phpstan       phpstan
types  psalm         psalm
types  sorbet        srb tc
types  steep         steep check
types  cargo-check   cargo check
sast   bandit        bandit
sast   semgrep       semgrep
sast   gosec         gosec
sast   brakeman      brakeman
sast   zizmor        zizmor
sast   cargo-audit   cargo audit
build  go-build      go build
build  cargo-build   cargo build
build  dotnet-build  dotnet build
build  maven-build   (\\S*/)?mvnw?( -\\S+)*( clean)? compile
build  gradle-build  (\\S*/)?gradlew?( -\\S+)*( clean)? (\\S*:)?(assemble|compile\\w*)
build  vite          vite build
build  webpack       webpack
build  rollup        rollup
build  tsup          (tsup|tsdown|unbuild|esbuild|swc|microbundle|ncc build)
build  babel         babel
build  next          (next|nuxt|nuxi|astro|remix|gatsby|svelte-package) ?(build|$)
build  ng-build      ng build
test   every-test    {monorepo}test(?!:types?\\b)\\S*|npm (run )?test .*(-ws|--workspaces)
lint   every-lint    {monorepo}lint\\S*
types  every-types   {monorepo}(typecheck|type-check|check-types|types|test:types?)
build  every-build   {monorepo}build\\S*
build  swift-build   swift build
build  cmake         cmake --build
build  build         build( --?\\S+)*$
build  python-build  (flit build|hatch build|uv build|poetry build|pdm build)( --?\\S+)*$
"""


_GO_RUN = r"(go run \S*/)?"
_MONOREPO = (
    r"(turbo( run)?( -\S+)* |(nx|lerna|moon|rush|wsrun|wireit) (.* )?"
    r"|(npm|pnpm|yarn|bun) (.* )?(-r|--recursive|-ws|--workspaces|workspaces|--filter|-F|--workspace|-w)(\S* )(.* )?)"
)


@dataclass(frozen=True, slots=True)
class KnownTool:
    """A tool and the kind of check it performs."""

    tool: str
    kind: ToolKind


def known_tool_of(words: Sequence[str]) -> KnownTool | None:
    """Return the tool and kind of a plain command; None for an unknown one."""
    rest = started(words)
    found = _in_table(rest)
    if found is None and len(rest) > 1 and rest[0] in ("pnpm", "yarn"):
        # `pnpm vitest run` starts a package's program as `pnpm exec` does.
        found = _in_table(rest[1:])
        return None if found is not None and found.tool == "python-build" else found
    return found


def _in_table(words: Sequence[str]) -> KnownTool | None:
    line = " ".join(words)[:400]
    for pattern, known in _KNOWN_TOOLS:
        if pattern.match(line):
            return KnownTool("tsc-build", ToolKind.build) if known.tool == "tsc" and _emits(words) else known
    return None


def _emits(words: Sequence[str]) -> bool:
    """Return whether a TypeScript compiler writes its output; type checkers do not."""
    return words[0] in ("tsc", "tsgo") and not {"--noEmit", "--noEmit=true"} & set(words)


def _read_table() -> list[tuple[re.Pattern[str], KnownTool]]:
    rows = [line.split(None, 2) for line in _TABLE.strip().splitlines()]
    return [
        (re.compile(rf"(?:{_filled(pattern)})(?=\s|$)"), KnownTool(tool, ToolKind(kind)))
        for kind, tool, pattern in rows
    ]


def _filled(pattern: str) -> str:
    return pattern.replace("{monorepo}", _MONOREPO).replace("{go_run}", _GO_RUN)


_KNOWN_TOOLS = _read_table()
