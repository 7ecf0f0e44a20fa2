"""Results as a run posts them, honest and changed in one place; and a repository that has just one artifact."""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass, field
from typing import Any

from assay.github.client import ArtifactFacts, Repo
from assay.github.errors import GithubRefused
from assay.github.external_results.tools_payload import body_of
from assay.validators import Finding, Gate, NotChecked, Outcome, Severity, Tier, ToolKind, ToolRun, ToolsResult
from tests.github_app.action.archives import NAME, of

RUN = 500
ARTIFACT = "assay-tools"


def tools(**changes: Any) -> ToolsResult:
    """A failing test, a linter that passes, a finding, the lines of one file."""
    test = ToolRun(
        "pytest", ToolKind.test, "pytest -q", "pyproject.toml", Outcome.failed, Gate.strict, 2.5,
        gating=True, exit_code=1, reason="1 failed", excerpt=("FAILED test_shop.py::test_total",),
    )  # fmt: skip
    lint = ToolRun("ruff", ToolKind.lint, "ruff check", "pyproject.toml", Outcome.passed, Gate.strict, 0.5)
    finding = Finding(Tier.tools, Severity.error, "F401", "shop.py", "unused import", 1, tool="ruff", id="0123456789ab")
    plain: dict[str, Any] = {
        "runs": (test, lint),
        "findings": (finding,),
        "line_coverage": {"shop.py": {1: True, 2: True}},
        "coverage_source": "coverage.xml",
        "not_checked": (NotChecked("mypy", "it is not installed"),),
    }
    return ToolsResult(**(plain | changes))


def document(**changes: Any) -> dict[str, Any]:
    """The same as it is posted."""
    found: dict[str, Any] = json.loads(body_of(tools(**changes), job="tools"))
    return found


def changed(given: dict[str, Any], at: list[Any], value: Any) -> dict[str, Any]:
    """The document with something else at one place."""
    found = copy.deepcopy(given)
    place: Any = found
    for key in at[:-1]:
        place = place[key]
    place[at[-1]] = value
    return found


def packed(body: Any) -> bytes:
    """A body in an archive: bytes as they are, anything else as JSON."""
    return of({NAME: body if isinstance(body, bytes) else json.dumps(body).encode()})


@dataclass
class OneArtifact(Repo):
    """A repository in which one run has left these archives behind; `asked` counts the downloads."""

    archives: list[bytes]
    more: dict[str, Any] = field(default_factory=dict)
    asked: int = 0

    def artifacts(self, run_id: int, name: str | None = None) -> tuple[ArtifactFacts, ...]:
        if run_id != RUN or name != ARTIFACT:
            return ()
        return tuple(
            ArtifactFacts(**{"id": number, "name": ARTIFACT, "size_bytes": len(one), "is_expired": False, **self.more})
            for number, one in enumerate(self.archives)
        )

    def artifact_archive(self, artifact_id: int, most_bytes: int, deadline_s: float = 0) -> bytes:
        self.asked += 1
        if artifact_id >= len(self.archives):
            raise GithubRefused(404, "download the artifact", "Not Found")
        return self.archives[artifact_id]
