"""Pairing of repeated `--format` and `-o` options in the order they are written."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

STDOUT = "-"
SUFFIXES = {".md": "markdown", ".json": "json", ".sarif": "sarif", ".txt": "terminal"}
"""Suffix -> format of an `-o` without a `--format` before it."""


@dataclass(frozen=True, slots=True)
class Output:
    """Format and file of one rendering; `-` is standard output."""

    format: str
    path: str = STDOUT


class PairedCommand(click.Command):
    """Command that keeps the order of `--format` and `-o`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta["assay.outputs"] = _in_order(args)
        return super().parse_args(ctx, args)


def outputs_of(ctx: click.Context, suffixes: Mapping[str, str] = SUFFIXES) -> tuple[Output, ...]:
    """Return the outputs of this run; `-o` alone uses its suffix, the default is the terminal.

    Raises:
        click.UsageError: two formats for standard output, a file named twice, or a file that cannot be written.
    """
    found: list[Output] = []
    format_: str | None = None
    for what, value in ctx.meta["assay.outputs"]:
        if what == "format":
            if format_ is not None:
                found.append(Output(format_))
            format_ = value
        else:
            found.append(Output(format_ or _by_suffix(value, suffixes), value))
            format_ = None
    if format_ is not None:
        found.append(Output(format_))
    found = found or [Output("terminal")]
    _check(found)
    return tuple(found)


def write(path: str, text: str) -> None:
    """Write a rendering to a file or standard output; replace a file atomically."""
    data = text.encode("utf-8", "backslashreplace")
    if path == STDOUT:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        return
    target = Path(path)
    if target.is_char_device() or target.is_fifo():
        target.write_bytes(data)
        return
    partial = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        partial.unlink(missing_ok=True)
        with partial.open("xb") as file:  # mode x does not follow a symbolic link placed there
            file.write(data)
        partial.replace(target)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise click.UsageError(f"{path}: cannot be written ({error.strerror})") from None


def discard_output() -> None:
    """Discard the rest of standard output after its reader closed the pipe (`| head`)."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.__stdout__.fileno() if sys.__stdout__ else 1)


def _in_order(args: Sequence[str]) -> list[tuple[str, str]]:
    names = {"--format": "format", "-f": "format", "-o": "output", "--output": "output"}
    found: list[tuple[str, str]] = []
    at = 0
    while at < len(args) and args[at] != "--":
        word, equals, value = args[at].partition("=")
        if args[at] in names and at + 1 < len(args):
            found.append((names[args[at]], args[at + 1]))
            at += 1
        elif equals and word in ("--format", "--output"):
            found.append((names[word], value))
        elif args[at][:2] in ("-o", "-f") and len(args[at]) > 2:
            found.append((names[args[at][:2]], args[at][2:]))
        at += 1
    return found


def _by_suffix(path: str, suffixes: Mapping[str, str]) -> str:
    found = suffixes.get(Path(path).suffix.lower())
    if found is None:
        raise click.UsageError(f"-o {path}: unknown suffix; put --format before it")
    return found


def _check(found: Sequence[Output]) -> None:
    paths = [output.path for output in found]
    for path in paths:
        if paths.count(path) > 1:
            where = "standard output" if path == STDOUT else path
            raise click.UsageError(f"two formats for {where}: add an -o after each --format")
        folder = Path(path).parent
        if path != STDOUT and not folder.is_dir():
            raise click.UsageError(f"-o {path}: folder {folder} does not exist")
        if path != STDOUT and (Path(path).is_dir() or not os.access(folder, os.W_OK)):
            raise click.UsageError(f"-o {path}: cannot be written")
