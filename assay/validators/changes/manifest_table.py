"""Table of dependency manifests and lock files, by name, and of lines that name packages in other files."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True, slots=True)
class ManifestKind:
    """Kind of manifest; `is_lock` if a tool writes the resolved versions to it."""

    key: str
    name: str
    path: re.Pattern[str]


def _manifest(key: str, name: str, path: str) -> ManifestKind:
    return ManifestKind(key, name, re.compile(rf"(?:.*/)?(?:{path})"))


_LOCKS = (
    r"package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lock|Pipfile\.lock|pylock\.toml"
    r"|packages\.lock\.json|gradle\.lockfile|poetry\.lock|pdm\.lock|uv\.lock|Cargo\.lock|go\.sum|composer\.lock|Gemfile\.lock"
    r"|deno\.lock|pixi\.lock|conda-lock\.yml"
)
_OTHER_LOCKS = (
    r"bun\.lockb|mix\.lock|flake\.lock"
    r"|pubspec\.lock|Package\.resolved|MODULE\.bazel\.lock|Podfile\.lock|\.terraform\.lock\.hcl"
    r"|pylock\.[^/]+\.toml|gems\.locked|go\.work\.sum|rebar\.lock|shard\.lock|stack\.yaml\.lock|paket\.lock|Cartfile\.resolved"
)
_LOCK_NAME = re.compile(f"{_LOCKS}|{_OTHER_LOCKS}")
_UNREAD = (
    r"tox\.ini|noxfile\.py|hatch\.toml|buildout\.cfg|[^/]*conda[^/]*\.ya?ml|[^/]+[._-]environment\.ya?ml|meta\.yaml"
    r"|[^/]*\.gradle(?:\.kts)?|ivy\.xml|buildSrc/.*(?:[Dd]ep|[Vv]ersion)[^/]*\.(?:kt|java)|deps\.edn|project\.clj|shadow-cljs\.edn|bb\.edn"
    r"|bower\.json|package\.(?:json5|yaml)|\.pnpmfile\.c?js|jsr\.json|import_?map\.json|go\.work|gems\.rb|Gemfile\.local|[^/]*\.gemfile"
    r"|[^/]*\.nuspec|paket\.dependencies|dotnet-tools\.json|Cartfile|Mintfile|[^/]*\.podspec\.json|Project\.toml"
    r"|[^/]*\.nimble|shard\.yml|build\.zig\.zon|elm\.json|spago\.yaml|dub\.(?:json|sdl)|[^/]*\.sbt|build\.(?:sc|mill)|[^/]*\.wrap"
    r"|Brewfile|Aptfile|\.tool-versions|\.?mise(?:\.\w+)?\.toml|snapcraft\.ya?ml|\.?devcontainer\.json|\.gitmodules|(?:flake|shell)\.nix"
    r"|[^/]*requirements[^/]*\.ya?ml|(?:[^/]*[._-])?(?:constraints|dependencies|deps)(?:[._-][^/]*)?\.(?:txt|in|pip|toml|json|edn|xml)"
    r"|[^/]*\.lock(?:file)?|[^/]*[._-]lock(?:file)?\.(?:json|ya?ml|toml|txt|edn)"
)
MANIFEST_TABLE: tuple[ManifestKind, ...] = (
    _manifest("lock", "lock file", _LOCKS),
    _manifest("other-lock", "lock file", _OTHER_LOCKS),
    _manifest(
        "pypi",
        "Python packages",
        r"pyproject\.toml|setup\.(?:py|cfg)|Pipfile|[^/]*requirements[^/]*\.(?:txt|in|pip)|requirements/[^/]+\.(?:txt|in|pip)",
    ),
    _manifest("conda", "Conda", r"environment[^/]*\.ya?ml|pixi\.toml"),
    _manifest("npm", "npm", r"package\.json|pnpm-workspace\.yaml"),
    _manifest("go-module", "Go modules", r"go\.mod"),
    _manifest("cargo", "Cargo", r"Cargo\.toml"),
    _manifest("maven", "Maven or Gradle", r"pom\.xml|build\.gradle(?:\.kts)?|[^/]*\.versions\.toml"),
    _manifest("rubygems", "RubyGems", r"Gemfile|[^/]*\.gemspec"),
    _manifest("composer", "Composer", r"composer\.json"),
    _manifest("nuget", "NuGet", r"[^/]*\.(?:cs|fs|vb)proj|[^/]*\.(?:props|targets)|packages\.config"),
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
    _manifest("unread", "package list", _UNREAD),
)
ALL_MANIFESTS = frozenset(row.key for row in MANIFEST_TABLE)
_PICTURE = r"\S*\.(?:png|jpe?g|gif|svg|webp|ico|avif)\b"
_PACKAGE_LINES = tuple(
    (re.compile(rf"(?:.*/)?(?:{path})"), re.compile(line))
    for path, line in (
        (r"\.github/.*|action\.ya?ml", r"\b(?:uses|container)\W*:\s*[\"']?(?!\.+/|actions/|github/)([\w./:-]+)"),
        (r"[^/]*\.ya?ml", rf"(?:\bimage|newName|newTag)[\"']?:\s+[\"']?(?!{_PICTURE}|[/.])[^\s\"',}}]+"),
        (r"values[^/]*\.ya?ml", r"\b(?:repository|tag|registry|digest)[\"']?:\s*\S+"),
        (r"\.circleci/.*\.ya?ml", r"[\w-]+/[\w-]+@[\w.]+"),
        (r"[^/]*\.tf", r"\b(?:source|image)\s*=\s*\"(?!\.{1,2}/)[^\"]+"),
        (r"BUILD(?:\.bazel)?|[^/]*\.bzl", r"\b(?:http_archive|git_repository|maven_install)\b|@\w+//[\w/.-]*"),
        (r"CMakeLists\.txt|[^/]*\.cmake", r"(?:FetchContent_Declare|ExternalProject_Add|CPM\w+|find_package)\s*\(.*"),
    )
)
"""Files with other uses, and what names a package or an image in their lines."""


@lru_cache(maxsize=8192)
def manifest_of(path: str) -> ManifestKind | None:
    """Return the kind of a manifest or lock file by its path."""
    return next((row for row in MANIFEST_TABLE if row.path.fullmatch(path)), None)


def names_new_package(path: str, added: Iterable[str], removed: Iterable[str]) -> bool:
    """Return whether added lines name a package or image that removed lines do not; for files other than manifests."""
    patterns = [line for row, line in _PACKAGE_LINES if row.fullmatch(path)]

    def names(lines: Iterable[str]) -> set[str]:
        return {name for text in lines for line in patterns for name in line.findall(text[:2000].partition("#")[0])}

    return not names(added) <= names(removed)


def is_lock(path: str) -> bool:
    """Return whether a path names a lock file."""
    return _LOCK_NAME.fullmatch(path.rpartition("/")[2]) is not None


def manifests(*keys: str) -> frozenset[str]:
    """Return the manifest kinds of these keys. Raises `KeyError` for an unknown key."""
    if missing := set(keys) - ALL_MANIFESTS:
        raise KeyError(*sorted(missing))
    return frozenset(keys)
