"""Changes of pipeline files other than GitHub workflows: GitLab, CircleCI, Travis, Azure and the like.

Their formats differ; commands and tolerated failures are recognized by common key names.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from assay.validators.io.structured_files import Node
from assay.validators.risk.ci.workflow import kinds_in
from assay.validators.risk.ci.workflow_changes import SHRUGS, Remark

_COMMANDS = frozenset(
    "script before_script after_script run command commands bash sh pwsh powershell cmd install before_install "
    "steps".split()
)
_TOLERANT = frozenset("allow_failure allow_failures continueonerror continue_on_error soft_fail".split())
_YES = re.compile(r"true|yes|on", re.IGNORECASE)


def pipeline_remarks(base: Node, head: Node) -> Iterator[Remark]:
    """Yield the changes of one pipeline file; an empty node is a missing file."""
    before = Counter(text for text, _ in _commands(base))
    if not head.pairs:
        yield Remark("ci_reduced", "the pipeline is deleted")
        return
    for text, line in _commands(head):
        if before[text] > 0:
            before[text] -= 1
        elif kinds_in(text) and SHRUGS.search(text):
            yield Remark("ci_loosened", f"a check ignores failures: {_first(text)}", line)
        else:
            yield Remark("ci_edited", f"now runs {_first(text)}", line)
    for text, num in before.items():
        for kind in sorted(kinds_in(text)) if num else ():
            yield Remark("ci_reduced", f"no longer runs {_first(text)} ({kind})")
    yield from _failing_quietly(base, head)


def _failing_quietly(base: Node, head: Node) -> Iterator[Remark]:
    """Yield jobs that may fail now; a new job may, unless it replaces a removed one."""
    tolerated = Counter(name for name, _ in _tolerant(base))
    gone = {kind for job, node in base.pairs.items() if job not in head.pairs for kind in pipeline_kinds(node)}
    new = [node for job, node in head.pairs.items() if job not in base.pairs and not pipeline_kinds(node) & gone]
    new_lines = Counter(place for node in new for place in _tolerant(node))
    for name, line in _tolerant(head):
        if tolerated[name] > 0:
            tolerated[name] -= 1
        elif not new_lines[name, line]:
            yield Remark("ci_loosened", f"{name}: a failure no longer counts", line)


def pipeline_kinds(node: Node) -> set[str]:
    """Return the checks its commands run."""
    return {kind for text, _ in _commands(node) for kind in kinds_in(text)}


def _commands(node: Node) -> Iterator[tuple[str, int]]:
    """Yield (command, line) of everything below a key that holds commands."""
    for name, below in _entries(node):
        if name in _COMMANDS:
            yield from ((text, line) for text, line in _own_texts(below))


def _own_texts(node: Node) -> Iterator[tuple[str, int]]:
    if node.text:
        yield node.text, node.line
    for item in node.items:
        if item.text:
            yield item.text, item.line


def _tolerant(node: Node) -> Iterator[tuple[str, int]]:
    for name, below in _entries(node):
        if name.lower() in _TOLERANT and (below.pairs or below.items or _YES.fullmatch(below.text)):
            yield name, below.line


def _entries(node: Node) -> Iterator[tuple[str, Node]]:
    """Yield every (name, node below it), at any depth."""
    left = [node]
    while left:
        one = left.pop()
        yield from one.pairs.items()
        left.extend(reversed(one.items))
        left.extend(reversed(one.pairs.values()))


def _first(text: str) -> str:
    return text.strip().partition("\n")[0][:80]
