"""`assay memory list-datasets`, `download-dataset`, `build-dataset`: memories that were taught already."""

from __future__ import annotations

from pathlib import Path

import click

from assay.escape import visible
from assay.memory_eval import build_dataset, download_dataset, list_datasets, read_report

folder_option = click.option(
    "--datasets-dir",
    type=click.Path(path_type=Path),
    default=Path("datasets"),
    show_default=True,
    help="Where they lie.",
)
base_url_option = click.option(
    "--base-url", metavar="URL", help="Where a datasets.json and its archives are. Default: ASSAY_DATASETS_URL."
)


@click.command("list-datasets", short_help="List memories that were taught already.")
@folder_option
@base_url_option
def list_datasets_command(datasets_dir: Path, base_url: str | None) -> None:
    """List the datasets that can be downloaded, and those that are here already."""
    found = list_datasets(datasets_dir, base_url)
    for one in found:
        where = f"local, {one['path']}" if one["local"] else f"remote, {one['num_bytes']:,} bytes"
        told = f"  {one['description']}" if one.get("description") else ""
        click.echo(visible(f"{one['name']}  ({where}){told}"))
    if not any("url" in one for one in found):
        click.echo("No dataset is published yet; `assay memory build-dataset` makes one.", err=bool(found))


@click.command("download-dataset", short_help="Download one of them, checked.")
@click.argument("name")
@folder_option
@base_url_option
@click.option("--force", is_flag=True, help="Download anew what is here already.")
def download_dataset_command(name: str, datasets_dir: Path, base_url: str | None, force: bool) -> None:
    """Download a dataset, compare it with its checksum and unpack it.

    Then: assay memory run --skip-learning --load-db datasets/NAME/memory_db. Exit code: 0 fine, 2 no such dataset or
    not what its checksum says, 3 it could not be had.
    """
    click.echo(str(download_dataset(name, datasets_dir, base_url, force=force)))


@click.command("build-dataset", short_help="Make such a dataset.")
@click.argument("name")
@click.option("--memory", type=click.Path(path_type=Path), required=True, metavar="PATH", help="The memory as it lies.")
@click.option(
    "--report", "report_file", type=click.Path(path_type=Path), required=True, help="report.json of its examination."
)
@click.option("--output-dir", type=click.Path(path_type=Path), default=Path("dist"), show_default=True, metavar="DIR")
def build_dataset_command(name: str, memory: Path, report_file: Path, output_dir: Path) -> None:
    """Make a dataset of a memory and the report of its examination: an archive, its checksum, a line in datasets.json.

    The same content gives the same archive. Exit code: 0 fine, 2 usage or input.
    """
    entry = build_dataset(name, memory, read_report(report_file), output_dir)
    click.echo(f"{output_dir / entry['url']}: {entry['num_bytes']:,} bytes, sha256 {entry['sha256']}")
