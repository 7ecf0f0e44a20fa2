"""The option `--organization` of commands that read a configuration: files it inherits, from this machine."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from assay.validators import ORGANIZATION_FILE, Inherited, InheritedFile, shown

_MOST_BYTES = 1 << 20


def inheriting(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options, and pass what they name as `inherited`."""

    @click.option(
        "--organization",
        "organizations",
        multiple=True,
        metavar="PATH",
        type=click.Path(path_type=Path),
        help="Checkout or file whose configuration is inherited.",
    )
    @click.option("--repository", metavar="NAME", help="Name on GitHub, for enforceIn. Default: the folder's.")
    @functools.wraps(command)
    def with_inherited(*args: Any, organizations: tuple[Path, ...], repository: str | None, **options: Any) -> Any:
        return command(*args, inherited=_inherited(organizations, repository), **options)

    return with_inherited


def _inherited(paths: tuple[Path, ...], repository: str | None) -> Inherited:
    if not paths:
        return Inherited()
    here = Path.cwd()
    top = next((folder for folder in (here, *here.parents) if (folder / ".git").exists()), here)
    return Inherited(repository or top.name, tuple(_file(path, is_named=n > 0) for n, path in enumerate(paths)))


def _file(path: Path, *, is_named: bool) -> InheritedFile:
    file = path / ORGANIZATION_FILE if path.is_dir() else path
    try:
        with file.open("rb") as opened:
            text = opened.read(_MOST_BYTES).decode("utf-8", "surrogateescape")
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or str(error)
        return InheritedFile(shown(str(file)), None, f"cannot be read: {why}", is_needed=True)
    return InheritedFile(shown(str(file)), text, is_named=is_named)
