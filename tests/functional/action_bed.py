"""A repository whose pull requests the Action validates: act runs its workflows, which are the documentation's."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator

from assay.cli.schema import schema_text
from tests.conftest import ROOT
from tests.fakes.act import Act
from tests.fakes.act_report import ActRun
from tests.fakes.act_run import ASSAY_REPOSITORY
from tests.fakes.github import FakeGitHub
from tests.repositories import RealRepository

_BLOCK = re.compile(r"^```yaml\n# \.github/workflows/(\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def documented(page: str) -> list[tuple[str, str]]:
    """The workflows of a page of docs/action, as somebody would copy them: file name and text."""
    text = (ROOT / "docs/action" / page).read_text().replace("OWNER/assay", ASSAY_REPOSITORY)
    return _BLOCK.findall(text)


(_, FIRST), (_, SECOND) = documented("index.md")
SETTINGS = """\
mode: enforce
comments: all
tier1:
  setup: none
  commands:
    - {run: python -m pytest -q -p no:cacheprovider, name: tests, gate: strict}
  scanners: [zizmor, squawk]
tier2:
  customRules:
    - {id: no-print, message: Say nothing to the terminal, severity: error, forbid: 'print\\('}
"""
FILES = {
    ".github/assay.yml": SETTINGS,
    ".github/workflows/assay.yml": FIRST,
    ".github/workflows/assay-report.yml": SECOND,
    "shop.py": "def price(n):\n    return n\n",
    "test_shop.py": "from shop import price\n\n\ndef test_price():\n    assert price(2) >= 2\n",
}
BETTER = {"shop.py": "def price(n):\n    return n + 1\n"}
BROKEN = {"shop.py": "def price(n):\n    return n - 1\n"}
LOUD = {"shop.py": "def price(n):\n    print('HERE', n)\n    return n + 1\n"}


def job(*steps: str, on: str = "pull_request", permissions: str = "contents: read") -> str:
    """A workflow with one job `one`; each step is YAML that begins without a dash."""
    lines = [f"on: [{on}]", "jobs:", "  one:", "    runs-on: ubuntu-latest", f"    permissions: {{{permissions}}}"]
    lines += ["    outputs: {conclusion: '${{ steps.assay.outputs.conclusion }}'}", "    steps:"]
    for step in steps:
        first, *rest = step.strip("\n").split("\n")
        lines += [f"      - {first}", *(f"        {line}" for line in rest)]
    return "\n".join(lines) + "\n"


@dataclass
class Shop:
    """`acme/shop`, and pull requests to it."""

    github: FakeGitHub
    work: RealRepository
    act: Act
    name: str = "acme/shop"
    base: str = ""
    heads: dict[int, str] = field(default_factory=dict)

    def begin(self, **files: str) -> None:
        """The first commit; `files` may replace `assay_yml`, the configuration."""
        settings = files.get("assay_yml")
        self.name = self.github.create_repository(self.name.split("/")[1])
        changed = {".github/assay.yml": settings} if settings is not None else {}
        self.base = self.work.commit("Start", FILES | changed)
        self.github.push(self.work, "main", repo=self.name)

    def pull(
        self, files: Mapping[str, str | bytes], *, message: str = "A change", by: str = "ada",
        fork: str | None = None, branch: str = "change",
    ) -> int:  # fmt: skip
        """Open a pull request with one commit."""
        self.github.person(by)
        self.work.branch(branch, "main")
        head = self.work.commit(message, files)
        self.github.push(self.work, branch, repo=fork or self.name, by=by)
        number = self.github.open_pull(branch, by=by, title=message.splitlines()[0], repo=self.name, from_fork=fork)
        self.heads[number] = head
        return number

    def validate(self, number: int, workflow: str = "assay.yml", **more: Any) -> ActRun:
        """Let the first workflow run for a pull request."""
        return self.act.pull(number, workflow, repo=self.name, **more)

    # ------------------------------------------------------------------ what stands there

    def check(self, number_or_sha: int | str) -> dict[str, Any]:
        """The one Check Run of a head."""
        (found,) = self.checks(number_or_sha)
        return found

    def checks(self, number_or_sha: int | str) -> list[dict[str, Any]]:
        sha = self.heads[number_or_sha] if isinstance(number_or_sha, int) else number_or_sha
        return self.github.check_runs(sha, repo=self.name, name="Assay")

    def risk(self, number: int) -> list[str]:
        return [one for one in self.github.labels(number, repo=self.name) if one.startswith("risk:")]

    def comments(self, number: int) -> list[str]:
        return [one["body"] for one in self.github.comments(number, repo=self.name)]

    def writes(self) -> list[str]:
        """What was written by the API, but for git's own requests."""
        return [
            f"{one.method} {one.path}"
            for one in self.github.requests
            if one.method not in ("GET", "HEAD") and one.path.startswith("/repos/")
        ]


def report_of(run: ActRun, artifact: str = "assay-report") -> dict[str, Any]:
    """The report a run left behind, after comparing it with our own schema."""
    report: dict[str, Any] = json.loads(run.artifacts[artifact]["report.json"])
    Draft202012Validator(json.loads(schema_text("report"))).validate(report)
    return report


def keeps_secrets(run: ActRun) -> None:
    """No token of any job is in what the runner printed, nor in what was kept."""
    kept = [content for files in run.artifacts.values() for content in files.values()]
    for token in run.tokens:
        assert token not in run.log, "a token is in the log"
        assert not any(token.encode() in content for content in kept), "a token is in an artifact"


def at(folder: Path, github: FakeGitHub, repository: RealRepository, **more: Any) -> Shop:
    """A shop with its runner."""
    return Shop(github, repository, Act(github, folder / "act"), **more)
