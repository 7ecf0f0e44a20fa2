"""The base of a change for which the caller named none: the one CI states, else the default branch, else an error.

A wrong guess would leave commits unvalidated behind a green report. So a base is used only where it is recorded, stated
by CI, or the single possible one, and its reason goes into the report.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assay.validators.changes.change import shown
from assay.validators.errors import NoBase
from assay.validators.vcs.repository import Repository

ORIGIN = "refs/remotes/origin/"
RECORDED = "the default branch"
"""Why a branch is the base that the clone records as the default one."""
USUAL = ("main", "master", "develop", "trunk")
"""Usual names of default branches."""

_EVENT = "GITHUB_EVENT_PATH"
_BASES = (
    ("GITHUB_BASE_REF", ORIGIN),
    (f"{_EVENT} pull_request base sha", ""),
    (f"{_EVENT} merge_group base_sha", ""),
    ("CI_MERGE_REQUEST_TARGET_BRANCH_SHA", ""),
    ("CI_MERGE_REQUEST_DIFF_BASE_SHA", ""),
    ("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", ORIGIN),
)
"""Where CI states the base of a pull or merge request: a variable, with keys of the JSON file it names; a prefix."""
_DEFAULTS = ((f"{_EVENT} repository default_branch", ORIGIN), ("CI_DEFAULT_BRANCH", ORIGIN))


def default_base(repository: Repository, head: str, head_name: str, is_worktree: bool) -> tuple[str, str | None, str]:
    """Return the base of the commit `head`: its name, its commit (None before a first commit), and why it is that one.

    Raises `NoBase` where none is known.
    """
    stated = list(_stated(repository, _BASES))
    known = stated or [default_branch(repository) or _only_possible(repository, head, repository.branch_of(head_name))]
    there = [one for one in known if _exists(repository, one[0])]
    if not there:
        raise NoBase(f"{_short(known[0][0])}, {known[0][1]}, is not in this clone")
    ref, why = there[0]
    commit = repository.resolve(ref)
    if repository.merge_base(commit, head) != head:
        return _short(ref), commit, why
    why = f"{shown(head_name)} is part of {_short(ref)}, {why}"
    if is_worktree:
        return "HEAD", head, why
    fetched = repository.ask("config", "--get-all", "remote.origin.fetch").stdout
    is_one_branch = fetched and b"*" not in fetched and _name(ref) not in USUAL
    # A clone of one branch records it as the default branch if the origin happens to have it checked out.
    if stated or (is_one_branch and there[0][1] == RECORDED):
        raise NoBase(why)
    parent = repository.parent_of(head)
    return "the commit before" if parent else "nothing (a first commit)", parent, why


def default_branch(repository: Repository) -> tuple[str, str] | None:
    """Return the default branch and how it is known: recorded by the clone, stated by CI, or the only one; else None.

    The HEAD of a bare repository is that branch: no other one is checked out there.
    """
    refs = _refs(repository)
    recorded = [target for ref, target in refs.items() if ref.endswith("/HEAD") and target]
    bare = repository.ask("symbolic-ref", "--quiet", "HEAD").stdout.decode("utf-8", "surrogateescape").strip()
    for target in (refs.get(f"{ORIGIN}HEAD"), bare if repository.is_bare else None, *recorded[: len(recorded) == 1]):
        if target in refs:
            return target, RECORDED
    for ref, why in _stated(repository, _DEFAULTS):
        return ref, f"the default branch {why}"
    was_fetched = _has_remote(refs) or (repository.git_dir / "FETCH_HEAD").exists()
    return (next(iter(refs)), "the only branch") if len(refs) == 1 and not was_fetched else None


def is_on_default_branch(repository: Repository, head: str, branch: str | None) -> bool:
    """Return whether a commit is part of the default branch, or `branch` is that branch."""
    found = default_branch(repository)
    if found is None or not _exists(repository, found[0]):
        return False
    is_part = repository.ask("merge-base", "--is-ancestor", head, found[0]).returncode == 0
    return is_part or branch == _name(found[0])


def _only_possible(repository: Repository, head: str, branch: str | None) -> tuple[str, str]:
    """Return the branch with a usual name that the head left; raise `NoBase` unless there is one.

    The head must have left no other branch later: that one may be the default branch. Nor may it be on the branch,
    except in a repository without a remote: a clone of one branch has no other.
    """
    refs, left = _refs(repository), _refs(repository, f"--no-contains={head}")
    usual = {_name(ref): ref for ref, target in refs.items() if _name(ref) in USUAL and not target}
    if len(usual) == 1:
        name, ref = usual.popitem()
        is_on_it = name == branch or ref not in left
        others = [f"^{one}" for one in left if _name(one) != branch]
        # As many commits of the head are on no other branch as are not on this one.
        counts = {repository.ask("rev-list", "--count", head, f"^{ref}", *more).stdout for more in ((), others)}
        if len(counts) == 1 and not (is_on_it and _has_remote(refs)):
            return ref, "the only branch with a usual name"
    raise NoBase("no default branch is recorded here (`git remote set-head origin --auto` records it)")


def _exists(repository: Repository, ref: str) -> bool:
    return repository.ask("rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}").returncode == 0


def _refs(repository: Repository, *options: str) -> dict[str, str]:
    """Return the branches, those of remotes last, each with the one that it stands for, or ""."""
    form = ("--format=%(refname)%00%(symref)", *options)
    out = repository.ask("for-each-ref", *form, "refs/heads", "refs/remotes").stdout
    return dict(line.split("\0") for line in out.decode("utf-8", "surrogateescape").splitlines())


def _has_remote(refs: dict[str, str]) -> bool:
    return any(ref.startswith("refs/remotes/") for ref in refs)


def _name(ref: str) -> str:
    return _short(ref).partition("/")[2] if ref.startswith("refs/remotes/") else _short(ref)


def _stated(repository: Repository, sources: tuple[tuple[str, str], ...]) -> Iterator[tuple[str, str]]:
    """Yield what CI states, with its source; nothing for a repository outside the job's folder: that is another one."""
    folder = os.environ.get("GITHUB_WORKSPACE") or os.environ.get("CI_PROJECT_DIR")
    if folder and not repository.root.is_relative_to(Path(folder).resolve()):
        return
    for source, prefix in sources:
        variable, *keys = source.split()
        if value := _value_in(os.environ.get(variable, ""), keys):
            yield prefix + value, f"by {variable}"


def _value_in(value: str, keys: list[str]) -> str:
    """Return the value itself without keys, else the text under them in the JSON file it names, or ""."""
    try:
        found: Any = json.loads(Path(value).read_bytes()) if keys else value
        for key in keys:
            found = found[key]
    except (OSError, ValueError, LookupError, TypeError):
        return ""
    return found if isinstance(found, str) else ""


def _short(ref: str) -> str:
    return shown(ref.removeprefix("refs/remotes/").removeprefix("refs/heads/"))
