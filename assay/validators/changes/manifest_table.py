"""Table of dependency manifests and lock files, by name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class ManifestKind:
    """Kind of manifest; `is_lock` if a tool writes the resolved versions to it."""

    key: str
    name: str
    path: re.Pattern[str]
    is_lock: bool = False


def _manifest(key: str, name: str, path: str, *, is_lock: bool = False) -> ManifestKind:
    return ManifestKind(key, name, re.compile(rf"(?:.*/)?(?:{path})"), is_lock)


_LOCKS = (
    r"package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml"
    r"|poetry\.lock|pdm\.lock|uv\.lock|Cargo\.lock|go\.sum"
)
_OTHER_LOCKS = (
    r"bun\.lockb?|Pipfile\.lock|composer\.lock|Gemfile\.lock|packages\.lock\.json|gradle\.lockfile|mix\.lock|flake\.lock|deno\.lock"
    r"|pubspec\.lock|Package\.resolved|MODULE\.bazel\.lock|conda-lock\.yml|pixi\.lock|Podfile\.lock|\.terraform\.lock\.hcl"
)
MANIFEST_TABLE: tuple[ManifestKind, ...] = (
    _manifest("lock", "lock file", _LOCKS, is_lock=True),
    _manifest("other-lock", "lock file", _OTHER_LOCKS, is_lock=True),
    _manifest(
        "pypi",
        "Python packages",
        r"pyproject\.toml|setup\.(?:py|cfg)|Pipfile|[^/]*requirements[^/]*\.(?:txt|in|pip)|requirements/[^/]+\.(?:txt|in|pip)",
    ),
    _manifest("conda", "Conda", r"environment[^/]*\.ya?ml"),
    _manifest("npm", "npm", r"package\.json|pnpm-workspace\.yaml"),
    _manifest("go-module", "Go modules", r"go\.mod"),
    _manifest("cargo", "Cargo", r"Cargo\.toml"),
    _manifest("maven", "Maven or Gradle", r"pom\.xml|build\.gradle(?:\.kts)?|[^/]*\.versions\.toml"),
    _manifest("rubygems", "RubyGems", r"Gemfile|[^/]*\.gemspec"),
    _manifest("composer", "Composer", r"composer\.json"),
    _manifest("nuget", "NuGet", r"[^/]*\.(?:cs|fs|vb)proj|Directory\.(?:Packages|Build)\.props|packages\.config"),
    _manifest("image", "container image", r"(?:Dockerfile|Containerfile)[^/]*|[^/]+\.[Dd]ockerfile"),
    _manifest("swiftpm", "Swift packages", r"Package\.swift"),
    _manifest("hex", "Hex", r"mix\.exs|rebar\.config"),
    _manifest("pub", "Dart packages", r"pubspec\.yaml"),
    _manifest("cocoapods", "CocoaPods", r"Podfile|[^/]*\.podspec"),
    _manifest("conan", "C and C++ packages", r"conanfile\.(?:txt|py)|vcpkg\.json"),
    _manifest("sbt", "sbt", r"build\.sbt|plugins\.sbt"),
    _manifest("cabal", "Cabal", r"[^/]*\.cabal|stack\.yaml"),
    _manifest("opam", "opam", r"[^/]*\.opam|dune-project"),
    _manifest("cpan", "CPAN", r"cpanfile|Makefile\.PL|dist\.ini"),
    _manifest("cran", "CRAN", r"DESCRIPTION|renv\.lock"),
    _manifest("luarocks", "LuaRocks", r"[^/]*\.rockspec"),
    _manifest("helm", "Helm charts", r"Chart\.(?:yaml|lock)"),
    _manifest("deno", "Deno", r"deno\.jsonc?"),
    _manifest("bazel", "Bazel modules", r"MODULE\.bazel|WORKSPACE(?:\.bazel)?"),
    _manifest("pre-commit", "pre-commit hooks", r"\.pre-commit-config\.yaml"),
)
ALL_MANIFESTS = frozenset(row.key for row in MANIFEST_TABLE)


@lru_cache(maxsize=8192)
def manifest_of(path: str) -> ManifestKind | None:
    """Return the kind of a manifest or lock file by its path."""
    return next((row for row in MANIFEST_TABLE if row.path.fullmatch(path)), None)


def is_lock(path: str) -> bool:
    """Return whether a path names a lock file."""
    kind = manifest_of(path)
    return kind is not None and kind.is_lock


def manifests(*keys: str) -> frozenset[str]:
    """Return the manifest kinds of these keys. Raises `KeyError` for an unknown key."""
    if missing := set(keys) - ALL_MANIFESTS:
        raise KeyError(*sorted(missing))
    return frozenset(keys)
