"""Risk label: exactly one of four per pull request, changed only if it differs."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from assay.github.client.connection import RepositoryClient, quoted
from assay.github.errors import GithubRefused

_NEEDS = "pull_requests: write"


@dataclass(frozen=True, slots=True)
class Label:
    """Label to create; `color` is six hex digits without `#`."""

    name: str
    color: str
    description: str


RISK_LABELS: dict[str, Label] = {
    "low": Label("risk:low", "0e8a16", "Assay: rarely needs a fix, and no policy floor"),
    "medium": Label("risk:medium", "fbca04", "Assay: needs a fix more often than most changes"),
    "high": Label("risk:high", "d93f0b", "Assay: needs a thorough review; the report says why"),
    "critical": Label("risk:critical", "b60205", "Assay: most likely to need a fix, or breaks or unlocks something"),
}
"""Level -> label. Colours from green to dark red; GitHub's own palette."""

_OURS = {label.name for label in RISK_LABELS.values()}


class Labels(RepositoryClient):
    """Labels of pull requests."""

    def labels(self, number: int) -> tuple[str, ...]:
        """Return the names of a pull request's labels."""
        found = self._connection.pages(f"{self._path}/issues/{number}/labels", "read the labels", "pull_requests: read")
        return tuple(str(one["name"]) for one in found if isinstance(one, dict) and "name" in one)

    def set_risk_label(
        self, number: int, level: str, there: Collection[str] | None = None, made: Collection[str] = ()
    ) -> bool:
        """Set the label of this level, remove the other three, and return whether anything changed.

        `there` are the pull request's labels where they were read just now, `made` those that the repository is known
        to have. The new label is added before the old one
        is removed, so that rules for "any risk label" always match.
        """
        wanted = RISK_LABELS[level]
        there = self.labels(number) if there is None else there
        # GitHub's label names are case-insensitive.
        has_it = any(name.lower() == wanted.name for name in there)
        others = [name for name in there if name.lower() in _OURS - {wanted.name}]
        path = f"{self._path}/issues/{number}/labels"
        if not has_it:
            if wanted.name not in made:
                self._make_sure_of(wanted)
            body = {"labels": [wanted.name]}
            self._connection.send("POST", path, "add the risk label", _NEEDS, body=body, is_repeatable=True)
        for name in others:
            self._take_off(f"{path}/{quoted(name)}")
        return bool(others) or not has_it

    def _make_sure_of(self, label: Label) -> None:
        """Create a missing label; an existing one keeps its colour and description."""
        if self._exists(label):
            return
        body = {"name": label.name, "color": label.color, "description": label.description}
        path = f"{self._path}/labels"
        try:
            self._connection.send("POST", path, "create the risk label", _NEEDS, body=body, is_repeatable=True)
        except GithubRefused as refused:
            # A concurrent request created it, or the response to the first try was lost.
            if refused.status != 422 or not self._exists(label):
                raise

    def _exists(self, label: Label) -> bool:
        return self._connection.find(f"{self._path}/labels/{quoted(label.name)}", "look for the risk label") is not None

    def _take_off(self, path: str) -> None:
        try:
            self._connection.send("DELETE", path, "remove an older risk label", _NEEDS)
        except GithubRefused as refused:
            if refused.status != 404:  # a concurrent request removed it
                raise
