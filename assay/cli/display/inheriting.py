"""The option `--organization` of commands that read a configuration: files it inherits, from this machine."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from assay.validators import ORGANIZATION_FILE, Inherited, InheritedFile, Repository, ValidatorError, shown

_MOST_BYTES = 1 << 20


ORGANIZATION = click.option(
    "--organization",
    "organizations",
    multiple=True,
    metavar="PATH",
    type=click.Path(path_type=Path),
    help="Checkout or file whose configuration is inherited.",
)


def inheriting(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options, and pass what they name as `inherited`."""

    @ORGANIZATION
    @click.option("--repository", metavar="NAME", help="Name on GitHub, for enforceIn. Default: that of origin's URL.")
    @functools.wraps(command)
    def with_inherited(*args: Any, organizations: tuple[Path, ...], repository: str | None, **options: Any) -> Any:
        inherited = inherited_files(organizations, repository, options.get("path", Path()))
        return command(*args, inherited=inherited, **options)

    return with_inherited


def inherited_files(files: Sequence[Path], repository: str | None, path: Path) -> Inherited:
    """Read the files that the repository at `path` inherits; `repository` is its name on GitHub.

    Without one it is the last part of origin's URL, since a worktree's folder has another name; else the folder's.
    """
    if not files:
        return Inherited()
    name = repository or _name_of(path)
    return Inherited(name, tuple(_file(file, is_named=n > 0) for n, file in enumerate(files)))


def _name_of(path: Path) -> str:
    try:
        with Repository(path) as opened:
            url = opened.remote_url()
            return re.split(r"[/:\\]", url.rstrip("/").removesuffix(".git"))[-1] or opened.root.name
    except ValidatorError:
        return path.resolve().name


def _file(path: Path, *, is_named: bool) -> InheritedFile:
    file = path / ORGANIZATION_FILE if path.is_dir() else path
    try:
        with file.open("rb") as opened:
            text = opened.read(_MOST_BYTES).decode("utf-8", "surrogateescape")
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        return InheritedFile(shown(str(file)), None, f"cannot be read: {why}")
    return InheritedFile(shown(str(file)), text, is_named=is_named)
