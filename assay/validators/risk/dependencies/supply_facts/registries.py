"""Places that packages are fetched from."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from assay.validators.dependencies.manifests.python import is_requirements
from assay.validators.risk.dependencies.supply_facts.fact import Fact, Reader, Sides, new_lines
from assay.validators.wording import quoted

_FILES = {
    ".npmrc": r"^\s*(?:@[\w.-]+:)?registry\s*=",
    ".yarnrc": r"^\s*\"?(?:@[\w.-]+:)?registry\"?\s",
    ".yarnrc.yml": r"npmRegistryServer\s*:",
    "bunfig.toml": r"^\s*registry\s*=",
    **dict.fromkeys(("pip.conf", "pip.ini"), r"^\s*(?:(?:extra-)?index-url|find-links|trusted-host)\s*="),
    **dict.fromkeys(("pyproject.toml", "uv.toml"), r"^\s*(?:(?:extra-)?index-url|find-links)\s*="),
    "Gemfile": r"^\s*source[\s(]+[\"']",
    "NuGet.config": r"<add\s+key=[^>]*\bvalue=\"https?:",
    **dict.fromkeys(
        ("build.gradle", "settings.gradle"), r"\bmaven\s*\{[^}]*\burl\b|^\s*url\s*[=(\s]+(?:uri\()?[\"']https?:"
    ),
    "pom.xml": r"<url>\s*https?:[^<]*(?:maven|nexus|artifactory|repo)[^<]*</url>",
    **dict.fromkeys(
        ("build.gradle.kts", "settings.gradle.kts"), r"\bmaven\s*[({].*https?:|^\s*(?:setUrl|url)\s*[=(].*https?:"
    ),
    "go.mod": r"\s=>\s*\S",
    "config.toml": r"^\s*(?:registry|replace-with|index)\s*=",
}
_IN_REQUIREMENTS = re.compile(r"^\s*(?:-i|-f|--(?:extra-)?index-url|--find-links|--trusted-host)[\s=]")
_SOURCE = re.compile(r"^\s*url\s*=\s*[\"']")
_SOURCE_TABLE = re.compile(r"^\s*\[\[\s*(?:tool\.(?:poetry|pdm)\.source|tool\.uv\.index|index|source)\s*\]\]")
_ANY_TABLE = re.compile(r"^\s*\[")


def _names_places(path: str) -> bool:
    name = PurePosixPath(path).name
    if name == "config.toml":
        return PurePosixPath(path).parent.name == ".cargo"
    return name in _FILES or name == "Pipfile" or is_requirements(path)


def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(_FILES[name]) if name in _FILES else _IN_REQUIREMENTS


def _registries(sides: Sides) -> Iterator[Fact]:
    name = PurePosixPath(sides.file.path).name
    for line, match in new_lines(sides, _pattern(name)):
        yield Fact("source_moved", f"packages come from another place: {quoted(match.string)}", line)
    if name in ("pyproject.toml", "uv.toml", "Pipfile"):
        rows = sides.after.split("\n")
        for line, match in new_lines(sides, _SOURCE):
            above = next((row for row in reversed(rows[: line - 1]) if _ANY_TABLE.match(row)), "")
            if _SOURCE_TABLE.match(above):
                yield Fact("source_moved", f"packages come from another place: {quoted(match.string)}", line)


REGISTRIES = Reader("registries", _names_places, _registries)

_ECOSYSTEMS = {
    **dict.fromkeys((".npmrc", ".yarnrc", ".yarnrc.yml", "bunfig.toml"), "npm"),
    **dict.fromkeys(("pip.conf", "pip.ini", "pyproject.toml", "uv.toml", "Pipfile"), "pypi"),
    "Gemfile": "gem",
    "NuGet.config": "nuget",
    "config.toml": "cargo",
}


def ecosystem_of_source(path: str) -> str | None:
    """Return the ecosystem whose sources a file of this name may set."""
    if not _names_places(path):
        return None
    return "pypi" if is_requirements(path) else _ECOSYSTEMS.get(PurePosixPath(path).name)


def sets_source(path: str, text: str) -> bool:
    """Return whether such a file names a source of packages; a Gemfile's first one is the usual one."""
    name = PurePosixPath(path).name
    pattern = _pattern(name)
    lines = [line[:2000] for line in text.split("\n")]
    found = sum(pattern.search(line) is not None or _SOURCE_TABLE.match(line) is not None for line in lines)
    return found > (1 if name == "Gemfile" else 0)
