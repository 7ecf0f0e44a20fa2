"""The commands `assay memory pack …`: a draft of a private pack, and its check."""

from __future__ import annotations

import json
import secrets
from pathlib import Path

import click

from assay.cli.display.in_order import InOrder
from assay.escape import visible
from assay.memory_eval import check_pack, draft_pack, read_pack

MOST_SHOWN = 30
_KEY_BYTES = 16


@click.group("pack", cls=InOrder, short_help="Make and check private packs")
def pack_command() -> None:
    """Make and check private packs, the wordings and names of an exam."""


@pack_command.command("new", short_help="Write the draft of a private pack")
@click.option("--out", type=click.Path(path_type=Path), required=True, metavar="FILE", help="File to write.")
@click.option("--name", default="private", show_default=True, help="Name of the pack.")
def new_command(out: Path, name: str) -> None:
    """Write the draft of a private pack.

    Its productions are drawn by chance; reword them before use. Exit code: 0 success, 2 usage.
    """
    if out.exists():
        raise click.UsageError(f"--out: {out} exists; choose another file")
    text = json.dumps(draft_pack(name, secrets.token_bytes(_KEY_BYTES)), indent=1, ensure_ascii=False)
    try:
        out.write_text(f"{text}\n", "utf-8")
    except OSError as error:
        raise click.UsageError(f"--out: {out} cannot be written ({error.strerror or error})") from None
    click.echo(visible(f"{out}: a draft; reword it, then run: assay memory pack check {out}"))


@pack_command.command("check", short_help="Check a private pack")
@click.argument("file", type=click.Path(path_type=Path))
def check_command(file: Path) -> int:
    """Check a private pack on worlds drawn with it.

    Exit code: 0 fine, 1 mistakes, 2 not a pack.
    """
    pack = read_pack(file)
    checked = check_pack(pack)
    for line in checked.mistakes[:MOST_SHOWN]:
        click.echo(visible(line))
    if len(checked.mistakes) > MOST_SHOWN:
        click.echo(f"and {len(checked.mistakes) - MOST_SHOWN} more mistakes")
    if checked.oracle is not None and checked.recall is not None:
        click.echo(f"oracle {checked.oracle:.3f}, facts found in their turns {checked.recall:.3f}")
    click.echo(f"{checked.num_public} of {checked.num_productions} productions are in the public pack")
    if checked.mistakes:
        return 1
    click.echo(visible(f"fine: {pack.name}, hash {pack.hash}"))
    return 0
