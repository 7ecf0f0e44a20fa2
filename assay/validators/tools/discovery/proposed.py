"""Commands of runners that discovery does not read, which `assay init` writes down: just, Task and nox, by name."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator

from assay.validators.changes.change import SourceTree
from assay.validators.configuration.settings_files import text_of
from assay.validators.report.model import ToolKind
from assay.validators.tools.discovery.project_files.named_scripts import chosen_scripts
from assay.validators.tools.tool import Task

_RUNNERS = (
    (r"\.?[Jj]ustfile", re.compile(r"^@?([A-Za-z_][\w-]{0,80})[^:=\n]{0,200}:(?!=)", re.MULTILINE), "just {}"),
    (r"[Tt]askfile(\.dist)?\.ya?ml", re.compile(r"^ {2}([A-Za-z_][\w:-]{0,80}): *$", re.MULTILINE), "task {}"),
    (r"noxfile\.py", re.compile(r"^def (\w{1,80})\(", re.MULTILINE), "nox -s {}"),
)
"""File, the names in it, and the command that runs one."""


def proposed(tree: SourceTree, kinds: Collection[ToolKind]) -> Iterator[Task]:
    """Yield a command for each of the usual names, except of these kinds, which other commands have."""
    for file, names, line in _RUNNERS:
        path = next((path for path in tree.paths if re.fullmatch(file, path)), None)
        for name, kind in chosen_scripts(names.findall(text_of(tree, path))) if path is not None else ():
            if kind not in kinds:
                yield Task(name, kind, line.format(name), path or "")
