"""The command `assay app import-memory-report`."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from pathlib import Path

import click

from assay.cli.app.store import DATA_DIR, known, settings_at
from assay.github.external_results.memory_payload import scores_of
from assay.github_app.store import MemoryRunRow, Store
from assay.github_app.web.uploads.memory_results import row_of
from assay.memory_eval import EvalReport, read_report


@click.command("import-memory-report")
@click.argument("report", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--repository", metavar="OWNER/NAME", required=True, help="Repository whose readers may see it.")
@DATA_DIR
@click.option("--by", help="Person or run that imports it, shown on the page.")
def import_memory_report_command(report: Path, repository: str, data_dir: Path | None, by: str | None) -> int:
    """Import the scores of a memory evaluation report.

    REPORT is the report.json of `assay memory run`. The App shows its scores on the page "Memory evaluations". A report
    is imported once; its questions and answers are not stored.
    """
    found = read_report(report)
    settings = settings_at(data_dir)
    with Store.open(settings.store_url()) as store:
        row = known(store, repository, "--repository")
        is_new = store.memory_runs.put(_row(found, row.id, report, by))
    click.echo(f"{found.agent or 'the agent'}: {'imported' if is_new else 'already imported'}", err=True)
    return 0


def _row(found: EvalReport, repository_id: int, file: Path, by: str | None) -> MemoryRunRow:
    key = hashlib.sha256(file.read_bytes()).hexdigest()
    at = datetime.fromtimestamp(file.stat().st_mtime, UTC)
    return row_of(scores_of(found), repository_id, key, at, by)
