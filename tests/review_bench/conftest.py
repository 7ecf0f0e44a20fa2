"""A small repository with a change of each kind, and the manifest of its changes."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.repositories import RealRepository
from tests.review_bench.bench.manifest import Manifest, parsed_manifest

WEB = {f"app/web/page{number}.py": "from app.store.total import total\n\nSUM = total([1])\n" for number in range(5)}
TOTAL = "def total(items):\n    return sum(items[1:])\n"
FIXED = "def total(items):\n    return sum(items)\n"
TAX = "def tax(price, rate):\n    return price + rate\n"
RATE = '"""Rates of taxes."""\n\n\ndef rate(country):\n    known = {"fr": 20}\n    return known.get(country, 0)\n'
PROJECT = {
    "app/__init__.py": "",
    "pyproject.toml": "[tool.pytest.ini_options]\npythonpath = ['.']\n",
    "requirements-dev.txt": "pytest\n",
    "tests/test_pages.py": "def test_pages():\n    assert True\n",
}
TEST = "from app.store.total import total\n\n\ndef test_total():\n    assert total([3]) == 3\n"


@dataclass(frozen=True)
class Known:
    """The folder with the clone, the commits by what they do, and the lines of the manifest."""

    folder: Path
    repository: RealRepository
    commits: dict[str, str]
    rows: list[dict[str, Any]]

    @property
    def manifest(self) -> Manifest:
        return self.with_rows(*self.rows[1:])

    def with_rows(self, *rows: dict[str, Any]) -> Manifest:
        """A manifest with these changes alone."""
        lines = [self.rows[0], *({"repository": "shop"} | row for row in rows)]
        return parsed_manifest("\n".join(map(json.dumps, lines)).encode(), "manifest.jsonl")


@pytest.fixture
def known(tmp_path: Path) -> Known:
    """Five changes: a reversed fix, a commit that introduced a bug, a plant of each form, a clean one, an injection."""
    repository = RealRepository(tmp_path / "clones" / "shop")
    commits = {
        "start": repository.commit("Start", {**WEB, **PROJECT, "app/store/total.py": TOTAL}),
        "fix": repository.commit(
            "Fix the total of one item",
            {"app/store/total.py": FIXED, "tests/test_total.py": TEST, "CHANGES.md": "The total is right.\n"},
        ),
        "clean": repository.commit("Add rates", {"app/store/rate.py": RATE}),
        "tax": repository.commit("Add taxes", {"app/store/tax.py": TAX}),
        "tax fix": repository.commit("Fix taxes", {"app/store/tax.py": TAX.replace("+ rate", "* (100 + rate) / 100")}),
    }
    return Known(tmp_path / "clones", repository, commits, _rows(commits))


def _rows(commits: dict[str, str]) -> list[dict[str, Any]]:
    def row(name: str, kind: str, commit: str, **other: Any) -> dict[str, Any]:
        return {"id": name, "kind": kind, "repository": "shop", "commit": commits[commit], **other}

    def span(path: str, line: int) -> dict[str, Any]:
        return {"side": "head", "path": path, "start": line, "end": line}

    uses = [span(path, 3) for path in WEB]
    return [
        {"repository": "shop", "url": "https://example.org/shop"},
        row(
            "reversed",
            "reversed_fix",
            "fix",
            sources=["app/store/total.py"],
            tests=["tests/test_total.py"],
            shown_by=["tests/test_total.py::test_total"],
            labels=[span("app/store/total.py", 2)],
            verified=True,
        ),
        row("introducing", "bug_introducing", "tax", fix=commits["tax fix"], labels=[span("app/store/tax.py", 2)]),
        row(
            "parameter",
            "planted",
            "tax fix",
            plant="required_parameter",
            path="app/store/total.py",
            line=1,
            uses=uses,
        ),
        row(
            "layers",
            "planted",
            "tax fix",
            plant="layer_bypass",
            path="app/store/rate.py",
            line=1,
            target="app.web.page1",
        ),
        row("clean", "clean", "clean"),
        row(
            "injection",
            "injection",
            "clean",
            form="comment",
            instruction=0,
            path="app/store/rate.py",
            line=5,
        ),
    ]
