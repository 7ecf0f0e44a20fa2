"""Go: modules are built, vetted and tested whole."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from assay.validators.change import SourceTree
from assay.validators.report import ToolKind
from assay.validators.tools.tool import Setup, SetupStep, Task

_LINTER_SETTINGS = (".golangci.yml", ".golangci.yaml", ".golangci.toml", ".golangci.json")


@dataclass(frozen=True, slots=True)
class Go:
    """go.mod."""

    name: str = "go"

    def tasks(self, tree: SourceTree) -> Iterable[Task]:
        """`go build`, `go vet` and `go test` over all packages; golangci-lint where it is set up."""
        if "go.mod" not in tree:
            return
        yield Task("go test", ToolKind.test, "go test ./...", "go.mod", inferred=True)
        yield Task("go vet", ToolKind.lint, "go vet ./...", "go.mod", inferred=True)
        yield Task("go build", ToolKind.build, "go build ./...", "go.mod", inferred=True)
        settings = next((name for name in _LINTER_SETTINGS if name in tree), None)
        if settings:
            yield Task("golangci-lint", ToolKind.lint, "golangci-lint run ./...", settings, inferred=True)

    def setup(self, tree: SourceTree, tasks: Sequence[Task]) -> Setup | None:  # noqa: ARG002
        """The modules go.sum pins, into Go's own cache."""
        if "go.sum" not in tree:
            return None
        return Setup(fetch=(SetupStep("go mod download", "go.sum"),))

    def unfold(self, tree: SourceTree, words: Sequence[str]) -> Sequence[str] | None:  # noqa: ARG002
        """Go has no scripts."""
        return None


go = Go()
