"""Detection of commands that run only some of a project's tests: one package, one file, or by name."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import pairwise

from assay.validators.changes.language_table import suffixes
from assay.validators.tools.commands.command_kinds import known_tool_of
from assay.validators.tools.commands.command_line import words_of
from assay.validators.tools.runners import started
from assay.validators.tools.tool import Task

_GO = ("-run", "-skip", "--run", "--skip", "-bench", "-fuzz")
_PYTEST = ("-k", "-m", "--deselect", "--ignore", "--ignore-glob", "--lf", "--last-failed", "--markexpr", "--keyword")
_NODE = ("-t", "--testNamePattern", "--testPathPattern", "--testPathPatterns", "--project", "--shard", "--changed")
_CARGO = ("-p", "--package", "--test", "--lib", "--bin", "--bins", "--doc", "--example", "--examples", "--exclude")
_CARGO_VALUED = ("--features", "--target", "--profile", "--manifest-path", "-j", "--jobs", "--color", "-F")
_MAVEN = ("-pl", "--projects", "-Dtest", "-Dit.test", "-Dgroups", "-DskipTests", "-Dmaven.test.skip")
_PHPUNIT = ("--filter", "--group", "--testsuite", "--exclude-group")
_RSPEC = ("-e", "--example", "-t", "--tag")
_RSPEC_VALUED = frozenset(
    (
        "-r --require -I -f --format -o --out -O --options --seed --order -P --pattern --exclude-pattern "
        "--failure-exit-code -p --profile"
    ).split()
)
_PHPUNIT_VALUED = frozenset(
    (
        "-c --configuration --bootstrap --coverage-clover --coverage-cobertura --coverage-html "
        "--coverage-xml --coverage-php --coverage-text --log-junit --log-teamcity --order-by"
    ).split()
)
_BUN_VALUED = frozenset(
    (
        "--preload -r --require --timeout --coverage-dir --coverage-reporter --reporter "
        "--reporter-outfile --env-file --tsconfig-override -c --config --cwd --seed --bail"
    ).split()
)
_GRADLE = ("--tests", "-x", "--exclude-task")


def is_narrowed(task: Task) -> bool:
    """Return whether every test command in a task selects only some of the tests."""
    every = [words for line in task.does or (task.line,) if (words := words_of(line))]
    tests = [
        (known.tool, started(words)) for words in every if (known := known_tool_of(words)) and known.tool in _NARROWED
    ]
    return bool(tests) and all(_NARROWED[tool](words) for tool, words in tests)


def _has(words: Sequence[str], options: Sequence[str]) -> bool:
    return any(word.partition("=")[0] in options for word in words)


def _go(words: Sequence[str]) -> bool:
    if words[:2] != ["go", "test"]:  # gotestsum, whose packages are all, and which passes on what follows `--`
        given = words[words.index("--") + 1 :] if "--" in words else ()
        words = [*given, *([] if any(word[:1] != "-" for word in given) else ["./..."])]
    return _has(words, _GO) or not {"./...", "...", "all"} & set(words)


def _pytest(words: Sequence[str]) -> bool:
    paths = [word for word in words[1:] if not word.startswith("-")]
    return _has(words, _PYTEST) or any("::" in path or path.endswith(suffixes("python")) for path in paths)


def _node(words: Sequence[str]) -> bool:
    return _has(words, _NODE) or any(".test." in word or ".spec." in word for word in words[1:])


def _bun(words: Sequence[str]) -> bool:
    named = _named(words, _BUN_VALUED)
    return _has(words, _NODE) or any(
        "/" in word or word.endswith(suffixes("javascript", "typescript")) for word in named
    )


def _cargo(words: Sequence[str]) -> bool:
    mine = list(words[2 : words.index("--") if "--" in words else None])
    named = _named(("", *mine), _CARGO_VALUED)
    return _has(mine, _CARGO) or any(word and word[0] != "+" for word in named)


def _maven(words: Sequence[str]) -> bool:
    return _has(words, _MAVEN)


def _gradle(words: Sequence[str]) -> bool:
    return _has(words, _GRADLE) or any(":" in word.lstrip(":") for word in words[1:] if not word.startswith("-"))


def _phpunit(words: Sequence[str]) -> bool:
    named = _named(words, _PHPUNIT_VALUED)
    return _has(words, _PHPUNIT) or any("/" in word or word.endswith(suffixes("php")) for word in named)


def _rspec(words: Sequence[str]) -> bool:
    return _has(words, _RSPEC) or bool({*_named(words, _RSPEC_VALUED)} - {"spec", "spec/"})


def _named(words: Sequence[str], valued: Collection[str]) -> list[str]:
    """Return the words after the program that are neither options nor their values."""
    return [word for before, word in pairwise(words) if not word.startswith("-") and before not in valued]


_NARROWED: Mapping[str, Callable[[Sequence[str]], bool]] = {
    "go": _go,
    "pytest": _pytest,
    "jest": _node,
    "vitest": _node,
    "bun": _bun,
    "cargo": _cargo,
    "maven": _maven,
    "gradle": _gradle,
    "phpunit": _phpunit,
    "rspec": _rspec,
}
