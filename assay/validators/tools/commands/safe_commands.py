"""Filter for discovered commands: which never run, and the check-only form of those that rewrite files.

This prevents damage by mistake. It does not protect from a hostile tree, whose tests can run anything; the sandbox
does. Commands named in the configuration run unchanged.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from assay.validators.tools.commands.command_kinds import known_tool_of
from assay.validators.tools.runners import num_runner_words, program, started

# What the command would do | pattern of the command without runners. The first match counts.
_DAMAGE = """
publishes           | (npm|pnpm|yarn|bun|lerna|cargo|poetry|hatch|flit|uv|pdm|changeset|mvnw?|gradlew?)( .*)? publish
releases            | twine (upload|register)|semantic-release|release-it|standard-version|np$|goreleaser
releases            | bumpversion|bump-my-version
releases            | (npm|yarn|pnpm|poetry) version|cargo release|gem push|mvnw? .*deploy
deploys             | docker|docker-compose|podman|kubectl|helm|terraform|tofu|pulumi|ansible\\S*|serverless|sls|aws|az
deploys             | gcloud|gsutil|heroku|vercel|netlify|firebase|wrangler|surge|gh-pages|mkdocs gh-deploy|cdk|flyctl
writes to git       | git (push|commit|tag|reset|clean|checkout|rebase|merge|config|add)
talks to a service  | semgrep ci|snyk|sonar-scanner|codacy
talks to a service  | gh|hub|codecov|coveralls|curl|wget|ssh|scp|rsync|sftp|nc
changes the machine | sudo|su|doas|apt|apt-get|dnf|yum|apk|brew|choco|snap|pacman|systemctl|service|mkfs|dd|chown
stops things        | kill|pkill|killall|shutdown|reboot
removes files       | (rm|rimraf|shred|del-cli)( .*)? (/|~|\\$|\\.\\.)\\S*
waits for changes   | .*\\s(--watch|--watchAll|--watch-all|--ui|--open|--headed|--inspect\\S*|--debug-brk)(?=\\s|$)
waits for changes   | cargo watch|watchexec|entr
waits for changes   | (tsc|vue-tsc|rollup|webpack|vitest)( .*)? (-w|watch)(?=\\s|$)|nodemon|jest-watch
serves              | (vite|vite (dev|serve|preview).*|vite -\\S.*|astro dev|ng serve|react-scripts start)$
serves              | (next|nuxt) (dev|start)|webpack-dev-server|webpack serve|storybook|http-server|live-server
serves              | start-server-and-test
serves              | uvicorn|gunicorn|hugo serve\\S*|jupyter (lab|notebook)|flask run|mkdocs serve|jekyll serve
serves              | (python3? )?manage\\.py runserver|rails s(erver)?$|php artisan serve
changes a database  | (php )?artisan (migrate|db:)\\S*|(bin/)?(rails|rake) db:\\S*
rewrites files      | (gofmt|gofumpt|goimports|clang-format)( .*)? (-w|-i)
rewrites snapshots  | .*\\s(--update-?snapshots?|--updateSnapshot|--snapshot-update|--inline-snapshot=\\S+)(?=\\s|$)
rewrites snapshots  | (jest|vitest)( .*)? (-u|--update)(?=\\s|$)
rewrites files      | pyupgrade|autoflake|docformatter|add-trailing-comma|autopep8|pre-commit autoupdate|ncu
changes the project | (npm|pnpm|yarn|bun) (init|create|login|adduser|token|link|update|upgrade|audit fix)
"""
_INSTALLS = (
    r"(pip3?|uv pip|pipx|conda|mamba|easy_install) (install|sync|download|uninstall|env)",
    r"(npm|pnpm|yarn|bun) (install|i|ci|add|uninstall|rebuild|dedupe|setup)",
    r"(yarn|corepack|husky|is-ci|patch-package|simple-git-hooks)( enable| prepare| install)?$",
    r"husky|lefthook install|pre-commit install",
    r"(uv|pdm|rye) (sync|lock|add|venv|tool install)|poetry (install|lock|add|config)|pipenv (install|sync)",
    r"(python3? -m )?(venv|virtualenv|ensurepip)|python3? -m pip .*",
    r"(bundle|composer|gem|cargo|go) (install|update|config|get)|go mod (download|tidy)|cargo binstall",
    r"dotnet (restore|tool)|rustup|nvm|pyenv|asdf|mise|playwright install|go generate|mvnw? .*install",
)
_TALK = frozenset("echo true false exit : printf sleep return cat pwd date".split())
_ALONG = frozenset(
    "[ [[ test set export unset cd pushd popd mkdir touch ls cp mv rm rimraf shx del-cli which type source . shift "
    "local readonly trap tee grep sed awk head tail sort uniq wc tr cut find xargs ulimit umask wait read".split()
)
_DAMAGES = tuple(
    (re.compile(rf"(?:{pattern.strip()})(?=\s|$)"), what.strip())
    for what, pattern in (row.split("|", 1) for row in _DAMAGE.strip().splitlines())
)
_INSTALLING = re.compile("|".join(f"(?:(?:{pattern})(?=\\s|$))" for pattern in _INSTALLS))


def damage(words: Sequence[str]) -> str | None:
    """Return what a plain command would do beyond checking (`publishes`); None if no pattern matches."""
    line = _line(words)
    return next((what for pattern, what in _DAMAGES if pattern.match(line)), None)


def installs(words: Sequence[str]) -> bool:
    """Return whether a plain command installs something, which is left to `tier1.setup`."""
    return bool(_INSTALLING.match(_line(words)) or _INSTALLING.match(" ".join((program(words[0]), *words[1:]))[:400]))


def checking(words: Sequence[str]) -> list[str]:
    """Return the check-only form of a command; the same words if it already leaves files unchanged."""
    known = known_tool_of(words)
    rewrite = _CHECKING.get(known.tool) if known else None
    if rewrite is None:
        return list(words)
    num = num_runner_words(words)
    return [*words[:num], *rewrite(list(words[num:]))]


def only_talks(words: Sequence[str]) -> bool:
    """Return whether a plain command only prints, waits or exits: `echo`, `true`, `exit 1`, `sleep`."""
    return started(words)[0] in _TALK


def is_trivial(words: Sequence[str]) -> bool:
    """Return whether a plain command is auxiliary: it sets variables, copies, filters or prints."""
    rest = started(words)
    return rest[0] in _TALK or rest[0] in _ALONG or (rest[0] == "coverage" and rest[1:2] != ["run"])


def _line(words: Sequence[str]) -> str:
    rest = started(words)
    return " ".join([rest[0].rpartition("/")[2] if rest else "", *rest[1:]])[:400]


Rewrite = Callable[[list[str]], list[str]]


def _without(*options: str) -> Rewrite:
    """Remove options."""

    def rewrite(words: list[str]) -> list[str]:
        return [word for word in words if word.partition("=")[0] not in options]

    return rewrite


def _with(option: str, *instead_of: str, fine: Sequence[str] = ()) -> Rewrite:
    """Insert an option after the program (and its subcommand), unless a check-only option is already there."""

    def rewrite(words: list[str]) -> list[str]:
        kept = _without(*instead_of)(words)
        if any(word.partition("=")[0] in (option, *fine) for word in kept):
            return kept
        at = 2 if len(kept) > 1 and kept[0] in ("ruff", "cargo", "deno", "dotnet", "mix", "php-cs-fixer") else 1
        return [*kept[:at], option, *kept[at:]]

    return rewrite


def _dprint(words: list[str]) -> list[str]:
    return ["check" if word == "fmt" else word for word in words]


_FIX = ("--fix", "--fix-only", "--unsafe-fixes", "--fix-dry-run", "-fix")
_CHECKING: dict[str, Rewrite] = {
    "ruff": _without(*_FIX),
    "eslint": _without(*_FIX),
    "oxlint": _without(*_FIX, "--fix-suggestions", "--fix-dangerously"),
    "stylelint": _without(*_FIX),
    "standard": _without(*_FIX),
    "markdownlint": _without(*_FIX, "-f"),
    "golangci-lint": _without(*_FIX),
    "clippy": _without(*_FIX, "--allow-dirty", "--allow-staged"),
    "sqlfluff": _without(*_FIX),
    "knip": _without(*_FIX),
    "biome": _without("--write", "--fix", "--apply", "--apply-unsafe", "--unsafe"),
    "biome-format": _without("--write", "--fix"),
    "rubocop": _without(
        "-a",
        "-A",
        "--auto-correct",
        "--autocorrect",
        "--autocorrect-all",
        "--auto-correct-all",
        "-x",
        *_FIX,
        "--fix-unsafely",
    ),
    "codespell": _without("--write-changes", "-w"),
    "ruff-format": _with("--check", fine=("--diff",)),
    "black": _with("--check", "-q", fine=("--diff",)),
    "isort": _with("--check-only", fine=("--check", "-c", "--diff")),
    "yapf": _with("--diff", "-i", "--in-place"),
    "prettier": _with("--check", "--write", "-w", fine=("-c", "--list-different", "-l")),
    "rustfmt": _with("--check"),
    "deno-fmt": _with("--check"),
    "dotnet-format": _with("--verify-no-changes"),
    "mix-format": _with("--check-formatted"),
    "php-cs-fixer": _with("--dry-run"),
    "pint": _with("--test", "--dry-run"),
    "psalm": _without("--alter"),
    "taplo": _with("--check"),
    "dprint": _dprint,
    "oxfmt": _with("--check"),
}
