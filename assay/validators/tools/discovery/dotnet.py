""".NET: the solution at the top, or the project where there is none."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from assay.validators.changes.change import SourceTree
from assay.validators.report.model import ToolKind
from assay.validators.tools.commands.command_line import joined
from assay.validators.tools.tool import Ecosystem, Setup, SetupStep, Task

_SUFFIXES = (".sln", ".slnx", ".csproj", ".fsproj", ".vbproj")


class DotNet(Ecosystem):
    """*.sln and *.csproj."""

    name = "dotnet"

    def tasks(self, tree: SourceTree) -> Iterable[Task]:
        """Return `dotnet build` and `dotnet test`."""
        file = _at_top(tree)
        if file:
            test = joined(["dotnet", "test", file, "--nologo"])
            yield Task("dotnet test", ToolKind.test, test, file, inferred=True)
            build = joined(["dotnet", "build", file, "--nologo"])
            yield Task("dotnet build", ToolKind.build, build, file, inferred=True)

    def setup(self, tree: SourceTree, tasks: Sequence[Task]) -> Setup | None:  # noqa: ARG002
        """Return the restore of the solution's packages; it evaluates the tree's build files."""
        file = _at_top(tree)
        return Setup(install=(SetupStep(joined(["dotnet", "restore", file]), file),)) if file else None


def _at_top(tree: SourceTree) -> str | None:
    files = [path for path in tree.paths if "/" not in path]
    return next((path for suffix in _SUFFIXES for path in files if path.endswith(suffix)), None)


dotnet = DotNet()
