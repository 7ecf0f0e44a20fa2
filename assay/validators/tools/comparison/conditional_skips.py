"""Detection of tests skipped on a condition the change may have made true; the base shows whether they ran there.

`importorskip("shop.fast")` in an untouched test skips it once the change breaks that module, and the run passes. So
the lines around each skip are searched for what the change touches: its modules, the names it assigns or defines,
and the dependencies of a changed manifest.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from assay.validators.changes.change import ChangedFile, ChangeSet, decoded, shown
from assay.validators.changes.classify import Nature
from assay.validators.changes.language_table import suffixes
from assay.validators.changes.manifest_table import manifest_of
from assay.validators.tools.tool import Ended, Reading

MOST_FILES = 50
LARGEST_BYTES = 500_000
LINES_BEFORE, LINES_AFTER = 4, 3
_SKIPS = re.compile(r"(?i)\bskip|importorskip|\brunif\b|\btest\.(?:runIf|skipIf)|\bt\.Skip|\btodo\(")
_IMPORTS = re.compile(r"importorskip|find_spec|import_module|\bImportError\b|\bModuleNotFoundError\b|\brequire\(")
_DEFINES = re.compile(
    r"\s*(?:(?:export|default|pub|public|static|const|let|var|async|def|class|func|fn|function)\s+)*"
    r"([A-Za-z_]\w{2,99})\s*(?::=|=(?!=)|\(|:)"
)
_WORD = re.compile(r"[A-Za-z_]\w{2,99}")
_FOLDER_MODULES = frozenset(("__init__", "index", "mod", "lib", "main"))


def skipped_by_change(change: ChangeSet, head: Reading) -> str | None:
    """Return what the change touches that the skips of untouched tests mention, or None if they mention nothing."""
    places = dict.fromkeys(place for (place, _), ended in head.tests.items() if ended is Ended.skipped and place)
    if not places:
        return None
    touched = {name: file for file in change.files if file.nature is Nature.source for name in _names(file)}
    manifest = next((file for file in change.files if manifest_of(file.path)), None)
    for path in list(_files(change, list(places)))[:MOST_FILES]:
        for words, imports in _skips(decoded(change.head.read(path, LARGEST_BYTES) or b"")):
            found = next((touched[word] for word in words if word in touched), manifest if imports else None)
            if found is not None:
                return f"skips of {shown(path)} may depend on {shown(found.path)}"
    return None


def _names(file: ChangedFile) -> Iterator[str]:
    """Return the import names of a changed file, and the names its changed lines assign or define."""
    for path in {file.path, file.base_path or file.path}:
        stem = PurePosixPath(path).name.partition(".")[0]
        yield PurePosixPath(path).parent.name if stem in _FOLDER_MODULES else stem
    for line in (*file.added.values(), *file.removed.values()):
        if match := _DEFINES.match(line[:400]):
            yield match[1]


def _files(change: ChangeSet, places: list[str]) -> Iterator[str]:
    """Return the untouched files of skipped tests: a file, those of a Go package, and what pytest loads with it."""
    changed = {file.path for file in change.files}
    folders = {place.removeprefix("./") for place in places}
    for path in change.head.paths:
        name = PurePosixPath(path)
        is_of_folder = str(name.parent) in folders and name.name.endswith("_test.go")
        is_above = name.name == "conftest.py" and any(_is_below(place, str(name.parent)) for place in places)
        if path not in changed and (path in folders or is_of_folder or is_above):
            yield path


def _is_below(path: str, folder: str) -> bool:
    return path.endswith(suffixes("python")) and (folder == "." or path.startswith(f"{folder}/"))


def _skips(text: str) -> Iterator[tuple[list[str], bool]]:
    """Return the text around each skip, and whether it depends on an import."""
    lines = text.splitlines()
    for index, line in enumerate(lines):
        if _SKIPS.search(line[:400]):
            about = "\n".join(lines[max(0, index - LINES_BEFORE) : index + LINES_AFTER])[:4000]
            yield _WORD.findall(about), _IMPORTS.search(about) is not None
