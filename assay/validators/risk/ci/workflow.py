"""GitHub workflow or composite action: commands, triggers and rights."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from assay.validators.io.structured_files import Node
from assay.validators.report.model import ToolKind
from assay.validators.tools.commands.command_kinds import kinds_run

_KINDS = {
    ToolKind.test: "tests",
    ToolKind.lint: "linters",
    ToolKind.formatting: "linters",
    ToolKind.types: "type checks",
    ToolKind.sast: "security checks",
}
_SECRET = re.compile(r"secrets\.([A-Za-z_][A-Za-z0-9_]*)|secrets\[\s*'([^']+)'\s*\]")
_COMMENT = re.compile(r"^\s*#.*$", re.MULTILINE)


@dataclass(frozen=True)
class Step:
    """One step: a command or an action. `ident` distinguishes it within its job if it has no id."""

    job: str
    node: Node

    @property
    def run(self) -> str:
        return _COMMENT.sub("", self.node.at("run").text).strip()

    @property
    def uses(self) -> str:
        return self.node.at("uses").text.strip()

    @property
    def name(self) -> str:
        node = self.node.get("name") or self.node.get("id")
        return node.text if node else (self.uses or self.run.partition("\n")[0])[:60]

    @cached_property
    def kinds(self) -> frozenset[str]:
        """Kinds of checks it runs: tests, linters, type checks, security checks."""
        return kinds_in(f"{self.run}\n{self.uses.partition('@')[0]}")


@dataclass(frozen=True)
class Job:
    """One job with its rights; `rights` is None if neither it nor its workflow sets them."""

    name: str
    node: Node
    rights: Mapping[str, str] | None

    @cached_property
    def steps(self) -> list[Step]:
        own = [Step(self.name, step) for step in _single(self.node.at("steps").items)]
        # A job may call another workflow.
        return [*own, Step(self.name, self.node)] if self.node.get("uses") else own

    @cached_property
    def kinds(self) -> frozenset[str]:
        return frozenset().union(*(step.kinds for step in self.steps))


@dataclass(frozen=True)
class Workflow:
    """One file. A composite action is a workflow with the single job `runs` and no trigger."""

    path: str
    node: Node

    @cached_property
    def triggers(self) -> dict[str, Node]:
        """Event -> its filters."""
        on = self.node.at("on")
        return on.pairs or {name: Node(on.line) for name in on.texts}

    @cached_property
    def jobs(self) -> dict[str, Job]:
        jobs = self.node.get("jobs")
        common = self.node.get("permissions")
        if jobs is None:
            runs = self.node.get("runs")
            return {"runs": Job("runs", runs, None)} if runs else {}
        return {name: Job(name, node, _rights(node.get("permissions") or common)) for name, node in jobs.pairs.items()}

    @property
    def steps(self) -> Iterator[Step]:
        for job in self.jobs.values():
            yield from job.steps

    @cached_property
    def kinds(self) -> frozenset[str]:
        return frozenset().union(*(job.kinds for job in self.jobs.values()))

    @property
    def validates_changes(self) -> bool:
        """Whether it runs for changes: not only manually, on a schedule, or for a release."""
        for event in ("pull_request", "pull_request_target", "merge_group", "workflow_call"):
            if event in self.triggers:
                return True
        push = self.triggers.get("push")
        return push is not None and not (push.get("tags") is not None and push.get("branches") is None)


def _single(steps: list[Node]) -> Iterator[Node]:
    """Yield single steps, including those of a group (`parallel:`)."""
    for step in steps:
        grouped = [] if step.get("run") or step.get("uses") else [node for node in step.pairs.values() if node.items]
        if grouped:
            for group in grouped:
                yield from _single(group.items)
        else:
            yield step


def kinds_in(text: str) -> frozenset[str]:
    """Return the checks a command line runs."""
    return frozenset(_KINDS[kind] for kind in kinds_run(text, by_words=True))


def secrets_in(node: Node) -> set[str]:
    """Return the names of secrets used below a node, except GITHUB_TOKEN, which every job has."""
    found = {one or other for text, _ in leaves(node) for one, other in _SECRET.findall(text)}
    return found - {"GITHUB_TOKEN"}


def leaves(node: Node) -> Iterator[tuple[str, int]]:
    """Yield (text, line) of every scalar below a node."""
    for _, text, line in settings(node):
        yield text, line


def settings(node: Node) -> Iterator[tuple[str, str, int]]:
    """Yield (its key, "" in a plain list; text, line) of every scalar below a node."""
    left = [("", node)]
    while left:
        name, one = left.pop()
        if isinstance(one.value, str):
            yield name, one.value, one.line
        left.extend((name, item) for item in reversed(one.items))
        left.extend(reversed(one.pairs.items()))


def _rights(node: Node | None) -> Mapping[str, str] | None:
    """Return scope -> read or write; scope `*` for read-all and write-all; None if nothing is set."""
    if node is None:
        return None
    if node.text in {"read-all", "write-all"}:
        return {"*": node.text.partition("-")[0]}
    return {scope: level.text for scope, level in node.pairs.items()}
