"""Selection of the scripts or targets that check a project, by their conventional names."""

from __future__ import annotations

from collections.abc import Collection

from assay.validators.report.model import ToolKind

_NAMES = {
    ToolKind.build: "build compile build:all build-all",
    ToolKind.lint: "lint lint:check lint-check lint_check check:lint check-lint linter lint:all lint:code lint:js "
    "lint:ts lint:eslint eslint lint-python lint-py ruff flake8 style vet clippy",
    ToolKind.formatting: "format:check format-check format_check check:format check-format check_format fmt:check "
    "fmt-check check-fmt prettier:check check:prettier lint:format lint:prettier formatting format fmt prettier",
    ToolKind.types: "typecheck type-check type_check typecheck:all check-types check_types check:types types:check "
    "type:check types-check ts:check check:ts tsc types typing mypy pyright lint:types "
    "lint:tsc test:types test-types",
    ToolKind.test: "test tests test:unit test-unit test_unit unit unit-test unit-tests unittest unittests test:ci "
    "test-ci ci:test check:test check-test pytest spec test:all",
}
_ALL_AT_ONCE = "check checks check:all verify validate qa ci"


def chosen_scripts(names: Collection[str]) -> list[tuple[str, ToolKind]]:
    """Return (name, kind) of the scripts that check the project: one for each kind, then those that check all."""
    chosen: list[tuple[str, ToolKind]] = []
    for kind, known in _NAMES.items():
        name = next((name for name in known.split() if name in names), None)
        if name is not None:
            chosen.append((name, kind))
    everything = next((name for name in _ALL_AT_ONCE.split() if name in names), None)
    return [*chosen, (everything, ToolKind.lint)] if everything else chosen


def kind_named(word: str) -> ToolKind | None:
    """Return the kind a name implies: `run-tests.sh`, `lint`, `typecheck`."""
    plain = word.lower().replace("_", "-")
    for kind, known in _NAMES.items():
        if plain in known.split():
            return kind
    if plain in _ALL_AT_ONCE.split():
        return ToolKind.lint
    for part, kind in (("test", ToolKind.test), ("lint", ToolKind.lint), ("typecheck", ToolKind.types)):
        if part in plain:
            return kind
    return None
