"""The files that `assay init` writes, and their removal.

The first line of each names a digest of the rest, so that `--undo` deletes only what was not edited since.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Sequence
from configparser import ConfigParser
from configparser import Error as ConfigParserError
from dataclasses import dataclass
from enum import StrEnum
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from urllib.parse import unquote, urlsplit

from assay import __version__
from assay.validators import Repository, UsageError, ValidatorError, shown

WORKFLOW = ".github/workflows/assay.yml"
REPORT_WORKFLOW = ".github/workflows/assay-report.yml"
DISTRIBUTION = "assay-review"
_MARK = "# Written by `assay init` ({digest}); `assay init --undo` removes it while it is unchanged."
_RIGHTS = "contents: read, checks: write, pull-requests: write, actions: read"
_MARKED = re.compile(r"# Written by `assay init` \(([0-9a-f]{12})\);[^\n]*\n")
_USES = re.compile(r"(?P<repository>[\w.-]{1,39}/[\w.-]{1,100})@(?P<ref>[\w./-]{1,200})")
_COMMIT = re.compile(r"[0-9a-f]{40}")


class Written(StrEnum):
    """What happened to a file."""

    written = "written"
    kept = "kept, it was there before"
    removed = "removed"
    edited = "left, it was edited since"
    absent = "not there"


@dataclass(frozen=True, slots=True)
class AssaySource:
    """Repository of Assay (`owner/name`) and the commit, tag or branch that workflows use."""

    repository: str
    ref: str

    @property
    def is_commit(self) -> bool:
        """Whether the reference cannot move."""
        return _COMMIT.fullmatch(self.ref) is not None


def source_of(given: str | None) -> AssaySource:
    """Return the repository and the revision of Assay: as given, else as this Assay was installed.

    Raises:
        UsageError: `given` is malformed, or this Assay was not installed from a repository.
    """
    if given is not None:
        match = _USES.fullmatch(given)
        if match is None:
            raise UsageError(f"--uses: {shown(given)} is not OWNER/REPOSITORY@COMMIT")
        return AssaySource(match["repository"], match["ref"])
    found = _installed_from()
    if found is None:
        raise UsageError(
            "which repository this Assay comes from is unknown; name it and the commit to use: "
            "--uses OWNER/REPOSITORY@COMMIT"
        )
    return found


def workflows(source: AssaySource) -> dict[str, str]:
    """Return the workflow that validates pull requests, and the one that publishes for those from forks."""
    release = f" # v{__version__}" if source.is_commit else ""
    return {
        WORKFLOW: (
            "name: assay\n"
            "on:\n"
            "  pull_request: {types: [opened, synchronize, reopened, edited]} # edited: for another base branch\n"
            "  merge_group:\n"
            "permissions: {}\n"
            "jobs:\n"
            "  assay:\n"
            f"    uses: {source.repository}/.github/workflows/validate.yml@{source.ref}{release}\n"
            f"    permissions: {{{_RIGHTS}}} # to read the change, and to publish\n"
        ),
        REPORT_WORKFLOW: (
            "name: assay report\n"
            "on: # It runs no code of the change, and trusts no result of the first stage that favours the change.\n"
            "  workflow_run: # zizmor: ignore[dangerous-triggers]\n"
            "    workflows: [assay]\n"
            "    types: [completed]\n"
            "permissions: {}\n"
            "jobs:\n"
            "  report:\n"
            f"    uses: {source.repository}/.github/workflows/report.yml@{source.ref}{release}\n"
            f"    permissions: {{{_RIGHTS}, statuses: read}} # as above\n"
        ),
    }


def configuration(commands: Sequence[str | dict[str, str]], *, are_named: bool = False) -> str:
    """Return a configuration in which every line but the mode is a comment; `commands` are those found.

    They are in force if `are_named`: some of them run only if the configuration names them.
    """
    mark = "" if are_named else "# "
    lines = [
        "mode: advisory # enforce: a change that fails is blocked, where the check `Assay` is required",
        "",
        f"{mark}tier1: # the commands of every change; without this, those of the projects that it touches run",
        f"{mark}  commands:",
        *(f"{mark}    - {json.dumps(one)}" for one in (commands or ("make test",))),
        "# comments: blocking # all, none: which findings are noted on the lines",
        "# tier3:",
        "#   riskThresholdForHold: critical # high: policy floors of that level require approval too",
        "# exclude: # paths that are not validated",
        "#   - vendor/**",
    ]
    return "\n".join(lines) + "\n"


def write_new(root: Path, path: str, text: str) -> Written:
    """Write a file with its mark, unless there is one.

    Raises:
        UsageError: the folder is a link out of the repository, or cannot be written.
    """
    target = _inside(root, path)
    if os.path.lexists(target):
        return Written.kept
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with target.open("x", encoding="utf-8") as file:
            file.write(f"{_MARK.format(digest=_digest(text))}\n{text}")
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    return Written.written


def remove_unchanged(root: Path, path: str) -> Written:
    """Delete a file that `write_new` wrote, unless it was edited since, and folders that are empty then.

    Raises:
        UsageError: it cannot be deleted.
    """
    target = _inside(root, path)
    if not os.path.lexists(target):
        return Written.absent
    try:
        text = "" if target.is_symlink() else target.read_text("utf-8", "replace")
        marked = _MARKED.match(text)
        if marked is None or marked[1] != _digest(text[marked.end() :]):
            return Written.edited
        target.unlink()
        for folder in target.parents:
            if folder == root or any(folder.iterdir()):
                break
            folder.rmdir()
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    return Written.removed


def _inside(root: Path, path: str) -> Path:
    target = root / path
    if not target.parent.resolve().is_relative_to(root.resolve()):
        raise UsageError(f"{path}: its folder is a link out of the repository")
    return target


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _installed_from() -> AssaySource | None:
    """Return what the installed package's record of its origin says (PEP 610)."""
    try:
        record = distribution(DISTRIBUTION).read_text("direct_url.json")
        origin = json.loads(record) if record else None
    except (PackageNotFoundError, ValueError, OSError):
        return None
    if not isinstance(origin, dict):
        return None
    url, vcs = str(origin.get("url", "")), origin.get("vcs_info")
    if isinstance(vcs, dict):
        return _named(url, str(vcs.get("commit_id", "")))
    parts = urlsplit(url)
    return _checkout_at(Path(unquote(parts.path))) if parts.scheme == "file" else None


def _checkout_at(folder: Path) -> AssaySource | None:
    """Return the remote and the commit of a clone that Assay was installed from."""
    settings = ConfigParser(strict=False, interpolation=None)
    try:
        with Repository(folder) as repository:
            lines = (repository.common_dir / "config").read_text("utf-8", "replace").splitlines()
            settings.read_string("\n".join(line.strip() for line in lines))
            return _named(settings.get('remote "origin"', "url", fallback=""), repository.resolve("HEAD"))
    except (OSError, ConfigParserError, ValidatorError):
        return None


def _named(url: str, ref: str) -> AssaySource | None:
    """Return owner and name in the address of a repository on a GitHub: its last two parts."""
    match = re.search(r"[/:]([\w.-]+/[\w.-]+?)(?:\.git)?/?$", url)
    is_remote = "://" in url or re.match(r"[\w.-]+@[\w.-]+:", url) is not None
    if match is None or not is_remote or url.startswith("file:") or not _USES.fullmatch(f"{match[1]}@{ref}"):
        return None
    return AssaySource(match[1], ref)
