"""PHP: the scripts of composer.json; PHPUnit, PHPStan and others where they are configured."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from assay.validators.changes.change import SourceTree
from assay.validators.configuration.settings_files import json_of, strings, table, text_of
from assay.validators.io.strict_json import parsed_json
from assay.validators.report.model import ToolKind
from assay.validators.tools.discovery.project_files.named_scripts import chosen_scripts
from assay.validators.tools.runners import started
from assay.validators.tools.tool import Ecosystem, Setup, SetupStep, Task

_LOCK_LIMIT = 4 * 1024 * 1024
_PACKAGES = {
    "phpunit": "phpunit/phpunit",
    "phpstan": "phpstan/phpstan",
    "psalm": "vimeo/psalm",
    "php-cs-fixer": "friendsofphp/php-cs-fixer",
    "phpcs": "squizlabs/php_codesniffer",
}
_MENTIONS = {"phpstan": "stan", "psalm": "psalm"}
"""What composer.json holds if it brings a tool, itself or by another package."""
_CONFIGURED = (
    (("phpunit.xml", "phpunit.xml.dist"), "phpunit", "vendor/bin/phpunit", ToolKind.test),
    (
        ("phpstan.neon", "phpstan.neon.dist", "phpstan.dist.neon"),
        "phpstan",
        "vendor/bin/phpstan analyse",
        ToolKind.types,
    ),
    (("psalm.xml", "psalm.xml.dist"), "psalm", "vendor/bin/psalm", ToolKind.types),
    (
        (".php-cs-fixer.php", ".php-cs-fixer.dist.php"),
        "php-cs-fixer",
        "vendor/bin/php-cs-fixer fix --dry-run --diff",
        ToolKind.formatting,
    ),
    (("phpcs.xml", "phpcs.xml.dist", ".phpcs.xml"), "phpcs", "vendor/bin/phpcs", ToolKind.lint),
)


class Php(Ecosystem):
    """composer.json."""

    name = "php"

    def tasks(self, tree: SourceTree) -> Iterable[Task]:
        """Return the usual scripts, then tools that are configured, and that composer installs."""
        if "composer.json" not in tree:
            return
        for name, kind in chosen_scripts(_scripts(tree)):
            yield Task(name, kind, f"composer run-script {name}", f"composer.json scripts.{name}")
        configured = [
            Task(tool, kind, line, found, inferred=True)
            for settings, tool, line, kind in _CONFIGURED
            if (found := next((path for path in settings if path in tree), None)) is not None
        ]
        yield from _brought(tree, configured) if configured else ()

    def setup(self, tree: SourceTree, tasks: Sequence[Task]) -> Setup | None:  # noqa: ARG002
        """Return the installation of composer.lock's packages; its hooks are code of the tree."""
        if "composer.json" not in tree:
            return None
        source = "composer.lock" if "composer.lock" in tree else "composer.json"
        return Setup(install=(SetupStep("composer install --no-interaction --no-progress", source),))

    def unfold(self, tree: SourceTree, words: Sequence[str]) -> Sequence[str] | None:
        """Return the body of a script; `@other` calls another one."""
        rest = started(words)
        if rest[:1] != ["composer"] or len(rest) < 2:
            return None
        scripts = _scripts(tree)
        name = rest[2] if rest[1] in ("run", "run-script") and len(rest) > 2 else rest[1]
        if name not in scripts:
            return None
        return [f"composer {line[1:]}" if line[1:] in scripts else line.removeprefix("@") for line in scripts[name]]


def _brought(tree: SourceTree, tasks: Sequence[Task]) -> Iterable[Task]:
    """Return the tasks whose tools composer installs, by composer.lock or, without one, by composer.json."""
    installed = _locked(tree)
    if installed is not None:
        return [task for task in tasks if _PACKAGES[task.name] in installed]
    text = text_of(tree, "composer.json")
    return [task for task in tasks if _MENTIONS.get(task.name, "") in text]


def _locked(tree: SourceTree) -> frozenset[str] | None:
    """Return the packages of composer.lock; None without a lock, where packages can bring others."""
    try:
        lock = parsed_json(text_of(tree, "composer.lock", _LOCK_LIMIT) or "null")
    except (ValueError, RecursionError):
        return None
    if not isinstance(lock, Mapping):
        return None
    listed = [one for name in ("packages", "packages-dev") for one in (lock.get(name) or ())]
    return frozenset(str(one.get("name")) for one in listed if isinstance(one, Mapping))


def _scripts(tree: SourceTree) -> Mapping[str, list[str]]:
    return {name: strings(body) for name, body in table(json_of(tree, "composer.json"), "scripts").items()}


php = Php()
