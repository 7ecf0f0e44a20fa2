"""Classification of changed files by the base: a change cannot choose how it is checked.

The base decides by its configuration (`generated`, `vendored`), its `.gitattributes`, its version of the file, and
the folders where it already keeps such files. A file that only the change calls generated or vendored is checked as
its name and suffix say, and the claim is kept for the report.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import takewhile
from pathlib import PurePosixPath

from pathspec import GitIgnoreSpec

from assay.validators.changes.change import ChangedFile, ChangeSet, SourceTree, shown
from assay.validators.changes.classify import (
    DOCS_FOLDER,
    EXAMPLES_FOLDER,
    TEST_FOLDER,
    TEST_NAMES,
    VENDOR_FOLDER,
    Nature,
    claim_of,
    is_named_as_test,
    plain_nature,
)
from assay.validators.configuration.model import ValidationConfig
from assay.validators.configuration.settings_files import ini_of, json_of, strings, table, toml_of
from assay.validators.policy.gitattributes import Attributes, attributes_of
from assay.validators.report.unknown import NotChecked

DECLARED = frozenset({Nature.generated, Nature.vendored})
"""Natures that size, complexity and duplication leave out."""

MOST_COPIED_FILES = 300
MOST_COPIED_CHARACTERS = 10_000_000
"""Limits for generated or vendored files: a tree of many thousand may be added at once."""

ASIDE = frozenset({Nature.test, Nature.docs})
_MANIFESTS = re.compile(
    r"modules\.txt|vendor\.(?:txt|json|conf)|installed\.json|\.package-lock\.json|package\.json|\.yarn-integrity|bower\.json"
    r"|manifest(?:\.\w+)?|\.cargo-checksum\.json|Cargo\.toml|METADATA|README\.chromium|PKG-INFO|composer\.json|go\.mod"
    r"|[^/]+\.gemspec|(?:LICEN[SC]E|COPYING)[^/]*",
    re.IGNORECASE,
)
"""Files that record where vendored code comes from."""
_LOADING = re.compile(
    r"\b(?:import\w*|from|require\w*|include\w*|use|mod|load\w*|exec\w*|eval|open|read\w*|run\w*|source|spawn\w*|system|popen"
    r"|call|path\w*|join|resolve)\b",
    re.IGNORECASE,
)
LONGEST_LINE = 2000
MOST_LOADING_LINES = 20_000
_INI = (("pytest.ini", "pytest"), ("tox.ini", "pytest"), ("setup.cfg", "tool:pytest"))


@dataclass(frozen=True, slots=True)
class Classification:
    """Decision of the base about one changed file; `claimed` is what only the change claims."""

    nature: Nature
    claimed: Nature | None = None


class Natures:
    """Classification of the base's files, and of files added to it."""

    def __init__(self, base: SourceTree) -> None:
        self._base = base
        self._by_path: dict[str, Nature] = {}

    def of(self, path: str, base_path: str | None, head: bytes, base: bytes) -> Classification:
        """Return the nature of a changed file, given the first bytes of both its versions.

        A new or renamed file counts as generated, vendored or a test only in a folder where the base keeps such files.
        """
        claim = self._claim(path, head)
        plain = plain_nature(path, head)
        if base_path is None:
            if claim is None or self._keeps(path, claim):
                return Classification(claim or plain)
            return Classification(plain, claim if claim is not plain else None)
        before = self._claim(base_path, base)
        if claim is not None and before is not claim and not self._declares(path, claim):
            # The base's nature holds, except for a moved file: its old folder says nothing about the new one.
            nature = plain if before is None or path != base_path else before
            return Classification(nature, claim if claim is not nature else None)
        if claim is None and before is not None and (path != base_path or before in DECLARED):
            return Classification(plain)
        return Classification(claim or plain)

    def of_kept(self, path: str, first_bytes: bytes = b"") -> Nature:
        """Return the nature of an unchanged file of the base."""
        if first_bytes:
            return self._claim(path, first_bytes) or plain_nature(path, first_bytes)
        # Many rules and signals ask about the same paths.
        nature = self._by_path.get(path)
        if nature is None:
            nature = self._by_path[path] = self._claim(path, b"") or plain_nature(path)
        return nature

    def is_example(self, path: str, base_path: str | None) -> bool:
        """Return whether a file is in a folder where the base keeps examples."""
        match = EXAMPLES_FOLDER.search(path)
        if match is None or (base_path is not None and EXAMPLES_FOLDER.search(base_path) is None):
            return False
        return any(self._below(path[: match.end()]))

    @cached_property
    def _attributes(self) -> Attributes:
        return attributes_of(self._base)

    @cached_property
    def _test_folders(self) -> tuple[str, ...]:
        return folders_of_tests(self._base)

    @cached_property
    def _kept_names(self) -> frozenset[re.Pattern[str]]:
        """The naming conventions for tests that the base follows."""
        return frozenset(name for name in TEST_NAMES if any(map(name.search, self._base.paths)))

    def _claim(self, path: str, first_bytes: bytes) -> Nature | None:
        """Return what a version of a file claims to be, after the base's attributes for the path."""
        states = self._attributes.states(path)
        for nature, is_set in states.items():
            if is_set:
                return nature
        claim = claim_of(path, first_bytes)
        if claim is not None and states.get(claim) is False:
            return None
        match = VENDOR_FOLDER.search(path)
        if claim is Nature.vendored and match and match["ambiguous"] and not self._has_manifest(path, match.end()):
            return None  # `external/` holds clients of external services as often as third-party code
        if claim is None and self._is_configured_test(path) and plain_nature(path) is not Nature.config:
            return Nature.test
        return claim

    def _declares(self, path: str, claim: Nature) -> bool:
        return self._attributes.states(path).get(claim) is True

    def _keeps(self, path: str, claim: Nature) -> bool:
        """Return whether the base keeps files of this nature in the new file's folder."""
        if self._declares(path, claim):
            return True
        if claim is Nature.vendored:
            match = VENDOR_FOLDER.search(path)
            return match is not None and self._has_manifest(path, match.end())
        if claim is Nature.test:
            return self._keeps_tests(path)
        if claim is Nature.docs:
            match = DOCS_FOLDER.search(path)
            return match is not None and any(self._below(path[: match.end()]))
        return False

    def _keeps_tests(self, path: str) -> bool:
        if self._is_configured_test(path) or any(name.search(path) for name in self._kept_names):
            return True
        suffix = PurePosixPath(path).suffix
        return any(
            one.endswith(suffix) or is_named_as_test(one)
            for match in TEST_FOLDER.finditer(path)
            for one in self._below(path[: match.end()])
        )

    def _is_configured_test(self, path: str) -> bool:
        return path.startswith(self._test_folders) if self._test_folders else False

    def _has_manifest(self, path: str, root_end: int) -> bool:
        """Return whether a folder from the vendor root down to the file has a manifest in the base."""
        folder = path[:root_end].rstrip("/")
        rest = path[root_end:].split("/")[:-1]
        folders = [folder, *("/".join((folder, *rest[: depth + 1])) for depth in range(len(rest)))]
        return any(
            _MANIFESTS.fullmatch(one.rpartition("/")[2]) is not None
            for each in folders
            for one in self._below(f"{each}/")
            if one.count("/") == each.count("/") + 1 or one == f"{each}/composer/installed.json"
        )

    def _below(self, folder: str) -> Iterator[str]:
        """Yield the base's files below a folder, given with its slash."""
        paths = self._base.paths
        start = bisect_left(paths, folder)
        return takewhile(lambda path: path.startswith(folder), (paths[at] for at in range(start, len(paths))))


def settled(files: Sequence[ChangedFile]) -> list[ChangedFile]:
    """Return the files; tests, docs and examples that product code starts to load become product code."""
    aside = [file for file in files if _is_aside(file) and file.exists]
    if not aside:
        return list(files)
    loading = _loading_lines(files)
    loaded = {file.path for file in aside if any(line for line in loading if _names(line, file))}
    return [_as_product(file) if file.path in loaded else file for file in files]


def declared(change: ChangeSet, config: ValidationConfig) -> ChangeSet:
    """Return the change classified by the base's globs of generated and vendored files, which go first."""
    rules = [
        (nature, GitIgnoreSpec.from_lines(globs))
        for nature, globs in ((Nature.generated, config.generated), (Nature.vendored, config.vendored))
        if globs
    ]
    if not rules:
        return change

    def kept(path: str, first_bytes: bytes = b"") -> Nature:
        nature = change.kept_nature(path, first_bytes)
        for named, spec in rules:
            included = spec.check_file(path).include
            if included:
                return named
            if included is False and nature is named:
                return plain_nature(path, first_bytes)
        return nature

    return replace(change, files=tuple(_declared(file, rules) for file in change.files), kept_nature=kept)


def is_copied(file: ChangedFile) -> bool:
    """Return whether the base, or only the change, calls the file generated or vendored."""
    return file.nature in DECLARED or file.claimed in DECLARED


def bounded(files: Sequence[ChangedFile], why: str) -> tuple[list[ChangedFile], list[NotChecked]]:
    """Return the files to check and, beyond the limits for copied files, entries for the others."""
    taken: list[ChangedFile] = []
    left_out: list[ChangedFile] = []
    num_files = num_characters = 0
    for file in files:
        if is_copied(file):
            num_files += 1
            num_characters += sum(map(len, file.added.values()))
            if num_files > MOST_COPIED_FILES or num_characters > MOST_COPIED_CHARACTERS:
                left_out.append(file)
                continue
        taken.append(file)
    if not left_out:
        return taken, []
    what = f"{len(left_out)} generated or vendored files, {shown(left_out[0].path)} among them"
    return taken, [NotChecked(what, why)]


def _declared(file: ChangedFile, rules: Iterable[tuple[Nature, GitIgnoreSpec]]) -> ChangedFile:
    for nature, spec in rules:
        said = [spec.check_file(path).include for path in {file.path, file.base_path or file.path}]
        if all(said):
            return replace(file, nature=nature, claimed=None)
        if False in said and nature in (file.nature, file.claimed):
            return replace(file, nature=plain_nature(file.path), claimed=None)
    return file


def _is_aside(file: ChangedFile) -> bool:
    return file.is_example or (file.nature in ASIDE and plain_nature(file.path) is not Nature.docs)


def _as_product(file: ChangedFile) -> ChangedFile:
    plain = plain_nature(file.path)
    claimed = file.nature if file.nature is not plain else None
    return replace(file, nature=plain, claimed=claimed, is_example=False)


def _loading_lines(files: Iterable[ChangedFile]) -> list[str]:
    """Return added lines of product code that load something, or name a path in a string."""
    lines = [
        line[:LONGEST_LINE]
        for file in files
        if file.nature is Nature.source and not file.is_example
        for line in file.added.values()
        if _LOADING.search(line[:LONGEST_LINE]) or '"' in line or "'" in line
    ]
    return lines[:MOST_LOADING_LINES]


def _names(line: str, file: ChangedFile) -> bool:
    """Return whether a loading line names the file, or its folder of tests, docs or examples."""
    stem = PurePosixPath(file.path).stem
    if stem not in line and not any(match[0].strip("/") in line for match in _roots(file.path)):
        return False
    is_loading = _LOADING.search(line) is not None
    word = rf"(?<![\w-]){re.escape(stem)}(?![\w-])"
    if stem not in ("__init__", "index", "mod") and is_loading and re.search(word, line):
        return True
    folders = (re.escape(match[0].strip("/")) for match in _roots(file.path))
    # `".test"` alone is a domain or a suffix, unless the line loads something.
    alone = "" if is_loading else r"(?<!['\"]\.)"
    return any(
        re.search(rf"(?<![\w-]){folder}(?:[./\\]|::|\s+import\b)|(?<![\w-]){alone}{folder}['\"]", line)
        for folder in folders
    )


def _roots(path: str) -> Iterator[re.Match[str]]:
    for pattern in (TEST_FOLDER, DOCS_FOLDER, EXAMPLES_FOLDER):
        yield from pattern.finditer(path)


def folders_of_tests(tree: SourceTree) -> tuple[str, ...]:
    """Return the test folders, each with its slash, in the settings of pytest or jest at the top of a tree."""
    found = {folder.strip().removeprefix("./").strip("/") for folder in _named(tree)}
    return tuple(sorted(f"{folder}/" for folder in found if folder not in ("", ".") and "*" not in folder))


def _named(tree: SourceTree) -> Iterator[str]:
    for path, section in _INI:
        yield from ini_of(tree, path).get(section, {}).get("testpaths", "").split()
    folders = table(toml_of(tree, "pyproject.toml"), "tool", "pytest", "ini_options").get("testpaths")
    yield from folders.split() if isinstance(folders, str) else strings(folders)
    for root in strings(table(json_of(tree, "package.json"), "jest").get("roots")):
        yield root.removeprefix("<rootDir>")
