"""Libraries of a tree: modules that other projects may use, by what their manifests say."""

from __future__ import annotations

import re
from collections import defaultdict

from assay.validators.changes.change import SourceTree, text_at
from assay.validators.changes.language_table import is_in
from assay.validators.languages.register import LANGUAGES

JVM = ("java", "kotlin")
_INTERNAL = re.compile(r"(?:^|/)(?:internal|vendor|testdata|cmd|impl|examples?|_[^/]*)/")
MANIFESTS = {
    "go": re.compile(r"(?:^|/)go\.mod$"),
    **dict.fromkeys(JVM, re.compile(r"(?:^|/)(?:pom\.xml|build\.gradle(?:\.kts)?)$")),
    "csharp": re.compile(r"\.csproj$"),
    "php": re.compile(r"(?:^|/)composer\.json$"),
    "ruby": re.compile(r"\.gemspec$"),
    "rust": re.compile(r"(?:^|/)Cargo\.toml$"),
    "cpp": re.compile(r"(?:^|/)(?:CMakeLists\.txt|meson\.build|Makefile(?:\.am)?)$"),
}
_APPLICATION = re.compile(
    r"<packaging>\s*(?:war|ear)|<mainClass>|spring-boot|com\.android\.application"
    r"|(?:id\W{1,3}|plugin:\s*['\"])application\b|^[ \t]*+application[ \t]*+\r?$",
    re.MULTILINE,
)
_LIBRARY = re.compile(r"java-library|maven-?[pP]ublish|maven\.publish|publishing\s*\{|explicitApi")
_NO_LIBRARY = {
    "csharp": re.compile(
        r"<OutputType>\s*(?:Win)?Exe|NET\.Sdk\.(?:Web|Worker|Blazor)|<IsPackable>\s*false|<IsTestProject>\s*true",
        re.IGNORECASE,
    ),
    "php": re.compile(r"\"type\"\s*:\s*\"(?:project|symfony-bundle-project|wordpress-[a-z]+)\""),
    "ruby": re.compile(r"(?!)"),
}
"""Language -> what the manifest says of a project that is not published as a package."""
_MAIN = re.compile(r"^package main\b", re.MULTILINE)
_EARLY = re.compile(r"<version>\s*0\.(?!0\.0)\d|^version\s*=\s*\"0\.(?!0\.0)\d", re.MULTILINE)
_INSTALLED = re.compile(r"\binstall(?:_headers)?\b|include_HEADERS", re.IGNORECASE)
_PRIVATE = re.compile(r"^publish\s*=\s*false|proc-macro\s*=\s*true", re.MULTILINE)


def folder_of(path: str) -> str:
    """Return the folder of a path."""
    return path.rpartition("/")[0]


class Libraries:
    """Modules of one tree: their manifests, and whether other projects may use their packages."""

    def __init__(self, tree: SourceTree) -> None:
        self._tree = tree
        self._manifests: dict[tuple[str, str], tuple[str | None, str]] = {}
        self._by_folder: dict[str, dict[str, list[str]]] = {}
        self._libraries: dict[tuple[str, str | None], bool] = {}

    def publish(self, path: str, language: str) -> bool:
        """Return whether other projects may use a file's package: its module is a library, and it is not internal."""
        if _INTERNAL.search(path) or LANGUAGES[language].row.skipped.search(path):
            return False
        folder, manifest = self._manifest(path, language)
        if language == "cpp" and not self._is_offered(path, folder or ""):
            return False
        key = (language, folder)
        if language == "ruby" and not path.startswith(f"{folder}/lib/" if folder else "lib/"):
            return False
        if key not in self._libraries:
            self._libraries[key] = self._is_library(folder, manifest, language)
        return self._libraries[key]

    def _is_offered(self, path: str, folder: str) -> bool:
        """Return whether a header is for users: below `include`, where there is none next to the build file."""
        if not is_in(path, ("c-header", "cpp")) or path.endswith((".cc", ".cpp", ".cxx")):
            return False
        if "include/" in path:
            return True
        return folder_of(path) == folder and not any("include/" in one for one in self._tree.paths)

    def is_early(self, path: str, language: str) -> bool:
        """Return whether a manifest says that the module has not reached 1.0."""
        return language in (*JVM, "rust") and _EARLY.search(self._manifest(path, language)[1]) is not None

    def _is_library(self, folder: str | None, manifest: str, language: str) -> bool:
        if language in _NO_LIBRARY:
            return bool(manifest) and _NO_LIBRARY[language].search(manifest) is None
        if language == "cpp":
            return _INSTALLED.search(manifest) is not None
        if language == "rust":
            return "[package]" in manifest and _PRIVATE.search(manifest) is None
        if language in JVM:
            is_built = "<project" in manifest or _LIBRARY.search(manifest) is not None
            return is_built and _APPLICATION.search(manifest) is None
        # Before modules a repository of Go was one package tree.
        prefix = f"{folder}/" if folder else ""
        inside = [path[len(prefix) :] for path in self._tree.paths if path.startswith(prefix)]
        root = [f"{prefix}{path}" for path in inside if "/" not in path and path.endswith(".go")]
        is_program = any(_MAIN.search(text_at(self._tree, path)) for path in root)
        return not is_program and (bool(root) or not any(path.startswith("cmd/") for path in inside))

    def _manifests_of(self, language: str) -> dict[str, list[str]]:
        """Return folder -> its manifests."""
        if language in self._by_folder:
            return self._by_folder[language]
        found: dict[str, list[str]] = defaultdict(list)
        for path in self._tree.paths:
            if MANIFESTS[language].search(path):
                found[folder_of(path)].append(path)
        self._by_folder[language] = found
        return found

    def _manifest(self, path: str, language: str) -> tuple[str | None, str]:
        """Return the folder of the nearest manifest and its text; None and "" without one."""
        start = folder_of(path)
        if (start, language) not in self._manifests:
            folder: str | None = start
            found: list[str] = []
            while folder is not None and not found:
                found = self._manifests_of(language).get(folder, [])
                outer = folder_of(folder) if folder else None
                folder = folder if found else outer
            text = "\n".join(text_at(self._tree, name) for name in found)
            self._manifests[start, language] = (folder, text)
        return self._manifests[start, language]
