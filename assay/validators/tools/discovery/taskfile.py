"""Task (taskfile.dev): tasks that check the project, and their commands."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from assay.validators.changes.change import SourceTree
from assay.validators.configuration.settings_files import yaml_of
from assay.validators.io.structured_files import Node
from assay.validators.tools.discovery.project_files.named_scripts import chosen_scripts
from assay.validators.tools.runners import started
from assay.validators.tools.tool import Ecosystem, Task

_FILES = ("Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "taskfile.yaml", "Taskfile.dist.yml", "Taskfile.dist.yaml")
MOST_DEPTH = 6


class Taskfile(Ecosystem):
    """The Taskfile at the top."""

    name = "taskfile"

    def tasks(self, tree: SourceTree) -> Iterable[Task]:
        """Return `task test`, `task lint`, … for the tasks that exist."""
        file, known = _taskfile(tree)
        for name, kind in chosen_scripts(known):
            yield Task(name, kind, f"task {name}", f"{file}:{known[name].line} {name}")

    def unfold(self, tree: SourceTree, words: Sequence[str]) -> Sequence[str] | None:
        """Return the commands of the named tasks and of their dependencies."""
        rest = started(words)
        _, known = _taskfile(tree)
        if not known or rest[:1] not in (["task"], ["go-task"]):
            return None
        lines: list[str] = []
        for name in [word for word in rest[1:] if word in known] or ["default"]:
            _collect(known, name, lines, set(), 0)
        return lines


def _taskfile(tree: SourceTree) -> tuple[str, Mapping[str, Node]]:
    file = next((name for name in _FILES if name in tree), "")
    tasks = yaml_of(tree, file).get("tasks")
    return file, tasks.pairs if tasks is not None else {}


def _collect(known: Mapping[str, Node], name: str, lines: list[str], seen: set[str], depth: int) -> None:
    task = known.get(name)
    if task is None or name in seen or depth > MOST_DEPTH:
        return
    seen.add(name)
    for needed in _items(task.get("deps")):
        _collect(known, _named(needed), lines, seen, depth + 1)
    for command in [task] if task.text else _items(task.get("cmds")) + _items(task.get("cmd")) or task.items:
        if command.get("task") is not None:
            _collect(known, _named(command), lines, seen, depth + 1)
        else:
            within = command.get("cmd")
            lines.append(within.text if within is not None else command.text)


def _items(node: Node | None) -> list[Node]:
    if node is None:
        return []
    return node.items or ([node] if node.text else [])


def _named(node: Node) -> str:
    within = node.get("task")
    return within.text if within is not None else node.text


taskfile = Taskfile()
