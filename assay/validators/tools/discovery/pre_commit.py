"""pre-commit: its hooks name the tools a project uses, and pin their versions.

The hooks themselves do not run (pre-commit would clone them, and many rewrite files). The known tools among them run
over the whole tree in a check-only mode.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from assay.validators.changes.change import SourceTree
from assay.validators.report.model import ToolKind
from assay.validators.tools.commands.command_kinds import known_tool_of
from assay.validators.tools.commands.command_line import joined, words_of
from assay.validators.tools.discovery.project_files.pre_commit_hooks import PRE_COMMIT_FILE, Hook, hooks
from assay.validators.tools.discovery.project_files.python_parts.tools import ruff_line
from assay.validators.tools.runners import started
from assay.validators.tools.tool import Ecosystem, Task

_LINES = {
    "ruff": ("ruff check", ToolKind.lint),
    "ruff-check": ("ruff check", ToolKind.lint),
    "ruff-format": ("ruff format --check", ToolKind.formatting),
    "black": ("black --check .", ToolKind.formatting),
    "black-jupyter": ("black --check .", ToolKind.formatting),
    "isort": ("isort --check-only .", ToolKind.formatting),
    "flake8": ("flake8", ToolKind.lint),
    "codespell": ("codespell", ToolKind.lint),
    "eslint": ("eslint .", ToolKind.lint),
}
# These read their file lists from the settings file; the hook's own list is unavailable without one.
_NEEDS_SETTINGS = {"codespell": (".codespellrc", "pyproject.toml", "setup.cfg")}


class PreCommit(Ecosystem):
    """.pre-commit-config.yaml."""

    name = "pre_commit"

    def tasks(self, tree: SourceTree) -> Iterable[Task]:
        """Return a command for each hook whose tool is known."""
        for hook in hooks(tree) if PRE_COMMIT_FILE in tree else []:
            own = _own_line(hook)
            found = own or _LINES.get(hook.id)
            settings = _NEEDS_SETTINGS.get(hook.id)
            if found and (own or settings is None or any(name in tree for name in settings)):
                line, kind = found
                plain = ruff_line(tree) if line == "ruff check" else line
                # Arguments of a hook's own command can be a subcommand.
                args = () if hook.entry else hook.args
                whole = " ".join((plain, *(joined([word]) for word in args)))
                yield Task(hook.id, kind, whole, f"{PRE_COMMIT_FILE}:{hook.line} {hook.id}", inferred=True)

    def unfold(self, tree: SourceTree, words: Sequence[str]) -> Sequence[str] | None:
        """Expand `pre-commit run` to the commands of its hooks."""
        rest = started(words)
        if rest[:1] not in (["pre-commit"], ["pre_commit"], ["prek"]) or rest[1:2] != ["run"]:
            return None
        return [task.line for task in self.tasks(tree)]


def _own_line(hook: Hook) -> tuple[str, ToolKind] | None:
    """Return the command of a hook that runs a known tool over the whole tree by its own command."""
    entry = words_of(hook.entry) if hook.entry and hook.whole else []
    words = [*entry, *hook.args] if entry else []
    known = known_tool_of(words) if words else None
    return (joined(words), known.kind) if known and known.kind is not ToolKind.test else None


pre_commit = PreCommit()
