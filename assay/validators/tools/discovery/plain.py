"""Ecosystems that one manifest names, with the same commands everywhere: rows of a table."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from assay.validators.changes.change import SourceTree
from assay.validators.configuration.settings_files import json_of, strings, table, text_of
from assay.validators.report.model import ToolKind
from assay.validators.tools.commands.command_line import joined, words_of
from assay.validators.tools.discovery.project_files.named_scripts import chosen_scripts
from assay.validators.tools.runners import started
from assay.validators.tools.tool import Ecosystem, Setup, SetupStep, Task

_BUILD, _TEST, _LINT, _FORMAT, _TYPES = (
    ToolKind.build,
    ToolKind.test,
    ToolKind.lint,
    ToolKind.formatting,
    ToolKind.types,
)
_GRADLE = r"(build|settings)\.gradle(\.kts)?"
_GOLANGCI = r"\.golangci\.(ya?ml|toml|json)"
_PHP = {
    "phpunit": "phpunit/phpunit",
    "phpstan": "phpstan",
    "psalm": "psalm",
    "php-cs-fixer": "php-cs-fixer",
    "phpcs": "php_codesniffer",
}
"""What composer.json or composer.lock names if composer installs a tool."""
_SOLUTION = (r"[^/]+\.slnx?", r"[^/]+\.(cs|fs|vb)proj")
# Compiles what the tree imports from the standard library. Runs and compiles no code of the tree: an import may
# look like an option, so only names of standard packages are passed, after the end of the options.
_STANDARD_LIBRARY = (
    "go list -e -deps -test -f '{{if and .Standard (not .Error)}}{{.ImportPath}}{{end}}' ./... 2>/dev/null"
    " | xargs -r go build%s -- > /dev/null 2>&1 || true"
)


@dataclass(frozen=True, slots=True)
class _Row:
    """A command, and the file that shows that the project has it; of rows of one `name` the first counts.

    In the line `{file}` stands for that file, and other names for what `_words` returns.
    """

    name: str
    kind: ToolKind
    line: str
    file: str


_ROWS: dict[str, tuple[_Row, ...]] = {
    "go": (
        _Row("go test", _TEST, "go test ./...", "go.mod"),
        _Row("go vet", _LINT, "go vet ./...", "go.mod"),
        _Row("go build", _BUILD, "go build ./...", "go.mod"),
        _Row("golangci-lint", _LINT, "golangci-lint run ./...", _GOLANGCI),
    ),
    "rust": (
        _Row("cargo test", _TEST, "cargo test{whole}", "Cargo.toml"),
        _Row("clippy", _LINT, "cargo clippy{whole} --all-targets", "Cargo.toml"),
        _Row("rustfmt", _FORMAT, "cargo fmt --all --check", "Cargo.toml"),
        _Row("cargo build", _BUILD, "cargo build{whole}", "Cargo.toml"),
    ),
    "java": (
        _Row("maven", _TEST, "{mvnw} --batch-mode --no-transfer-progress test", "pom.xml"),
        _Row("gradle", _TEST, "{gradlew} --no-daemon --console=plain {gradle_task}", _GRADLE),
    ),
    "ruby": (
        _Row("tests", _TEST, "{bundle}rspec", r"spec/.+_spec\.rb"),
        _Row("tests", _TEST, "bin/rails test", "bin/rails"),
        _Row("tests", _TEST, "{bundle}rake test", "Rakefile"),
        _Row("rubocop", _LINT, "{bundle}rubocop", r"\.rubocop\.yml"),
    ),
    "php": (
        _Row("phpunit", _TEST, "vendor/bin/phpunit", r"phpunit\.xml(\.dist)?"),
        _Row("phpstan", _TYPES, "vendor/bin/phpstan analyse", r"phpstan(\.dist)?\.neon(\.dist)?"),
        _Row("psalm", _TYPES, "vendor/bin/psalm", r"psalm\.xml(\.dist)?"),
        _Row("php-cs-fixer", _FORMAT, "vendor/bin/php-cs-fixer fix --dry-run --diff", r"\.php-cs-fixer(\.dist)?\.php"),
        _Row("phpcs", _LINT, "vendor/bin/phpcs", r"\.?phpcs\.xml(\.dist)?"),
    ),
    "dotnet": (
        *(_Row("dotnet test", _TEST, "dotnet test {file} --nologo", file) for file in _SOLUTION),
        *(_Row("dotnet build", _BUILD, "dotnet build {file} --nologo", file) for file in _SOLUTION),
    ),
}
_MANIFESTS = {"go": ("go.mod",), "rust": ("Cargo.toml",), "ruby": ("Gemfile", "Rakefile"), "php": ("composer.json",)}
_TEST_TASK = re.compile(r"Rake::TestTask|(task|namespace)[ (]:?[\"']?test\b|minitest", re.IGNORECASE)
MOST_SCRIPTS = 100


class Plain(Ecosystem):
    """An ecosystem whose commands are rows of the table."""

    def __init__(self, name: str) -> None:
        self.name = name  # type: ignore[misc]

    def tasks(self, tree: SourceTree) -> Iterable[Task]:
        """Return the rows whose file exists, and the scripts of composer.json."""
        if self.name in _MANIFESTS and not any(name in tree for name in _MANIFESTS[self.name]):
            return
        if self.name == "php":
            for name, kind in chosen_scripts(_scripts(tree)):
                yield Task(name, kind, f"composer run-script {name}", f"composer.json scripts.{name}")
        words, names = _words(tree), set[str]()
        for row in _ROWS[self.name]:
            file = next((path for path in tree.paths if re.fullmatch(row.file, path)), None)
            if file is None or row.name in names or not _is_used(tree, row):
                continue
            names.add(row.name)
            line = row.line.format(**words, file=joined([file]))
            found_in = "spec/" if file.startswith("spec/") else file
            name = " ".join(started(words_of(line))[:2]) if row.name == "tests" else row.name
            yield Task(name, row.kind, line, found_in, inferred=True)

    def setup(self, tree: SourceTree, tasks: Sequence[Task]) -> Setup | None:
        """Return how packages are fetched or installed."""
        return _SETUPS[self.name](tree, tasks) if self.name in _SETUPS else None

    def unfold(self, tree: SourceTree, words: Sequence[str]) -> Sequence[str] | None:
        """Return the body of a script of composer.json; `@other` calls another one."""
        rest = started(words)
        if self.name != "php" or rest[:1] != ["composer"] or len(rest) < 2:
            return None
        scripts = _scripts(tree)
        name = rest[2] if rest[1] in ("run", "run-script") and len(rest) > 2 else rest[1]
        if name not in scripts:
            return None
        return [f"composer {line[1:]}" if line[1:] in scripts else line.removeprefix("@") for line in scripts[name]]


def _words(tree: SourceTree) -> dict[str, str]:
    scripts = [path for path in tree.paths if re.fullmatch(_GRADLE, path.rpartition("/")[2])][:MOST_SCRIPTS]
    return {
        "whole": " --workspace" if re.search(r"^\[workspace", text_of(tree, "Cargo.toml"), re.MULTILINE) else "",
        "mvnw": "./mvnw" if "mvnw" in tree else "mvn",
        "gradlew": "./gradlew" if "gradlew" in tree else "gradle",
        # Modules for several platforms have no task `test`.
        "gradle_task": "check" if any("multiplatform" in text_of(tree, path) for path in scripts) else "test",
        "bundle": "bundle exec " if "Gemfile" in tree else "",
    }


def _is_used(tree: SourceTree, row: _Row) -> bool:
    """Return whether the project's own files name what a row runs, where its file alone does not show it."""
    if row.file == "Rakefile":
        return _TEST_TASK.search(text_of(tree, "Rakefile")) is not None
    if row.file == "bin/rails":
        return any(path.startswith("test/") for path in tree.paths)
    package = _PHP.get(row.name, "")
    return any(package in text_of(tree, name, 4 << 20) for name in ("composer.json", "composer.lock"))


def _scripts(tree: SourceTree) -> dict[str, list[str]]:
    return {name: strings(body) for name, body in table(json_of(tree, "composer.json"), "scripts").items()}


def _go(tree: SourceTree, tasks: Sequence[Task]) -> Setup | None:
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


def _rust(tree: SourceTree, _: Sequence[Task]) -> Setup | None:
    """Return the download of Cargo.lock's crates; not cached if the tree names a program that cargo starts to fetch."""
    if "Cargo.lock" not in tree:
        return None
    step = (SetupStep("cargo fetch --locked", "Cargo.lock"),)
    runs = any(path in tree for path in (".cargo/config", ".cargo/config.toml"))
    if runs or any("path" in text_of(tree, path) for path in ("rust-toolchain", "rust-toolchain.toml")):
        return Setup(install=step, covers_nested=True)
    keeps = ("$ASSAY_PREFIX/cargo/registry", "$ASSAY_PREFIX/cargo/git")
    known = ("Cargo.lock",)
    return Setup(fetch=step, keeps=keeps, depends_on=known, versions=("cargo --version",), covers_nested=True)


def _ruby(tree: SourceTree, _: Sequence[Task]) -> Setup | None:
    """Return the installation of the gems into this tree's folder: a gemspec may point at the tree."""
    if "Gemfile" not in tree:
        return None
    is_locked = "Gemfile.lock" in tree
    source = "Gemfile.lock" if is_locked else "Gemfile"
    install = f'{"BUNDLE_FROZEN=1 " if is_locked else ""}BUNDLE_PATH="$ASSAY_PREFIX/gems" bundle install --quiet'
    keep_path = 'bundle config set --local path "$ASSAY_PREFIX/gems"'
    return Setup(install=(SetupStep(keep_path, source), SetupStep(install, source)))


def _php(tree: SourceTree, _: Sequence[Task]) -> Setup | None:
    """Return the installation of composer's packages; its hooks are code of the tree."""
    source = next((name for name in ("composer.lock", "composer.json") if name in tree), None)
    line = "composer install --no-interaction --no-progress"
    return Setup(install=(SetupStep(line, source),)) if source and "composer.json" in tree else None


def _dotnet(tree: SourceTree, _: Sequence[Task]) -> Setup | None:
    """Return the restore of the solution's packages; it evaluates the tree's build files."""
    files = (path for pattern in _SOLUTION for path in tree.paths if re.fullmatch(pattern, path))
    file = next(files, None)
    return Setup(install=(SetupStep(joined(["dotnet", "restore", file]), file),)) if file else None


_SETUPS = {"go": _go, "rust": _rust, "ruby": _ruby, "php": _php, "dotnet": _dotnet}
PLAIN = tuple(map(Plain, _ROWS))
