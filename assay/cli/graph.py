"""The command `assay graph`: the import graph of a repository, and dependents of its files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import click

from assay.validators import (
    GRAPH_FORMATS,
    Repository,
    SourceTree,
    build_graph,
    default_scan_cache,
    impact_of,
    shown,
)


class _ManyFiles(click.Command):
    """Command whose `--impact` takes all files after it, as a shell's wildcard expands to."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, _one_each("--impact", args))


@click.command("graph", cls=_ManyFiles)
@click.argument("path", default=".", type=click.Path())
@click.option("--ref", metavar="REF", help="Revision to read instead of the working tree.")
@click.option("--format", "format_", type=click.Choice(sorted(GRAPH_FORMATS)), default="json", show_default=True)
@click.option(
    "--impact",
    "files",
    metavar="FILE ...",
    multiple=True,
    help="Files whose dependents to include, with distance.",
)
def graph_command(path: str, ref: str | None, format_: str, files: tuple[str, ...]) -> None:
    """Write the import graph of a repository to standard output.

    The repository is the one around PATH (default: current folder). The graph has every Python, JavaScript and
    TypeScript file, including tests and scripts. An edge goes from the importing file to the imported file.
    """
    with Repository(path) as repository:
        tree = _tree(repository, ref)
        graph = build_graph(tree, store=default_scan_cache())
        impact = impact_of(graph, [_known(file, tree, repository.root) for file in files]) if files else None
    click.echo(GRAPH_FORMATS[format_](graph, impact).encode(), nl=False)


def _tree(repository: Repository, ref: str | None) -> SourceTree:
    if ref is None and not repository.is_bare:
        return repository.folder()
    revision = "HEAD" if ref is None else ref
    return repository.tree(repository.resolve(revision), revision)


def _known(file: str, tree: SourceTree, root: Path) -> str:
    """Return the path in the tree of a file named on the command line; raise a usage error if it is not in the tree."""
    from_here = os.path.relpath(os.path.abspath(file), os.path.realpath(root))
    for path in (os.path.normpath(file), from_here):
        if path.replace(os.sep, "/") in tree:
            return path.replace(os.sep, "/")
    raise click.BadParameter(f"{shown(file)} is not a file of the {tree.name}", param_hint="--impact")


def _one_each(option: str, args: Sequence[str]) -> list[str]:
    """Rewrite `--impact a b` as `--impact a --impact b`; a folder is the PATH argument, never such a file."""
    found: list[str] = []
    takes_more = False
    for at, arg in enumerate(args):
        if arg == "--":
            return [*found, *args[at:]]
        is_value = bool(args[at - 1] == option) if at else False
        if not is_value and arg.startswith("-"):
            takes_more = False
        elif takes_more and not is_value and not os.path.isdir(arg):
            found.append(option)
        takes_more = takes_more or is_value or arg.startswith(f"{option}=")
        found.append(arg)
    return found
