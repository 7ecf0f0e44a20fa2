"""Classification of changed files by the base: a change cannot choose how it is checked.

The base decides by its configuration (`generated`, `vendored`), its `.gitattributes`, its version of the file, and
the folders where it already keeps such files. A file that only the change calls generated or vendored is checked as
its name and suffix say, and the claim is kept for the report.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from functools import cache, cached_property
from itertools import accumulate, islice, takewhile
from pathlib import PurePosixPath
from typing import NamedTuple

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
from assay.validators.policy.gitattributes import attributes_of
from assay.validators.report.unknown import NotChecked

DECLARED = frozenset({Nature.generated, Nature.vendored})
"""Natures that size, complexity and duplication leave out."""

MOST_COPIED_FILES = 300
MOST_COPIED_CHARACTERS = 10_000_000
"""Limits for generated or vendored files: a tree of many thousand may be added at once."""

ASIDE = frozenset({Nature.test, Nature.docs})
_MANIFESTS = re.compile(
    r"modules\.txt|vendor\.(?:txt|json|conf)|(?:composer/)?installed\.json|\.package-lock\.json|package\.json|\.yarn-integrity|bower\.json"
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
MOST_LOADING_CHARACTERS = 1_000_000
_INI = (("pytest.ini", "pytest"), ("tox.ini", "pytest"), ("setup.cfg", "tool:pytest"))


class Classification(NamedTuple):
    """Decision of the base about one changed file; `claimed` is what only the change claims."""

    nature: Nature
    claimed: Nature | None = None


class Natures:
    """Classification of the base's files, and of files added to it."""

    def __init__(self, base: SourceTree) -> None:
        self._base = base
        self.of_kept = cache(self._of_kept)
        """Many rules and signals ask about the same paths."""

    def of(self, path: str, base_path: str | None, head: bytes, base: bytes) -> Classification:
        """Return the nature of a changed file, given the first bytes of both its versions.

        A new or renamed file counts as generated, vendored or a test only in a folder where the base keeps such files.
        """
        claim, plain = self._claim(path, head), plain_nature(path, head)
        if claim is None:
            return Classification(plain)
        before = self._claim(base_path, base) if base_path is not None else None
        if self._declares(path, claim) or before is claim or (base_path is None and self._keeps(path, claim)):
            return Classification(claim)
        # The base's nature holds, except for a moved file: its old folder says nothing about the new one.
        nature = before if before is not None and path == base_path else plain
        return Classification(nature, claim if claim is not nature else None)

    def _of_kept(self, path: str, first_bytes: bytes = b"") -> Nature:
        """Return the nature of an unchanged file of the base."""
        return self._claim(path, first_bytes) or plain_nature(path, first_bytes)

    def is_example(self, path: str, base_path: str | None) -> bool:
        """Return whether a file is in a folder where the base keeps examples."""
        match = EXAMPLES_FOLDER.search(path)
        if match is None or (base_path is not None and EXAMPLES_FOLDER.search(base_path) is None):
            return False
        return any(self._below(path[: match.end()]))

    @cached_property
    def _attributes(self) -> Callable[[str], dict[Nature, bool]]:
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
        states = self._attributes(path)
        for nature, is_set in states.items():
            if is_set:
                return nature
        claim = claim_of(path, first_bytes)
        if claim is not None and states.get(claim) is False:
            return None
        match = VENDOR_FOLDER.search(path)
        if claim is Nature.vendored and match and match["ambiguous"] and not self._has_manifest(path):
            return None  # `external/` holds clients of external services as often as third-party code
        if claim is None and path.startswith(self._test_folders) and plain_nature(path) is not Nature.config:
            return Nature.test
        return claim

    def _declares(self, path: str, claim: Nature) -> bool:
        return self._attributes(path).get(claim) is True

    def _keeps(self, path: str, claim: Nature) -> bool:
        """Return whether the base keeps files of this nature in the new file's folder."""
        if claim is Nature.vendored:
            return self._has_manifest(path)
        if claim is Nature.test:
            return self._keeps_tests(path)
        match = DOCS_FOLDER.search(path)
        return claim is Nature.docs and match is not None and any(self._below(path[: match.end()]))

    def _keeps_tests(self, path: str) -> bool:
        if path.startswith(self._test_folders) or any(name.search(path) for name in self._kept_names):
            return True
        suffix = PurePosixPath(path).suffix
        return any(
            one.endswith(suffix) or is_named_as_test(one)
            for match in TEST_FOLDER.finditer(path)
            for one in self._below(path[: match.end()])
        )

    def _has_manifest(self, path: str) -> bool:
        """Return whether a folder from the vendor root down to the file has a manifest in the base."""
        root = VENDOR_FOLDER.search(path)
        ends = [slash.end() for slash in re.finditer("/", path) if root is not None and slash.end() >= root.end()]
        return any(_MANIFESTS.fullmatch(one[end:]) for end in ends for one in self._below(path[:end]))

    def _below(self, folder: str) -> Iterator[str]:
        """Yield the base's files below a folder, given with its slash."""
        paths = self._base.paths
        start = bisect_left(paths, folder)
        return takewhile(lambda path: path.startswith(folder), (paths[at] for at in range(start, len(paths))))


def settled(files: Sequence[ChangedFile], base: SourceTree) -> list[ChangedFile]:
    """Return the files; tests, docs and examples that product code starts to load become product code.

    A name that product code of the base has too, in the same language, is that one.
    """
    if not any(map(_is_aside, files)):
        return list(files)
    product = cache(lambda: {_own_name(path) for path in base.paths if claim_of(path, b"") is None})
    added = (
        line[:LONGEST_LINE]
        for file in files
        if file.nature is Nature.source and not file.is_example
        for line in file.added.values()
    )
    loading = "\n".join(filter(_LOADING.search, added))[:MOST_LOADING_CHARACTERS]
    return [_as_product(file) if _is_aside(file) and _is_named(file.path, loading, product) else file for file in files]


def declared(change: ChangeSet, config: ValidationConfig) -> ChangeSet:
    """Return the change classified by the base's globs of generated and vendored files, which go first."""
    rules = [
        (nature, GitIgnoreSpec.from_lines(globs))
        for nature, globs in ((Nature.generated, config.generated), (Nature.vendored, config.vendored))
        if globs
    ]
    if not rules:
        return change

    def ruled(paths: Collection[str], natures: Collection[Nature | None], plain: Nature) -> Nature | None:
        """Return the nature of a file by the first rule that fits all its paths, or takes one out; None without."""
        for nature, spec in rules:
            said = [spec.check_file(path).include for path in paths]
            if all(said):
                return nature
            if False in said and nature in natures:
                return plain
        return None

    def kept(path: str, first_bytes: bytes = b"") -> Nature:
        nature = change.kept_nature(path, first_bytes)
        return ruled((path,), (nature,), plain_nature(path, first_bytes)) or nature

    def of(file: ChangedFile) -> ChangedFile:
        paths = {file.path, file.base_path or file.path}
        nature = ruled(paths, (file.nature, file.claimed), plain_nature(file.path))
        return file if nature is None else replace(file, nature=nature, claimed=None)

    return replace(change, files=tuple(map(of, change.files)), kept_nature=kept)


def is_copied(file: ChangedFile) -> bool:
    """Return whether the base, or only the change, calls the file generated or vendored."""
    return file.nature in DECLARED or file.claimed in DECLARED


def bounded(files: Sequence[ChangedFile], why: str) -> tuple[list[ChangedFile], list[NotChecked]]:
    """Return the files to check and, beyond the limits for copied files, entries for the others."""
    copied = [file for file in files if is_copied(file)]
    characters = accumulate(sum(map(len, file.added.values())) for file in copied)
    num = sum(many <= MOST_COPIED_CHARACTERS for many in islice(characters, MOST_COPIED_FILES))
    if num == len(copied):
        return list(files), []
    left_out = {file.path for file in copied[num:]}
    what = f"{len(left_out)} generated or vendored files, {shown(copied[num].path)} among them"
    return [file for file in files if file.path not in left_out], [NotChecked(what, why)]


def _is_aside(file: ChangedFile) -> bool:
    is_aside = file.is_example or (file.nature in ASIDE and plain_nature(file.path) is not Nature.docs)
    return is_aside and file.exists


def _as_product(file: ChangedFile) -> ChangedFile:
    plain = plain_nature(file.path)
    claimed = file.nature if file.nature is not plain else None
    return replace(file, nature=plain, claimed=claimed, is_example=False)


def _own_name(path: str) -> str:
    return path.rpartition("/")[2]


def _is_named(path: str, loading: str, product: Callable[[], Collection[str]]) -> bool:
    """Return whether lines that load something name a file, or its folder of tests, docs or examples."""
    stem = PurePosixPath(path).stem
    found = (match[0] for each in (TEST_FOLDER, DOCS_FOLDER, EXAMPLES_FOLDER) for match in each.finditer(path))
    folders = [one.strip("/") for one in found]
    names = [rf"{re.escape(folder)}(?:[./\\'\"]|::|[ \t]+import\b)" for folder in folders if folder in loading]
    is_telling = stem not in ("__init__", "index", "mod") and stem in loading
    if is_telling and not (folders and _own_name(path) in product()):
        names.append(rf"{re.escape(stem)}(?![\w-])")
    return bool(names) and re.search(rf"(?<![\w-])(?:{'|'.join(names)})", loading) is not None


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
