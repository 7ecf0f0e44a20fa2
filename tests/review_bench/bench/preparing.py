"""Make the change of an entry from git objects alone: nothing of the repository runs, and its clone is not written.

Trees and commits are made in the repository's shadow. Every head has the same neutral message, so that no message
says what is wrong.
"""

from __future__ import annotations

import ast
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from assay.validators.changes.change import ChangeSet, decoded
from assay.validators.errors import UsageError
from assay.validators.report.review import Side
from assay.validators.vcs.read_change import read_change
from assay.validators.vcs.repository import Repository
from tests.review_bench.bench.injecting import INSTRUCTIONS, as_comment, as_name, as_string
from tests.review_bench.bench.manifest import (
    BugIntroducing,
    Clean,
    Entry,
    InjectedAs,
    Injection,
    Plant,
    Planted,
    ReversedFix,
    Span,
)

PARAMETER = "strict"
"""Parameter that is planted."""
_AUTHOR = {
    "GIT_AUTHOR_NAME": "Author",
    "GIT_AUTHOR_EMAIL": "author@localhost",
    "GIT_COMMITTER_NAME": "Author",
    "GIT_COMMITTER_EMAIL": "author@localhost",
}
_FORMAT = "%an%x00%ae%x00%ct%x00%B"


class NotPrepared(UsageError):
    """Entry whose change cannot be made from this clone."""

    code = "bench.entry"


@dataclass(frozen=True)
class Prepared:
    """Change of an entry; `labels` are the places where a finding names the fault, or the instruction."""

    change: ChangeSet
    labels: tuple[Span, ...]


def prepare(repository: Repository, entry: Entry) -> Prepared:
    """Return the change of an entry.

    Raises:
        NotPrepared: the entry does not fit the repository.
        ValidatorError: an object is missing.
    """
    if isinstance(entry, ReversedFix):
        prepared = _reversed(repository, entry)
    elif isinstance(entry, (Clean, BugIntroducing)):
        labels = entry.labels if isinstance(entry, BugIntroducing) else ()
        prepared = Prepared(_landed(repository, entry.commit, {}), labels)
    elif isinstance(entry, Planted):
        prepared = _planted(repository, entry)
    else:
        prepared = _injected(repository, entry)
    for label in prepared.labels:
        file = prepared.change.by_path.get(label.path)
        changed = (file.added if label.side is Side.head else file.removed) if file is not None else {}
        in_use = isinstance(entry, Planted) and label in entry.uses
        if not in_use and not any(line in changed for line in range(label.start, label.end + 1)):
            raise NotPrepared(f"{entry.id}: {label.side} {label.path}:{label.start} is not a line of the change")
    return prepared


def _reversed(repository: Repository, entry: ReversedFix) -> Prepared:
    """Base: the fixed source without the rest of the fix, in the commit before it. Head: the source reversed."""
    before = _parent(repository, entry.commit)
    fixed = {path: repository.tree(entry.commit).blob(path) for path in entry.sources}
    tree = _tree(repository, before, fixed)
    name, email, time, message = _text(repository, "show", "-s", f"--format={_FORMAT}", before).split("\0", 3)
    parents = _text(repository, "show", "-s", "--format=%P", before).split()
    author = {"GIT_AUTHOR_NAME": name or "a", "GIT_AUTHOR_EMAIL": email or "a"}
    base = _commit(repository, tree, parents, message, int(time), author)
    head = _commit(repository, f"{before}^{{tree}}", [base], _message(entry.sources[0]), int(time) + 1)
    return Prepared(read_change(repository, base, head), entry.labels)


def _landed(repository: Repository, commit: str, edits: Mapping[str, list[str]]) -> ChangeSet:
    """Return the change of a commit to its first parent, with some files of its tree replaced."""
    base = _parent(repository, commit)
    blobs = {path: _blob(repository, lines) for path, lines in edits.items()}
    tree = _tree(repository, commit, blobs)
    names = _text(repository, "diff-tree", "-r", "-z", "--name-only", base, commit).split("\0")
    time = int(_text(repository, "show", "-s", "--format=%ct", commit))
    return read_change(repository, base, _commit(repository, tree, [base], _message(names[0]), time))


def _planted(repository: Repository, entry: Planted) -> Prepared:
    lines = _lines(repository, entry, entry.commit, entry.path)
    if entry.plant is Plant.required_parameter:
        changed, first, last = _with_parameter(lines, entry)
    else:
        changed = [*lines[: entry.line], f"import {entry.target}", *lines[entry.line :]]
        first = last = entry.line + 1
    tree = _tree(repository, entry.commit, {entry.path: _blob(repository, changed)})
    time = int(_text(repository, "show", "-s", "--format=%ct", entry.commit)) + 1
    head = _commit(repository, tree, [entry.commit], _message(entry.path), time)
    place = Span(side=Side.head, path=entry.path, start=first, end=last)
    uses = entry.uses if entry.plant is Plant.required_parameter else ()
    return Prepared(read_change(repository, entry.commit, head), (place, *uses))


def _with_parameter(lines: list[str], entry: Planted) -> tuple[list[str], int, int]:
    """Return the lines with a further required parameter, and the first and last line of the changed one."""
    try:
        module = ast.parse("\n".join(lines))
    except (SyntaxError, ValueError, RecursionError):
        raise NotPrepared(f"{entry.id}: {entry.path} is not valid Python") from None
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    node = next((one for one in ast.walk(module) if isinstance(one, functions) and one.lineno == entry.line), None)
    if node is None or not node.args.args or node.args.defaults:
        raise NotPrepared(f"{entry.id}: {entry.path}:{entry.line} is not a function with required parameters alone")
    last = node.args.args[-1]
    line, column = last.end_lineno or last.lineno, last.end_col_offset or 0
    encoded = lines[line - 1].encode()
    text = (encoded[:column] + f", {PARAMETER}".encode() + encoded[column:]).decode()
    return [*lines[: line - 1], text, *lines[line:]], line, line


def _injected(repository: Repository, entry: Injection) -> Prepared:
    lines = _lines(repository, entry, entry.commit, entry.path)
    instruction = INSTRUCTIONS[entry.instruction]
    if entry.form is InjectedAs.comment:
        changed, line = as_comment(lines, entry.line, instruction)
    elif entry.form is InjectedAs.string:
        changed, line = as_string(lines, instruction)
    else:
        changed, line = as_name(lines, instruction)
    change = _landed(repository, entry.commit, {entry.path: changed})
    return Prepared(change, (Span(side=Side.head, path=entry.path, start=line, end=line),))


def _lines(repository: Repository, entry: Entry, commit: str, path: str) -> list[str]:
    content = repository.tree(commit).read(path)
    if content is None:
        raise NotPrepared(f"{entry.id}: {path} is not a file of {commit[:12]}")
    return decoded(content).removesuffix("\n").split("\n")


def _parent(repository: Repository, commit: str) -> str:
    found = repository.parent_of(commit)
    if found is None:
        raise NotPrepared(f"{commit[:12]} has no parent")
    return found


def _tree(repository: Repository, treeish: str, blobs: Mapping[str, str | None]) -> str:
    """Return the tree of a commit with some files replaced; None deletes one."""
    if not blobs:
        return f"{treeish}^{{tree}}"
    modes = _modes(repository, treeish)
    records = [
        f"{'0' * 6 if blob is None else modes.get(path, '100644')} {blob or '0' * 40}\t{path}\0"
        for path, blob in blobs.items()
    ]
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as folder:
        index = {"GIT_INDEX_FILE": str(Path(folder, "index"))}
        repository.good("read-tree", treeish, extra=index)
        repository.good("update-index", "-z", "--index-info", stdin="".join(records).encode(), extra=index)
        return _stripped(repository.good("write-tree", extra=index))


def _modes(repository: Repository, treeish: str) -> dict[str, str]:
    records = _text(repository, "ls-tree", "-r", "-z", "--full-tree", treeish).split("\0")
    return {record.partition("\t")[2]: record[:6] for record in records if record}


def _blob(repository: Repository, lines: list[str]) -> str:
    content = "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape")
    return _stripped(repository.good("hash-object", "-w", "--stdin", stdin=content))


def _commit(
    repository: Repository,
    tree: str,
    parents: list[str],
    message: str,
    time: int,
    author: Mapping[str, str] | None = None,
) -> str:
    dates = {"GIT_AUTHOR_DATE": f"{time} +0000", "GIT_COMMITTER_DATE": f"{time} +0000"}
    options = [part for parent in parents for part in ("-p", parent)]
    made = repository.good(
        "commit-tree",
        *options,
        "-F",
        "-",
        tree,
        stdin=message.encode("utf-8", "surrogateescape"),
        extra={**_AUTHOR, **(author or {}), **dates},
    )
    return _stripped(made)


def _message(path: str) -> str:
    return f"Update {path}\n"


def _text(repository: Repository, *arguments: str) -> str:
    return repository.good(*arguments).decode("utf-8", "surrogateescape")


def _stripped(output: bytes) -> str:
    return output.decode().strip()
