"""The command `assay demo`: validation of a landed change of this project with this project's tools."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import Literal

import click
from rich.console import Console

import assay
from assay.cli.display.drawing import Drawn
from assay.cli.display.outputs import Output
from assay.cli.validate import publish
from assay.validators import (
    ChangeSet,
    Command,
    Nature,
    NotARepository,
    Options,
    Repository,
    Sandbox,
    Tier1,
    ToolKind,
    ValidationConfig,
    change_between,
    validate,
)

NUM_CANDIDATES = 200
"""Landed changes, newest first, to search for a suitable example."""
WORTH_SHOWING = range(20, 601)
"""Added source lines: enough for findings, few enough to read."""
MOST_FILES = 20
MOST_TEST_FILES = 2
"""More test files would take more than the minute `make demo` has."""
_ENVIRONMENT = Path(sys.executable).parent
FORMATS = {"markdown": "report.md", "json": "report.json", "sarif": "report.sarif"}


@click.command("demo")
@click.argument("path", required=False, type=click.Path(path_type=Path))
@click.option("--output-dir", type=click.Path(path_type=Path), default=Path("demo-report"), show_default=True)
def demo_command(path: Path | None, output_dir: Path) -> int:
    """Validate an example change and write its reports."""
    console = Console(stderr=True)
    with Repository(path or _own_repository()) as repository:
        change = _worth_showing(repository)
        newest = change.commits[0] if change.commits else None
        subject = newest.message.splitlines()[0] if newest and newest.message else change.head_sha[:12]
        console.print(
            f"Validating {change.head_sha[:12]} of {repository.root}: {subject!r}",
            markup=False,
            highlight=False,
            soft_wrap=True,
        )
        console.print("Its commands run in a fresh checkout; this takes a moment.", style="dim")
        with Drawn(console) as progress:
            report = validate(change, _settings(path is None, change), Options(progress=progress))
    output_dir.mkdir(parents=True, exist_ok=True)
    files = [Output(name, str(output_dir / file)) for name, file in FORMATS.items()]
    publish(report, [Output("terminal"), *files])
    console.print(
        f"\nThe same report as {', '.join(FORMATS)}: {', '.join(output.path for output in files)}",
        markup=False,
        soft_wrap=True,
    )
    if path is None:
        _examine(output_dir, console)
    console.print(f"\nOpen {output_dir / FORMATS['markdown']}", markup=False, soft_wrap=True)
    return 0


def _examine(output_dir: Path, console: Console) -> None:
    """Run a small memory evaluation of a built-in baseline."""
    from assay.cli.main import run

    console.print("\nMemory evaluation: keyword search (BM25) over a dialogue of 200 turns.", style="dim")
    asked = ["--turns", "200", "--questions", "48", "--adapter", "baseline:bm25", "--baseline", "nothing"]
    run(["memory", "run", *asked, "--output-dir", str(output_dir / "memory")])


def _own_repository() -> Path:
    """Return the checkout this package runs from, or the current folder if it is installed."""
    checkout = Path(assay.__file__).resolve().parents[1]
    if (checkout / ".git").exists():
        return checkout
    if Path(".git").exists():
        return Path()
    raise NotARepository("the folder Assay is installed in")


def _worth_showing(repository: Repository) -> ChangeSet:
    """Return the newest landed change of readable size with source and tests; else with source; else HEAD."""
    second: ChangeSet | None = None
    for commit in _landed(repository):
        if _num_files(repository, commit) > MOST_FILES:
            continue
        change = change_between(repository, f"{commit}^1", commit)
        added = sum(len(file.added) for file in change.existing(Nature.source))
        if added in WORTH_SHOWING and len(list(_tests(change))) in range(1, MOST_TEST_FILES + 1):
            return change
        if added and second is None:
            second = change
    return second or change_between(repository)


def _landed(repository: Repository) -> Iterator[str]:
    """Yield first-parent commits that have a parent, newest first."""
    wanted = (f"--max-count={NUM_CANDIDATES}", "--first-parent", "--parents", repository.resolve("HEAD"))
    for line in repository.good("rev-list", *wanted).decode().splitlines():
        commit, *parents = line.split()
        if parents:
            yield commit


def _num_files(repository: Repository, commit: str) -> int:
    return len(repository.good("diff-tree", "-r", "--name-only", f"{commit}^1", commit).splitlines())


def _tests(change: ChangeSet) -> Iterator[str]:
    """Yield the changed test files that pytest would collect."""
    for file in change.existing(Nature.test):
        if fnmatch(Path(file.path).name, "test_*.py"):
            yield file.path


def _packages(change: ChangeSet) -> list[str]:
    """Return the packages of the changed source files, such as `assay.action`."""
    return sorted(
        {
            ".".join(Path(file.path).with_suffix("").parts[:2])
            for file in change.existing(Nature.source)
            if "/" in file.path
        }
    )


def _settings(is_own: bool, change: ChangeSet) -> ValidationConfig:
    """Return the defaults; for Assay's repository, with commands that take less than a minute instead of ten."""
    if not is_own:
        return ValidationConfig()
    tests = list(_tests(change))
    is_ready = all((_ENVIRONMENT / name).is_file() for name in ("pytest", "ruff"))
    bin_ = shlex.quote(str(_ENVIRONMENT)) if is_ready else ".venv/bin"
    # PYTHONPATH puts the checkout's package before the installed one, also in processes that tests start.
    # Coverage of the packages that changed: a report on all files takes longer than the tests.
    measured = " ".join(f"--cov={one}" for one in _packages(change))
    pytest = f'PYTHONPATH="$PWD" {bin_}/python -m pytest -q {measured} --cov-report=xml'
    touched = f"{pytest} -m 'not soak and not bench' {shlex.join(tests)}"
    commands = (
        Command(run=f"{bin_}/ruff check .", name="ruff", kind=ToolKind.lint),
        *([Command(run=touched, name="pytest (the tests it touches)", kind=ToolKind.test)] if tests else []),
    )
    if is_ready:
        # The environment of `make demo` is reused: installing another takes minutes. A sandbox would hide an
        # environment below the home folder, and adds no protection: this code runs unsandboxed anyway.
        return ValidationConfig(tier1=Tier1(setup=_borrowed(), sandbox=Sandbox.off, commands=commands))
    return ValidationConfig(tier1=Tier1(setup=("make install-dev",), commands=commands))


def _borrowed() -> tuple[str, ...] | Literal["none"]:
    """Return the set-up step that links the tests' Node packages, which git ignores."""
    node = "tests/fakes/node/node_modules"
    own = _own_repository().resolve() / node
    if not own.is_dir():
        return "none"
    return (f"mkdir -p {Path(node).parent} && ln -sfn {shlex.quote(str(own))} {node}",)
