"""`--format` and `-o` belong together in the order they are written."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from assay.cli.display.outputs import Output, PairedCommand, outputs_of, write


def _outputs(*args: str) -> tuple[Output, ...]:
    found: list[Output] = []

    @click.command(cls=PairedCommand)
    @click.option("-f", "--format", "formats", multiple=True)
    @click.option("-o", "--output", "files", multiple=True)
    @click.pass_context
    def command(ctx: click.Context, formats: tuple[str, ...], files: tuple[str, ...]) -> None:
        found.extend(outputs_of(ctx))

    result = CliRunner().invoke(command, args)
    if result.exit_code:
        raise click.UsageError(result.output)
    return tuple(found)


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ([], [("terminal", "-")]),
        (["--format", "json"], [("json", "-")]),
        (["--format=json", "-o", "r.json"], [("json", "r.json")]),
        (["-fjson", "-or.x"], [("json", "r.x")]),
        (["-o", "report.md"], [("markdown", "report.md")]),
        (["--format", "json", "-o", "a", "--format", "sarif", "-o", "b"], [("json", "a"), ("sarif", "b")]),
        (["--format", "terminal", "--format", "json", "-o", "a.json"], [("terminal", "-"), ("json", "a.json")]),
        (["-o", "a.sarif", "-o", "b.txt"], [("sarif", "a.sarif"), ("terminal", "b.txt")]),
        (["-o", "a.sarif", "-f", "markdown"], [("sarif", "a.sarif"), ("markdown", "-")]),
    ],
)  # fmt: skip
def test_pairs_are_read_in_order(args: list[str], expected: list[tuple[str, str]]) -> None:
    assert _outputs(*args) == tuple(Output(*pair) for pair in expected)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["-f", "json", "-f", "sarif"], "two formats for standard output"),
        (["-f", "json", "-o", "x", "-f", "sarif", "-o", "x"], "two formats for x"),
        (["-o", "report"], "unknown suffix"),
        (["-f", "json", "-o", "no/such/folder/x.json"], "folder no/such/folder does not exist"),
        (["-f", "json", "-o", "/"], "cannot be written"),
    ],
)
def test_what_makes_no_sense_is_one_clear_line(args: list[str], said: str) -> None:
    with pytest.raises(click.UsageError, match=said):
        _outputs(*args)


def test_a_file_is_written_whole_and_keeps_odd_text(tmp_path: Path) -> None:
    write(str(tmp_path / "r.md"), "ü \udce9\n")
    assert (tmp_path / "r.md").read_bytes() == "ü \\udce9\n".encode()
    assert [path.name for path in tmp_path.iterdir()] == ["r.md"]
