"""Go: modules are built, vetted and tested whole."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from assay.validators.changes.change import SourceTree
from assay.validators.report.model import ToolKind
from assay.validators.tools.commands.command_line import words_of
from assay.validators.tools.tool import Ecosystem, Setup, SetupStep, Task

# Compiles what the tree imports from the standard library. Runs and compiles no code of the tree: an import may
# look like an option, so only names of standard packages are passed, after the end of the options.
_STANDARD_LIBRARY = (
    "go list -e -deps -test -f '{{if and .Standard (not .Error)}}{{.ImportPath}}{{end}}' ./... 2>/dev/null"
    " | xargs -r go build%s -- > /dev/null 2>&1 || true"
)
_LINTER_SETTINGS = (".golangci.yml", ".golangci.yaml", ".golangci.toml", ".golangci.json")


class Go(Ecosystem):
    """go.mod."""

    name = "go"

    def tasks(self, tree: SourceTree) -> Iterable[Task]:
        """Return `go build`, `go vet` and `go test` over all packages; golangci-lint where it is configured."""
        if "go.mod" not in tree:
            return
        yield Task("go test", ToolKind.test, "go test ./...", "go.mod", inferred=True)
        yield Task("go vet", ToolKind.lint, "go vet ./...", "go.mod", inferred=True)
        yield Task("go build", ToolKind.build, "go build ./...", "go.mod", inferred=True)
        settings = next((name for name in _LINTER_SETTINGS if name in tree), None)
        if settings:
            yield Task("golangci-lint", ToolKind.lint, "golangci-lint run ./...", settings, inferred=True)

    def setup(self, tree: SourceTree, tasks: Sequence[Task]) -> Setup | None:
        """Return the download of go.sum's modules and a build of the standard library, into Go's own caches."""
        if "go.mod" not in tree:
            return None
        tests_races = any("-race" in words_of(line) for task in tasks for line in task.does or (task.line,))
        fetch = [SetupStep("go mod download -modcacherw", "go.sum")] if "go.sum" in tree else []
        fetch.append(SetupStep(_STANDARD_LIBRARY % (" -race" if tests_races else ""), "go.mod"))
        return Setup(
            fetch=tuple(fetch),
            keeps=("$ASSAY_PREFIX/go/pkg/mod", "$ASSAY_PREFIX/go-build"),
            depends_on=("go.mod", "go.sum", "go.work", "go.work.sum"),
            versions=("go version",),
        )


go = Go()
