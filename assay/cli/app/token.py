"""The command `assay token`: API tokens for agents and their harnesses."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click
from rich.console import Console

from assay.cli.app.store import DATA_DIR, FORMAT, known, opened_store, table_of
from assay.github_app.store import Scope, Store, TokenRow

MOST_DAYS = 366
USUAL = (Scope.tasks, Scope.feedback, Scope.traces, Scope.rules_read)
SHOWN_ONCE = "it is not shown again"
NOTHING_TO_REVOKE = "no token to revoke"


@click.group("token")
def token_command() -> None:
    """Create, list and revoke API tokens."""


@token_command.command("create")
@DATA_DIR
@click.option(
    "--repo", "repositories", multiple=True, required=True, metavar="OWNER/NAME", help="Repository it grants access to."
)
@click.option(
    "--scope",
    "scopes",
    multiple=True,
    type=click.Choice([str(scope) for scope in Scope]),
    help=f"Scope, repeatable. Default: {', '.join(USUAL)}.",
)
@click.option("--days", type=click.IntRange(1, MOST_DAYS), default=90, show_default=True, help="Days of validity.")
@click.argument("name")
def create_command(
    data_dir: Path | None, repositories: tuple[str, ...], scopes: tuple[str, ...], days: int, name: str
) -> None:
    """Create a token called NAME and print it once.

    Only a hash of the token is stored.
    """
    if not name.isprintable() or not 0 < len(name) <= 100:
        raise click.UsageError("NAME: one line of at most 100 characters")
    with opened_store(data_dir) as store:
        ids = [known(store, one, "--repo").id for one in repositories]
        made = store.tokens.make(
            name, ids, [Scope(one) for one in scopes] or USUAL, datetime.now(UTC), timedelta(days=days)
        )
    # Only the secret goes to standard output, so that it can be redirected to a file or a program.
    click.echo(made.secret)
    click.echo(f"token {made.row.id} is valid until {made.row.expires_at:%Y-%m-%d}; {SHOWN_ONCE}", err=True)


@token_command.command("list")
@DATA_DIR
@FORMAT
def list_command(data_dir: Path | None, format_: str) -> None:
    """List tokens with scopes, expiry and last use."""
    with opened_store(data_dir) as store:
        rows = [_shown(store, row) for row in store.tokens.all()]
    if format_ == "json":
        click.echo(json.dumps(rows, indent=2))
        return
    if not rows:
        click.echo("no tokens; create one with `assay token create --repo OWNER/NAME NAME`")
        return
    texts = [
        {name: " ".join(value) if isinstance(value, list) else value for name, value in row.items()} for row in rows
    ]
    Console().print(table_of(texts))


@token_command.command("revoke")
@DATA_DIR
@click.argument("token_ids", metavar="ID...", nargs=-1, required=True)
def revoke_command(data_dir: Path | None, token_ids: tuple[str, ...]) -> int:
    """Revoke tokens by their ids.

    Exit code: 0 all were revoked, 1 an id is unknown or already revoked.
    """
    with opened_store(data_dir) as store:
        missed = [one for one in token_ids if not store.tokens.revoke(one, datetime.now(UTC))]
    for one in missed:
        click.echo(f"{NOTHING_TO_REVOKE}: {one!r}", err=True)
    click.echo(f"revoked: {len(token_ids) - len(missed)}")
    return 1 if missed else 0


def _shown(store: Store, row: TokenRow) -> dict[str, str | list[str]]:
    found = (store.repositories.get(one) for one in sorted(row.repository_ids))
    state = "revoked" if row.revoked_at else "good" if row.is_good(datetime.now(UTC)) else "expired"
    return {
        "id": row.id,
        "name": row.name,
        "state": state,
        "repositories": [one.full_name for one in found if one is not None],
        "scopes": sorted(str(scope) for scope in row.scopes),
        "expires": row.expires_at.isoformat(timespec="minutes"),
        "last used": row.last_used_at.isoformat(timespec="minutes") if row.last_used_at else "never",
    }
