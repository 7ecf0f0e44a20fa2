"""Java and Kotlin: Maven and Gradle, by the wrapper in the tree where there is one."""

from __future__ import annotations

from collections.abc import Iterable

from assay.validators.changes.change import SourceTree
from assay.validators.configuration.settings_files import text_of
from assay.validators.report.model import ToolKind
from assay.validators.tools.tool import Ecosystem, Task

_GRADLE = ("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts")
MOST_SCRIPTS = 100


class Java(Ecosystem):
    """pom.xml and build.gradle."""

    name = "java"

    def tasks(self, tree: SourceTree) -> Iterable[Task]:
        """Return `mvn test` and `gradle test`, which also build."""
        if "pom.xml" in tree:
            program = "./mvnw" if "mvnw" in tree else "mvn"
            line = f"{program} --batch-mode --no-transfer-progress test"
            yield Task("maven", ToolKind.test, line, "pom.xml", inferred=True)
        script = next((name for name in _GRADLE if name in tree), None)
        if script:
            program = "./gradlew" if "gradlew" in tree else "gradle"
            scripts = [path for path in tree.paths if path.rpartition("/")[2] in _GRADLE][:MOST_SCRIPTS]
            # Modules for several platforms have no task `test`.
            task = "check" if any("multiplatform" in text_of(tree, path) for path in scripts) else "test"
            yield Task("gradle", ToolKind.test, f"{program} --no-daemon --console=plain {task}", script, inferred=True)


java = Java()
