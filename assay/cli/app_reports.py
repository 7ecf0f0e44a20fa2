"""`assay app keep-report`: an examination of a memory, kept for the App's pages."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from pathlib import Path

import click

from assay.github_app.errors import SettingsError
from assay.github_app.settings import read_settings
from assay.github_app.store import MemoryRunRow, Store
from assay.memory_eval import EvalReport, read_report


@click.command("keep-report")
@click.argument("report", type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--repository", metavar="OWNER/NAME", required=True, help="Whose readers may see it.")
@click.option("--data-dir", type=click.Path(path_type=Path), help="Default: ASSAY_DATA_DIR, or ./assay-data.")
@click.option("--by", help="Who keeps it, or which run of what; shown on the page.")
def keep_report_command(report: Path, repository: str, data_dir: Path | None, by: str | None) -> int:
    """Keep the scores of REPORT (the report.json of `assay memory run`) for the page "Memory evaluations".

    The same report is kept once. Of its questions and answers nothing is kept.
    """
    found = read_report(report)
    settings = read_settings(**({"data_dir": data_dir} if data_dir else {}))
    with Store.open(settings.store_url()) as store:
        known = store.repositories.named(repository)
        if known is None:
            raise SettingsError(f"--repository: the App knows no repository {repository}")
        is_new = store.memory_runs.put(_row(found, known.id, report, by))
    click.echo(f"{found.agent or 'the agent'}: {'kept' if is_new else 'was kept before'}", err=True)
    return 0


def _row(found: EvalReport, repository_id: int, file: Path, by: str | None) -> MemoryRunRow:
    data = file.read_bytes()
    return MemoryRunRow(
        repository_id=repository_id,
        key=hashlib.sha256(data).hexdigest(),
        at=datetime.fromtimestamp(file.stat().st_mtime, UTC),
        agent=found.agent or "unnamed",
        grading=found.grading,
        seed=None if found.seed is None else str(found.seed),
        num_turns=found.num_turns,
        num_questions=found.num_questions,
        overall_score=found.overall_score,
        categories={one.category: one.avg_score for one in found.category_breakdown},
        baselines={str(one.get("name", "")): _number(one.get("overall_score")) for one in found.baselines},
        why_invalid=None if found.valid else (found.why_invalid or "it says nothing about the memory"),
        kept_by=by,
    )


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, (int, float)) else None
