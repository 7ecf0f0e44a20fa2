"""Hooks of .pre-commit-config.yaml, with the tool version each one pins."""

from __future__ import annotations

import re
from dataclasses import dataclass

from assay.validators.changes.change import SourceTree
from assay.validators.configuration.settings_files import text_of, yaml_of
from assay.validators.io.structured_files import Node

PRE_COMMIT_FILE = ".pre-commit-config.yaml"
_VERSION = re.compile(r"v?(\d+(?:\.\d+){1,3}(?:(?:a|b|rc|\.post|\.dev)\d+)?)")
_FROZEN = re.compile(r"#\s*frozen:\s*(\S+)")
# Mirrors whose tags are the tool's versions; tags of other repositories do not give the tool's version.
_SAME_VERSION = re.compile(
    r"(ruff-pre-commit|mirrors-mypy|psf/black|psf/black-pre-commit-mirror|pycqa/flake8|pycqa/isort|pycqa/bandit"
    r"|pycqa/pylint|codespell|basedpyright|pyright-python|mirrors-eslint|mirrors-prettier)(\.git)?/?$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Hook:
    """A hook; `version` is the tool's, or None where the hook's repository does not give it.

    `entry` is the command of a local hook that runs in the project's environment, `whole` if it takes no file names.
    """

    id: str
    line: int
    args: tuple[str, ...]
    version: str | None
    entry: str | None = None
    whole: bool = False


def hooks(tree: SourceTree) -> list[Hook]:
    """Return the hooks that run on a commit, in the file's order; manual stages are left out."""
    lines = text_of(tree, PRE_COMMIT_FILE).splitlines()
    found = []
    for repo in _items(yaml_of(tree, PRE_COMMIT_FILE), "repos"):
        version = None
        rev = repo.get("rev")
        address = repo.get("repo")
        if rev and address and _SAME_VERSION.search(address.text):
            frozen = _FROZEN.search(lines[rev.line - 1]) if rev.line <= len(lines) else None
            match = _VERSION.fullmatch(frozen[1] if frozen else rev.text)
            version = match[1] if match else None
        for hook in _items(repo, "hooks"):
            name, args, stages = hook.get("id"), hook.get("args"), hook.get("stages")
            if name and not (stages and stages.texts == ["manual"]):
                entry, files = hook.get("entry"), hook.get("pass_filenames")
                is_own = address is not None and address.text == "local" and _is_run_as_it_is(hook)
                own = entry.text if entry and is_own else None
                is_whole = files is not None and files.text.lower() == "false"
                found.append(Hook(name.text, name.line, tuple(args.texts) if args else (), version, own, is_whole))
    return found


def _is_run_as_it_is(hook: Node) -> bool:
    language = hook.get("language")
    return language is not None and language.text in ("system", "unsupported", "script", "unsupported_script")


def _items(node: Node, name: str) -> list[Node]:
    found = node.get(name)
    return found.items if found is not None else []
