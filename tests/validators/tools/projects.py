"""The little projects whose tools' output was captured into tests/cases/tools, and a way to have it read again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from assay.validators.io.process import Completed
from assay.validators.report.model import Counts, ToolKind
from assay.validators.tools.readers.register import MEMBERS
from assay.validators.tools.tool import Ran, Reading, Task, Tool
from tests.conftest import ROOT

CASES = ROOT / "tests" / "cases" / "tools"
FILES = {
    "python": (
        "src/shop/__init__.py src/shop/cart.py src/shop/bad.py src/shop/i.py tests/test_cart.py tests/test_broken.py "
        "tests/case_unit.py tests/conftest.py"
    ),
    "javascript": (
        "package.json tsconfig.json src/cart.js src/bad.js src/typed.ts test/cart.test.js test/ok.test.js "
        "test/broken.test.js vt/cart.spec.js vt/ok.spec.js vt/broken.spec.js nt/cart.test.mjs nt/broken.test.mjs "
        "mt/cart.js t.tap.mjs bt/cart.test.ts bt/late.test.ts bt/broken.test.ts"
    ),
    "rust": "Cargo.toml src/lib.rs tests/whole.rs",
    "go": "go.mod cart/cart.go cart/cart_test.go cart/deep_test.go empty/empty.go nested/n_test.go",
}
LANGUAGES = {
    **dict.fromkeys(("pytest", "unittest", "ruff", "mypy", "black", "pyright"), "python"),
    "cargo": "rust",
    "go": "go",
}
"""What a captured output was captured in; everything else is JavaScript's."""


def tool(name: str) -> Tool:
    """A member of the register, `command` for a name that is none."""
    return next((member for member in MEMBERS if member.name in (name, name.replace("_", ":"))), MEMBERS[-1])


@dataclass
class Project:
    """A folder with a project's files (empty), in which an output is read as if it came from there."""

    folder: Path
    directory: str = "."
    root: Path = field(init=False)
    scratch: Path = field(init=False)

    def __post_init__(self) -> None:
        self.root, self.scratch = self.folder / "tree", self.folder / "scratch"
        self.root.mkdir(exist_ok=True)
        self.scratch.mkdir(exist_ok=True)

    def of(self, language: str) -> Project:
        """Write the files of the captured project of a language."""
        return self.write(*FILES[language].split())

    def write(self, *names: str) -> Project:
        """Write files, empty but for what readers look into."""
        for name in names:
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("module example.com/shop\n" if name.endswith("go.mod") else "")
        return self

    def read(
        self,
        member: Tool,
        said: str | bytes,
        *,
        exit_code: int | None = 1,
        words: Sequence[str] = (),
        stderr: bytes = b"",
    ) -> Reading:
        """What a member reads in an output; `{root}` in it stands for the folder."""
        data = said.encode("utf-8", "surrogateescape") if isinstance(said, str) else said
        data = data.replace(b"{root}", str(self.root).encode())
        task = Task(member.name, ToolKind.test, "x", "a test", directory=self.directory)
        completed = Completed(exit_code, data, stderr, 1.0)
        return member.read(Ran(task, words, completed, self.root, self.scratch))


def counted(counts: Counts) -> str:
    """Counts as words: `2 passed, 1 failed`; what is unknown is left out."""
    names = ("passed", "failed", "skipped", "errors", "warnings")
    return ", ".join(f"{value} {name}" for name in names if (value := getattr(counts, name)) is not None)


def listed(reading: Reading) -> list[str]:
    """Findings as lines: `src/cart.py:3 error F401 message`."""
    return [f"{f.file}:{f.line or ''} {f.severity} {f.rule} {f.message}" for f in reading.findings]
