"""Run chosen rules of ruff on texts, in a private folder without settings."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from typing import Any

from assay.validators.errors import CouldNotRun
from assay.validators.io import process
from assay.validators.quality.inputs.export import exported

OUTPUT_LIMIT = 32 * 1024 * 1024
SUFFIXES = (".py", ".pyi", ".ipynb")


def ruff_places(
    texts: Sequence[tuple[str, str]], codes: Collection[str], timeout_s: float
) -> list[tuple[int, str, tuple[int, int]]]:
    """Return (index of the text, ruff's code, first and last line) of each match of these rules in Python texts.

    Raises `CouldNotRun` if ruff is missing, fails or takes too long.
    """
    read = [i for i, (path, _) in enumerate(texts) if path.endswith(SUFFIXES)]
    if not read or not codes:
        return []
    with exported((texts[i][0], texts[i][1].encode("utf-8", "surrogateescape")) for i in read) as export:
        options = ["--isolated", "--no-cache", "--ignore-noqa", "--no-respect-gitignore", "--output-format=json"]
        # A group of rules selects no preview rule; one that is named does.
        options += ["--preview", "--config=lint.explicit-preview-rules = true"]
        done = process.run(
            [process.own_program("ruff"), "check", *options, "--select", ",".join(codes), "."],
            cwd=export.folder,
            env=process.clean_environment({"HOME": str(export.folder)}),
            timeout_s=timeout_s,
            output_limit=OUTPUT_LIMIT,
            may_leave=False,
        )
        places = dict(zip(export.paths, read, strict=True))
    if done.timed_out or done.num_dropped:
        raise CouldNotRun("ruff exceeded the tier's limits")
    try:
        return [(places[_name(one)], one["code"], _lines(one)) for one in json.loads(done.stdout) if _is_rule(one)]
    except (ValueError, KeyError, TypeError, RecursionError):
        words = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise CouldNotRun(f"ruff failed: {' '.join(words[:2])[:200] or 'its output is not as expected'}") from None


def _is_rule(one: Any) -> bool:
    """Return whether ruff reports a rule, and not an error of syntax."""
    return bool(one["code"]) and one["code"] != "invalid-syntax"


def _name(one: Any) -> str:
    return str(one["filename"]).rpartition("/")[2]


def _lines(one: Any) -> tuple[int, int]:
    return int(one["location"]["row"]), int(one["end_location"]["row"])
