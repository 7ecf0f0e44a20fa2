"""Table of known tools and of words: what a command, a line of a pipeline, or a check is for.

The first row whose pattern matches a plain command (without runners) gives the tool and its kind. In scripts and
pipelines every row counts, and words after a task runner (`make lint`); in names of checks only words.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from assay.validators.report.model import ToolKind
from assay.validators.tools.runners import started

_TABLES = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
_PRECEDENCE = (ToolKind.test, ToolKind.types, ToolKind.lint, ToolKind.formatting, ToolKind.sast, ToolKind.build)
_JOINED = re.compile(r"\b(pre|type|dependency)[- ](commit|check|review)")
_ENGLISH = frozenset(("standard", "black", "flow", "tap", "ava", "twisted"))
"""Tools that count only where they begin a command: their names are common words."""
_TASKS = "make|just|task|hatch|rake|bazel|bazelisk|npm|pnpm|yarn|bun|composer|invoke|poe|mage|gradlew?|mvnw?"
_RUNS_TASK = re.compile(rf"(?:^|[\s/])((?:{_TASKS}) .*|(?:tox|nox|pre-commit)(?: .*)?$)|^[\s-]*uses: *([^@]*)")
_FOLDERS = re.compile(r" -C \S+|--prefix \S+")
_RUNS_CHECK = re.compile(rf"(?:^|[\s/])(?:{_TASKS}) (?:.* )?check(?= |$)")
"""`make check`, which by convention runs the tests."""
_COMMANDS = re.compile(r"&&|\|\||[;|\n]")
_QUOTES = re.compile(r"[\"'`()]")
_LEFT_OUT = re.compile(r"\\\n|(?:^|\s)#.*$", re.MULTILINE)
_EXPRESSION = re.compile(r"\$\{\{.{0,500}?\}\}", re.DOTALL)
_BEGINS = re.compile(r"[\s@-]*(?:\"?[\w.-]{1,40}\"?\s*[:=]\s+)?(?:(?:sudo|if|then|do|else|!) +)*(?:\w+=\S*\s+)*")
_RUNS_NO_CHECK = re.compile(
    r"(?:python[\d.]*\s+-m\s+)?"
    r"(?:(?:pip[\d.]*|pipx|uv|poetry|pdm|conda|mamba|npm|pnpm|yarn|bun|apt|apt-get|apk|brew|yum|dnf|choco|gem|cargo|go"
    r"|composer|dotnet|rustup|bundle)\s+(?:-\S+\s+|pip\s+|tool\s+|component\s+|global\s+)*"
    r"(?:install|i|ci|add|sync|get|inject|download|require|restore|fetch)(?=\s|$)"
    r"|(?:echo|printf|export|mkdir|cd|cat|ls|cp|mv|rm|touch)\s|(?:\S+ ){0,4}playwright install)"
)
"""Commands that name a tool without running it: they install it, or print its name."""
_NO_COMMAND = re.compile(
    r"[\s-]*(?:name|key|path|components):|[\s-]*uses:\s*(?:actions/|github/codeql-action/(?!analyze))"
)
MOST_CHARACTERS = 20_000
MOST_OF_A_COMMAND = 400

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
    line = " ".join(words)[:MOST_OF_A_COMMAND]
    for pattern, known in _rows():
        if pattern.match(line):
            return KnownTool("tsc-build", ToolKind.build) if known.tool == "tsc" and _emits(words) else known
    return None


def _emits(words: Sequence[str]) -> bool:
    """Return whether a TypeScript compiler writes its output; type checkers do not."""
    return words[0] in ("tsc", "tsgo") and not {"--noEmit", "--noEmit=true"} & set(words)


@cache
def _rows() -> list[tuple[re.Pattern[str], KnownTool]]:
    return [(re.compile(rf"(?:{pattern})(?=\s|$)"), known) for pattern, known in _written()]


def _written() -> Iterator[tuple[str, KnownTool]]:
    for line in _TABLES["tools"].strip().splitlines():
        kind, tool, pattern = line.split(None, 2)
        yield pattern.replace("{monorepo}", _MONOREPO).replace("{go_run}", _GO_RUN), KnownTool(tool, ToolKind(kind))


def kind_in_name(name: str) -> ToolKind | None:
    """Return the first kind that shares a word with a name, such as that of a check; None where none does."""
    words, by_kind, more = _words_in(name), _words("words"), _words("words_of_names")
    every = frozenset[str]()
    return next((kind for kind in _PRECEDENCE if words & (by_kind.get(kind, every) | more.get(kind, every))), None)


def kinds_run(script: str, *, by_words: bool = False) -> frozenset[ToolKind]:
    """Return the kinds of checks that a script, or a line of a pipeline, runs; a build is none.

    Known tools count wherever they stand in a command, other words only after a task runner; with `by_words` in every
    command (`./scripts/run_tests.sh`). A command that only `check`s counts as a linter.
    """
    found: set[ToolKind] = set()
    for command in _COMMANDS.split(_EXPRESSION.sub("x", _LEFT_OUT.sub(" ", script[:MOST_CHARACTERS]))):
        begins = _BEGINS.match(command)
        start = begins.end() if begins else 0
        if not command.strip() or _NO_COMMAND.match(command) or _RUNS_NO_CHECK.match(command, start):
            continue
        for piece in filter(str.strip, _QUOTES.split(command)):
            found.update(_kinds_in(" ".join(piece[:MOST_OF_A_COMMAND].split()), by_words=by_words))
    return frozenset(found - {ToolKind.build})


def _kinds_in(line: str, *, by_words: bool) -> Iterator[ToolKind]:
    yield from (kind for kind, pattern in _anywhere() if pattern.search(line))
    begins = _BEGINS.match(line)
    if known := known_tool_of(line[begins.end() if begins else 0 :].split()):
        yield known.kind
    task = _RUNS_TASK.search(line)
    named = line if by_words else _FOLDERS.sub(" ", task[1] or task[2]) if task else ""
    words = _words_in(" ".join(word for word in named.split() if not word.startswith("-")))
    shared = {kind for kind, known in _words("words").items() if known & words}
    # An action named after tests shows their results.
    yield from shared - {ToolKind.test} if task and task[2] else shared
    if "check" in words and not (task and task[2]):
        yield ToolKind.lint
    if _RUNS_CHECK.search(line):
        yield ToolKind.test


def _words_in(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[a-z0-9]+", _JOINED.sub(r"\1\2", text.lower())))


@cache
def _words(table: str) -> dict[ToolKind, frozenset[str]]:
    """Return the words of each kind; those of commands with the programs that the table names by one word."""
    words: dict[ToolKind, set[str]] = {}
    for line in _TABLES[table].strip().splitlines():
        kind, known = line.split(None, 1)
        words.setdefault(ToolKind(kind), set()).update(known.split())
    for pattern, tool in _written() if table == "words" else ():
        programs = re.fullmatch(r"\(?([\w.|\\-]+)\)?", pattern)
        if programs and tool.kind in words and (tool.tool not in _ENGLISH or tool.tool == "black"):
            words[tool.kind].update(one for one in programs[1].split("|") if re.fullmatch(r"[a-z0-9]{3,}", one))
    return {kind: frozenset(known) for kind, known in words.items()}


@cache
def _anywhere() -> list[tuple[ToolKind, re.Pattern[str]]]:
    """Return each kind of check with a pattern that finds its tools behind any words."""
    # The rows of monorepos count where they begin a command: they take too long anywhere else.
    rows = [(pattern, one.kind) for pattern, one in _written() if one.tool not in _ENGLISH and "every-" not in one.tool]
    found = []
    for kind in _words("words"):
        tools = "|".join(pattern for pattern, of in rows if of is kind)
        found.append((kind, re.compile(rf"(?:^|(?<=[\s@/]))(?:{tools})(?:\.(?:phar|bat|cmd))?(?=\s|$)")))
    return found
