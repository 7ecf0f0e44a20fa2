"""The command `assay graph`: the import graph of a repository, and dependents of its files."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from assay.validators import (
    GRAPH_FORMATS,
    WORKTREE,
    Deadline,
    Graphs,
    Repository,
    SourceTree,
    as_json,
    build_graph,
    change_between,
    default_scan_cache,
    impact_of,
    ranked_tests,
    read_contexts,
    shown,
)

SECONDS = 600
"""Time limit of `--tests`."""

_WORD = re.compile(r"[\w./@+=,%:~()\[\]-]+")
"""Paths that a shell passes on as one word."""


class _ManyFiles(click.Command):
    """Command whose `--impact` takes all files after it, as a shell's wildcard expands to."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, _one_each(args))


@click.command("graph", cls=_ManyFiles)
@click.argument("path", default=".", type=click.Path())
@click.option("--ref", metavar="REF", help="Revision to read instead of the working tree.")
@click.option(
    "--format",
    "format_",
    type=click.Choice(sorted(GRAPH_FORMATS)),
    help="Default: text on a terminal, else json; for --tests a path a line.",
)
@click.option(
    "--impact",
    "files",
    metavar="FILE ...",
    multiple=True,
    help="Files whose dependents to include, with distance.",
)
@click.option("--tests", "range_", metavar="BASE..HEAD", help="List the tests a change may break, likeliest first.")
@click.option(
    "--coverage",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="coverage.py data of BASE with contexts, for --tests.",
)
def graph_command(
    path: str, ref: str | None, format_: str | None, files: tuple[str, ...], range_: str | None, coverage: Path | None
) -> None:
    """Write the import graph of a repository to standard output.

    The repository is the one around PATH (default: current folder). The graph has every file of Python, JavaScript,
    TypeScript, Go, Java, Kotlin, C#, Rust, Ruby, PHP, C and C++, including tests and scripts. An edge goes from a file
    to one that it imports or whose names it uses.
    """
    if range_ is not None:
        if ref is not None or files or format_ not in (None, "json"):
            raise click.UsageError("--tests goes with --format json and --coverage only")
        _write_tests(path, range_, coverage, is_json=format_ == "json")
        return
    if coverage is not None:
        raise click.UsageError("--coverage goes with --tests only")
    with Repository(path) as repository:
        tree = _tree(repository, ref)
        graph = build_graph(tree, store=default_scan_cache())
        impact = impact_of(graph, [_known(file, tree, repository.root) for file in files]) if files else None
    usual = "text" if sys.stdout.isatty() else "json"
    click.echo(GRAPH_FORMATS[format_ or usual](graph, impact).encode(), nl=False)
    if impact is not None and impact.unknown:
        named = [f"{shown(path)} ({language})" for path, language in impact.unknown]
        click.echo(f"assay: dependents unknown: {', '.join(named[:5])}{_more(named)}", err=True)
        raise click.exceptions.Exit(3)


def _write_tests(path: str, range_: str, coverage: Path | None, *, is_json: bool) -> None:
    """Write the tests of a change, one path a line, relative to the current folder."""
    base, dots, head = range_.partition("..")
    with Repository(path) as repository:
        change = change_between(repository, base, (head.lstrip(".") or "HEAD") if dots else WORKTREE)
        contexts = read_contexts(coverage, change.base.paths) if coverage is not None else None
        graphs = Graphs(change, default_scan_cache())
        found = ranked_tests(change, graphs, Deadline(SECONDS), contexts)
        if is_json:
            click.echo(as_json(graphs.head(Deadline(SECONDS)), tests=found).encode(), nl=False)
            return
        root = os.path.realpath(repository.root)
    unsafe = [one.path for one in found.tests if not _WORD.fullmatch(one.path)]
    for one in found.tests:
        if one.path not in unsafe:
            name = os.path.relpath(os.path.join(root, one.path), os.path.realpath("."))
            click.echo(f"./{name}" if name.startswith("-") else name)
    for what, paths in (("outside the graph, users unknown", found.outside), ("uses unknown", found.not_read)):
        if paths:
            click.echo(f"assay: {what}: {', '.join(map(shown, paths[:5]))}{_more(paths)}", err=True)
    if unsafe:
        click.echo(f"assay: left out for its name: {', '.join(map(shown, unsafe[:5]))}{_more(unsafe)}", err=True)


def _more(paths: Sequence[str]) -> str:
    return f" and {len(paths) - 5} more" if len(paths) > 5 else ""


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


def _one_each(args: Sequence[str]) -> list[str]:
    """Rewrite `--impact a b` as `--impact a --impact b`; a folder is the PATH argument, never such a file."""
    found: list[str] = []
    takes_more = False
    for at, arg in enumerate(args):
        if arg == "--":
            return [*found, *args[at:]]
        is_value = at > 0 and args[at - 1] == "--impact"
        if not is_value and arg.startswith("-"):
            takes_more = False
        elif takes_more and not is_value and not os.path.isdir(arg):
            found.append("--impact")
        takes_more = takes_more or is_value or arg.startswith("--impact=")
        found.append(arg)
    return found
