"""The commands `assay memory list-datasets`, `download-dataset` and `build-dataset`."""

from __future__ import annotations

from pathlib import Path

import click

from assay.cli.memory.options import path_option, with_options
from assay.escape import visible
from assay.memory_eval import build_dataset, download_dataset, list_datasets, read_report

CATALOG = (
    path_option("--datasets-dir", default=Path("datasets"), show_default=True, help="Local folder of datasets."),
    click.option("--base-url", metavar="URL", help="URL of datasets.json. Default: ASSAY_DATASETS_URL."),
)


@click.command("list-datasets", short_help="List published and local datasets")
@with_options(*CATALOG)
def list_datasets_command(datasets_dir: Path, base_url: str | None) -> None:
    """List published and local datasets."""
    found = list_datasets(datasets_dir, base_url)
    for one in found:
        where = f"local, {one['path']}" if one["local"] else f"remote, {one['num_bytes']:,} bytes"
        description = f"  {one['description']}" if one.get("description") else ""
        click.echo(visible(f"{one['name']}  ({where}){description}"))
    if not any("url" in one for one in found):
        click.echo("No dataset is published yet; build one with `assay memory build-dataset`.", err=bool(found))


@click.command("download-dataset", short_help="Download a dataset and verify it")
@click.argument("name")
@with_options(*CATALOG)
@click.option("--force", is_flag=True, help="Download again if it exists locally.")
def download_dataset_command(name: str, datasets_dir: Path, base_url: str | None, force: bool) -> None:
    """Download a dataset, verify its checksum and unpack it.

    Then: assay memory run --skip-learning --load-db datasets/NAME/memory_db, with the --turns and --seed in its
    metadata.json. Exit code: 0 success, 2 unknown dataset or checksum mismatch, 3 the download failed.
    """
    click.echo(str(download_dataset(name, datasets_dir, base_url, force=force)))


@click.command("build-dataset", short_help="Build a dataset from a memory and its report")
@click.argument("name")
@path_option("--memory", required=True, metavar="PATH", help="Memory to package.")
@path_option("--report", "report_file", required=True, help="report.json of its evaluation.")
@path_option("--output-dir", default=Path("dist"), show_default=True, metavar="DIR")
def build_dataset_command(name: str, memory: Path, report_file: Path, output_dir: Path) -> None:
    """Build a dataset from a memory and its report.

    It writes an archive, its checksum and an entry in datasets.json; the same content gives the same archive. Exit
    code: 0 success, 2 usage or input.
    """
    entry = build_dataset(name, memory, read_report(report_file), output_dir)
    click.echo(f"{output_dir / entry['url']}: {entry['num_bytes']:,} bytes, sha256 {entry['sha256']}")
