"""`assay metrics` shows what the API gives, as a table, as JSON and as CSV."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from assay.cli.records.metrics import NO_MATCH, figure, metrics_command
from assay.github_app.outcomes import record
from assay.github_app.outcomes.metrics.measures import measures
from assay.github_app.outcomes.metrics.metric_documents import as_rows
from assay.github_app.outcomes.metrics.metrics import metrics
from tests.examples import sampled
from tests.github_app.outcomes.telling import pulled
from tests.github_app.outcomes.test_review_rates import findings
from tests.github_app.remembering import after, merged, store_at


@pytest.fixture
def data_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A database with 24 merged pull requests, two of them by somebody whose name is markup."""
    monkeypatch.setenv("COLUMNS", "160")
    with store_at(f"sqlite:///{tmp_path / 'assay.sqlite'}") as store:
        for number in range(1, 25):
            body = "Prompt-Version: v2" if number > 20 else "Prompt-Version: [bold]v1"
            facts = merged(
                after(days=number, hours=2),
                number=number,
                head_sha=f"{number:040x}",
                created_at=after(days=number),
                body=body,
            )
            record(pulled("closed", facts), store, after(days=60))
    return tmp_path


def run(*arguments: object):
    return CliRunner().invoke(metrics_command, [str(argument) for argument in arguments], standalone_mode=False)


def test_json_and_csv_are_the_rows_of_the_one_function(data_dir: Path):
    with store_at(f"sqlite:///{data_dir / 'assay.sqlite'}") as store:
        expected = as_rows(metrics(measures(store)))
    done = run("--data-dir", data_dir, "--format", "json")
    assert json.loads(done.output) == json.loads(json.dumps(expected))
    lines = list(csv.DictReader(io.StringIO(run("--data-dir", data_dir, "--format", "csv").output)))
    assert [(line["metric"], line["n"]) for line in lines] == [(row["metric"], str(row["n"])) for row in expected]


@pytest.mark.soak
def test_the_table_says_too_few_where_there_are(data_dir: Path):
    done = run("--data-dir", data_dir, "--metric", "merge_rate", "--metric", "time_to_merge")
    said = " ".join(done.output.split())
    assert "merge_rate 100.0 % 86.2 % to 100.0 % 24" in said
    assert "time_to_merge 2.0 h" in said
    split = " ".join(run("--data-dir", data_dir, "--metric", "merge_rate", "--by", "prompt_version").output.split())
    assert "v2 100.0 % too few 4" in split


def test_words_of_strangers_are_no_markup(data_dir: Path):
    done = run("--data-dir", data_dir, "--by", "prompt_version", "--metric", "merge_rate", "--format", "json")
    assert {row["split"] for row in json.loads(done.output)} == {"unknown", "v2"}, "markup is no version at all"


def test_outcomes_of_the_review_are_shares_of_findings(data_dir: Path):
    with store_at(f"sqlite:///{data_dir / 'assay.sqlite'}") as store:
        repository = store.repositories.named("octo/shop")
        assert repository is not None
        findings(store, repository.id, 1, acted_on=15, dismissed=5, ignored=10, withdrawn=2, standing=1)
    said = " ".join(run("--data-dir", data_dir, "--review").output.split())
    assert "correctness correctness v1 0a1b2c3d4e5f acted on 15 30 50.0 % 33.2 % to 66.8 % 2 1" in said
    assert "33 findings." in said
    clash = run("--data-dir", data_dir, "--review", "--by", "agent")
    assert isinstance(clash.exception, click.UsageError)


@pytest.mark.parametrize(
    ("options", "heading"),
    sampled(
        [
            (["--prompt-version", "v2"], "difference"),
            (["--risk", "outcomes"], "lift"),
            (["--bucket", "month"], "2026-03"),
            (["--repo", "octo/shop"], "metric"),
        ],
        1,
    ),
)
def test_other_tables_and_filters(data_dir: Path, options: list[str], heading: str):
    done = run("--data-dir", data_dir, *options)
    assert done.exit_code == 0, done.output
    assert heading in done.output


@pytest.mark.soak
def test_nothing_known_says_what_to_do(data_dir: Path, tmp_path: Path):
    assert "assay sync" in run("--data-dir", data_dir, "--since", "2027-01-01").output
    assert NO_MATCH in run("--data-dir", data_dir, "--risk", "levels").output
    done = run("--data-dir", data_dir, "--repo", "octo/other")
    assert isinstance(done.exception, click.UsageError)
    assert "assay sync octo/other --since DATE" in str(done.exception)
    nowhere = run("--data-dir", tmp_path / "nowhere")
    assert "assay sync" in str(nowhere.exception)
    assert not (tmp_path / "nowhere").exists()
    both = run("--data-dir", data_dir, "--risk", "levels", "--prompt-version", "v1")
    assert isinstance(both.exception, click.UsageError)


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        (None, "share", "-"),
        (0.1234, "share", "12.3 %"),
        (59, "s", "59.0 s"),
        (90, "s", "1.5 min"),
        (7200, "s", "2.0 h"),
        (172_800, "s", "2.0 d"),
        (-7200, "s", "-2.0 h"),
        (1.5, "rounds", "1.50"),
        (2, "x", "2.00 x"),
    ],
)
def test_figures_are_shown_as_people_read_them(value: float | None, unit: str, shown: str):
    assert figure(value, unit) == shown
