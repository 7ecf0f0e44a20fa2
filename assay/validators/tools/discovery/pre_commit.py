"""pre-commit: hooks name the tools a project uses, and pin their versions.

The hooks themselves do not run (pre-commit would clone them, and many rewrite files). The known tools among them run
over the whole tree in a check-only mode.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from assay.validators.changes.change import SourceTree
from assay.validators.configuration.settings_files import text_of, yaml_of
from assay.validators.io.structured_files import Node
from assay.validators.report.model import ToolKind
from assay.validators.tools.commands.command_line import joined
from assay.validators.tools.discovery.project_files.python_parts.tools import ruff_line
from assay.validators.tools.runners import started
from assay.validators.tools.tool import Ecosystem, Task

FILE = ".pre-commit-config.yaml"
_LINES = {
    "ruff": ("ruff check", ToolKind.lint),
    "ruff-check": ("ruff check", ToolKind.lint),
    "ruff-format": ("ruff format --check", ToolKind.formatting),
    "black": ("black --check .", ToolKind.formatting),
    "isort": ("isort --check-only .", ToolKind.formatting),
    "flake8": ("flake8", ToolKind.lint),
    "codespell": ("codespell", ToolKind.lint),
    "eslint": ("eslint .", ToolKind.lint),
}
# These read their file lists from the settings file; the hook's own list is unavailable without one.
_NEEDS_SETTINGS = {"codespell": (".codespellrc", "pyproject.toml", "setup.cfg")}
_VERSION = re.compile(r"v?(\d+(?:\.\d+){1,3}(?:(?:a|b|rc|\.post|\.dev)\d+)?)")
_FROZEN = re.compile(r"#\s*frozen:\s*(\S+)")
_SAME_VERSION = re.compile(
    r"(ruff-pre-commit|mirrors-mypy|black|flake8|isort|codespell|mirrors-eslint)(\.git)?/?$", re.IGNORECASE
)
"""Repositories whose tags are the tool's versions."""


class PreCommit(Ecosystem):
    """.pre-commit-config.yaml."""

    name = "pre_commit"

    def tasks(self, tree: SourceTree) -> Iterable[Task]:
        """Return a command for each hook whose tool is known."""
        for hook, _ in _hooks(tree):
            name, args = hook.get("id"), hook.get("args")
            settings = _NEEDS_SETTINGS.get(name.text) if name is not None else None
            if (
                name is None
                or name.text not in _LINES
                or not (settings is None or any(one in tree for one in settings))
            ):
                continue
            line, kind = _LINES[name.text]
            plain = ruff_line(tree) if line == "ruff check" else line
            whole = " ".join((plain, *(joined([word]) for word in (args.texts if args is not None else ()))))
            yield Task(name.text, kind, whole, f"{FILE}:{name.line} {name.text}", inferred=True)

    def unfold(self, tree: SourceTree, words: Sequence[str]) -> Sequence[str] | None:
        """Expand `pre-commit run` to the commands of its hooks."""
        rest = started(words)
        if rest[:1] not in (["pre-commit"], ["pre_commit"], ["prek"]) or rest[1:2] != ["run"]:
            return None
        return [task.line for task in self.tasks(tree)]


def pinned_versions(tree: SourceTree) -> dict[str, str]:
    """Return the version of each tool that a hook pins, by the hook's id."""
    return {name.text: version for hook, version in _hooks(tree) if version and (name := hook.get("id"))}


def _hooks(tree: SourceTree) -> Iterator[tuple[Node, str | None]]:
    """Yield the hooks that run on a commit, each with its tool's version; manual stages are left out."""
    lines = text_of(tree, FILE).splitlines()
    for repo in _items(yaml_of(tree, FILE), "repos"):
        rev, address, version = repo.get("rev"), repo.get("repo"), None
        if rev and address and _SAME_VERSION.search(address.text):
            frozen = _FROZEN.search(lines[rev.line - 1]) if rev.line <= len(lines) else None
            match = _VERSION.fullmatch(frozen[1] if frozen else rev.text)
            version = match[1] if match else None
        for hook in _items(repo, "hooks"):
            stages = hook.get("stages")
            if not (stages and stages.texts == ["manual"]):
                yield hook, version


def _items(node: Node, name: str) -> list[Node]:
    found = node.get(name)
    return found.items if found is not None else []


pre_commit = PreCommit()
