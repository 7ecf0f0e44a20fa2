"""Java and Kotlin: Maven and Gradle, by the wrapper in the tree where there is one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from assay.validators.change import SourceTree
from assay.validators.report.model import ToolKind
from assay.validators.tools.tool import Setup, Task

_GRADLE = ("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts")


@dataclass(frozen=True, slots=True)
class Java:
    """pom.xml and build.gradle."""

    name: str = "java"

    def tasks(self, tree: SourceTree) -> Iterable[Task]:
        """Return `mvn test` and `gradle test`, which also build."""
        if "pom.xml" in tree:
            program = "./mvnw" if "mvnw" in tree else "mvn"
            line = f"{program} --batch-mode --no-transfer-progress test"
            yield Task("maven", ToolKind.test, line, "pom.xml", inferred=True)
        script = next((name for name in _GRADLE if name in tree), None)
        if script:
            program = "./gradlew" if "gradlew" in tree else "gradle"
            yield Task("gradle", ToolKind.test, f"{program} --no-daemon --console=plain test", script, inferred=True)

    def setup(self, tree: SourceTree, tasks: Sequence[Task]) -> Setup | None:  # noqa: ARG002
        """Return None: both fetch what they need when they run."""
        return None

    def unfold(self, tree: SourceTree, words: Sequence[str]) -> Sequence[str] | None:  # noqa: ARG002
        """Return None: build phases are not followed."""
        return None


java = Java()
