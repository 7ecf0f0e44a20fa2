"""Building a published dataset from a memory and the report of its evaluation."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from assay import __version__
from assay.memory_eval.datasets.archive import SUFFIX, pack
from assay.memory_eval.datasets.catalog import NAME, REGISTER
from assay.memory_eval.errors import ExamUsageError, told_in_a_line
from assay.memory_eval.files.atomic import write_atomically
from assay.memory_eval.render.rendering import rendered
from assay.memory_eval.report.model import EvalReport


def build_dataset(name: str, memory: Path, report: EvalReport, folder: Path) -> dict[str, Any]:
    """Write `NAME.tar.gz` and its entry in `folder`'s datasets.json; return the entry.

    Upload both files to one place and use its address as `base_url`. Raises `ExamUsageError` for an invalid name, an
    invalid run, a memory with anything but plain files, and a folder that cannot be written.
    """
    if not NAME.fullmatch(name):
        raise ExamUsageError(f"{name[:100]!r}: a dataset's name is of letters, digits, dots, dashes and underscores")
    if not report.valid:
        raise ExamUsageError(
            f"the report is not of a valid run ({report.why_invalid}); a dataset needs its scores",
            code="dataset.invalid-run",
        )
    with told_in_a_line(folder, "written"):
        folder.mkdir(parents=True, exist_ok=True)
        archive = folder / f"{name}{SUFFIX}"
        results = rendered(report, "json")
        digest = pack(archive, _metadata(name, report, json.loads(results)["memory_stats"], results), results, memory)
        entry = {
            "name": name,
            "url": archive.name,
            "sha256": digest,
            "num_bytes": archive.stat().st_size,
            "num_turns": report.num_turns,
            "seed": report.seed,
            "description": f"{report.num_turns:,} turns, {report.total_facts_delivered:,} facts; {report.agent}"[:2000],
        }
        write_atomically(archive.with_name(f"{archive.name}.sha256"), [f"{digest}  {archive.name}\n".encode()])
        _enter(folder / REGISTER, entry)
    return entry


def _metadata(name: str, report: EvalReport, memory_stats: Mapping[str, Any], results: str) -> dict[str, Any]:
    """Return configuration and provenance, without a date: the same memory gives the same archive."""
    return {
        "name": name,
        "num_turns": report.num_turns,
        "num_questions": report.num_questions,
        "seed": report.seed,
        "total_facts_delivered": report.total_facts_delivered,
        "world_version": report.world_version,
        "assay_version": __version__,
        "agent": report.agent,
        "overall_score": report.overall_score,
        "memory_stats": memory_stats,
        "baseline_results_sha256": hashlib.sha256(results.encode("utf-8")).hexdigest(),
    }


def _enter(register: Path, entry: Mapping[str, Any]) -> None:
    known: list[Any] = []
    if register.is_file():
        try:
            known = json.loads(register.read_text("utf-8"))["datasets"]
        except (ValueError, KeyError, TypeError):
            raise ExamUsageError(
                f"{register}: not a register of datasets; move it away", code="dataset.invalid-register"
            ) from None
    others = [one for one in known if isinstance(one, dict) and one.get("name") != entry["name"]]
    text = json.dumps({"datasets": sorted([*others, entry], key=lambda one: str(one["name"]))}, indent=2)
    write_atomically(register, [text.encode() + b"\n"])
