"""Streams of review comments of public projects, read from repositories that keep them; named here, not stored.

| Projects | Source |
|---|---|
| astral-sh/ruff, astral-sh/uv, astral-sh/ty, BurntSushi/ripgrep, clap-rs/clap | zaniebot/unmaintain-rendered |
| pokt-network/pocket, SainsburyWellcomeCentre/aeon_mecha | brinnarlyne8585/AIReviewActionAnalysis |

    python -m tests.repeats.streams FOLDER UNMAINTAIN_RENDERED.git AI_REVIEW_ACTION_ANALYSIS.git

writes FOLDER/OWNER_NAME.jsonl in the form that `python -m tests.repeats replay` and `assay rules mine` read.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

RENDERED = ("astral-sh/ruff", "astral-sh/uv", "astral-sh/ty", "BurntSushi/ripgrep", "clap-rs/clap")
IN_TABLES = ("pokt-network/pocket", "SainsburyWellcomeCentre/aeon_mecha")
FITTED = (
    "astral-sh/uv",
    "pokt-network/pocket",
    "clap-rs/clap",
    "astral-sh/ruff",
    "BurntSushi/ripgrep",
    "astral-sh/ty",
)
"""Projects with labels."""

_COMMENT = re.compile(r"^_Review comment by @(\S+) on `(.*)`(?::(\d+))? on (\d{4}-\d\d-\d\d \d\d:\d\d)_$")
_TABLES = ("anc95_ChatGPT-CodeReview", "coderabbitai_ai-pr-reviewer", "mattzcarey_code-review-gpt")


def name_of(body: str) -> str:
    """The name of a comment in the labels: a hash of its text."""
    return hashlib.sha256(body.strip().encode("utf-8", "surrogatepass")).hexdigest()[:12]


def rendered(git_dir: Path, project: str) -> Iterator[dict[str, Any]]:
    """First comments on each line, from pull requests rendered as Markdown."""
    seen_pulls: set[int] = set()
    for text in _texts(git_dir, f"{project}/pulls"):
        head = re.match(r"```yaml\n(.*?)\n```", text, re.DOTALL)
        if head is None:
            continue
        meta = dict(line.split(": ", 1) for line in head[1].split("\n") if ": " in line)
        pull = int(meta["number"])
        if pull in seen_pulls:
            continue
        seen_pulls.add(pull)
        places: set[tuple[str, str]] = set()
        for section in text.split("\n\n---\n\n"):
            first, _, body = section.strip("\n").partition("\n")
            found = _COMMENT.match(first)
            if found is None or (found[2], found[3]) in places:
                continue
            places.add((found[2], found[3]))
            yield {
                "body": body.strip(),
                "author": found[1],
                "pull": pull,
                "pull_author": meta["author"],
                "path": found[2],
                "created_at": found[4].replace(" ", "T") + ":00Z",
            }


def in_tables(git_dir: Path, project: str) -> Iterator[dict[str, Any]]:
    """Comments of people, from tables of review comments."""
    csv.field_size_limit(10**9)
    for name in _TABLES:
        text = _git(git_dir, "show", f"HEAD:_data/{name}/crawled_data/valid_human_reviews.csv")
        for row in csv.DictReader(io.StringIO(text)):
            pull = re.search(r"/pulls?/(\d+)", f"{row['PR_URL']} {row['Affiliated_PR_URL']}")
            if row["Repository"] == project and pull is not None:
                yield {
                    "body": row["Body"],
                    "author": row["Comment_Author"],
                    "pull": int(pull[1]),
                    "path": row["Diff_path"],
                    "created_at": row["Created_At"],
                    "diff_hunk": row["Diff_hunk"],
                }


def read_stream(folder: Path, project: str) -> list[dict[str, Any]]:
    """The comments of a project in order, without bots and authors."""
    lines = (folder / f"{project.replace('/', '_')}.jsonl").read_text(encoding="utf-8").splitlines()
    found = [json.loads(line) for line in lines]
    return [one for one in found if one["author"] != one.get("pull_author") and not one["author"].endswith("[bot]")]


def _texts(git_dir: Path, folder: str) -> Iterator[str]:
    import tarfile

    packed = subprocess.run(["git", "-C", git_dir, "archive", "HEAD", folder], check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as files:
        for member in files:
            content = files.extractfile(member)
            if content is not None and member.name.endswith(".md"):
                yield content.read().decode("utf-8", "replace").replace("\r\n", "\n")


def _git(git_dir: Path, *args: str) -> str:
    return subprocess.run(["git", "-C", git_dir, *args], check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    target, rendered_dir, tables_dir = map(Path, sys.argv[1:])
    target.mkdir(parents=True, exist_ok=True)
    sources = [(rendered, rendered_dir, one) for one in RENDERED] + [(in_tables, tables_dir, one) for one in IN_TABLES]
    for reader, git_dir, project in sources:
        comments = sorted(reader(git_dir, project), key=lambda one: (one["created_at"], one["pull"]))
        lines = "".join(json.dumps(one) + "\n" for one in comments)
        (target / f"{project.replace('/', '_')}.jsonl").write_text(lines, encoding="utf-8")
        print(project, len(comments))
