"""Subject of a test, and whether it still exists after the change.

A test removed with the code it tests is housekeeping; one removed while its subject stays is a lost guarantee.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property, lru_cache
from itertools import chain
from operator import le, ne
from pathlib import PurePosixPath

from assay.validators.changes.change import ChangeSet, FileKind, FileStatus
from assay.validators.changes.classify import Nature
from assay.validators.graph.symbols import quiet_lines
from assay.validators.languages.source_text import split_source
from assay.validators.quality.inputs.changed_texts import ReadFile
from assay.validators.quality.inputs.definitions import definitions, is_covered
from assay.validators.quality.test_integrity.test_code.found_tests import FoundTest

_WORD = re.compile(r"[A-Za-z_$][\w$]{2,}")
_CALLED = re.compile(r"(\.\s*)?(?<![\w$])([A-Za-z_$][\w$]*)\s*\(")
_LOOKS_LIKE_A_NAME = re.compile(r"\w_\w|[a-z][A-Z]")
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_IMPORTED = re.compile(
    r"^\s*from\s+([\w.]+)\s+import\b|^\s*import\s+([\w.]+)|\bfrom\s+[\"']([^\"'\n]+)[\"']"
    r"|\brequire\(\s*[\"']([^\"'\n]+)[\"']",
    re.MULTILINE,
)
_SETTING = re.compile(
    r"(?:(?i:\b\w{0,20}env(?:iron(?:ment\w{0,20})?)?\b)|\bcase\b)[^\"'`\n]{0,40}[\"'`]([A-Z][A-Z0-9_]{3,60})[\"'`]"
)
"""Name of an environment variable, as source reads it."""
_DEPRECATION = re.compile(r"\bdeprecat|\bDeprecat|DeprecationWarning|@removed|\bobsolete", re.IGNORECASE)
_ASSIGNED = re.compile(r"^[ \t]+(?:const |let |var |final |auto )?(\w+)[ \t]*(?::[^=\n]{1,80})?:?=(?!=)", re.MULTILINE)
_OFFERED = re.compile(r"\.\s*(\w+)")
_PASSED = re.compile(r"[(,]\s*(\w+)\s*[=:](?!=)")
_VERSION = re.compile(r"\s*(?:export\s+)?(?:const\s+)?_*version_*(?:info)?\b\s*(?::[^=]{1,40})?[=:]", re.IGNORECASE)
_TEST_MARKS = re.compile(r"^test_|_test$|\.(?:test|spec|unit)$|(?:Tests?|Spec)$")
_TELLS_NOTHING = frozenset(
    "test tests self assert assertEqual True False None def async await return with for not and the "
    "import from class lambda pytest mock patch "
    "raises client app request response result expected actual value data name expect describe toBe "
    "toEqual const let function true false null "
    "undefined beforeEach afterEach fixture param parametrize mark isinstance len str int list dict "
    "set tuple print type range super init call "
    "called args kwargs error errors string number object key keys values items get add run main "
    "path file open read write".split()
)


class SubjectState(StrEnum):
    """State of the code under test after the change."""

    gone = "gone"
    changed = "changed"
    unknown = "unknown"


@dataclass(frozen=True)
class Subjects:
    """Code on both sides of a change, as far as the change touches it."""

    change: ChangeSet
    read: tuple[ReadFile, ...]

    def state_of(self, test: FoundTest, *, is_kept: bool = False) -> SubjectState:
        """Return the state of the subject of a base test; a kept test may ask less only for a removed definition.

        `gone`: the test uses a name that the change removes. `changed`: one that the change edits and keeps. `unknown`:
        neither.
        """
        words = set(_WORD.findall(test.text)) - _TELLS_NOTHING
        imports = _imports(test)
        vanished = frozenset[str]() if is_kept else self._vanished
        if words & (vanished | self._undefined.keys()) or not self._deleted_modules.isdisjoint(imports):
            return SubjectState.gone
        # A short or common name counts where it is called, as an attribute only if the test imports its module.
        calls = [(dot, self._undefined[name]) for dot, name in _CALLED.findall(test.code) if name in self._undefined]
        if any(not dot or not modules.isdisjoint(imports) for dot, modules in calls):
            return SubjectState.gone
        if self._words_of(test) & self._undefined_joined or words & self._unread:
            return SubjectState.gone
        if not self._unread.isdisjoint(part.upper() for part in name_parts(test.name)):
            return SubjectState.gone
        if not self._edited.keys().isdisjoint(set(_WORD.findall(test.code)) - _TELLS_NOTHING):
            return SubjectState.changed
        return SubjectState.unknown

    @property
    def touches_source(self) -> bool:
        """Whether the change edits code other than tests."""
        return any(each.file.nature is Nature.source and _is_code(each) for each in self.read)

    @property
    def only_tests(self) -> bool:
        """Whether the change edits tests alone."""
        return all(file.nature is Nature.test for file in self.change.files)

    @cached_property
    def _vanished(self) -> frozenset[str]:
        """Names on removed source lines that no changed source file of the head contains.

        In code every name counts, in strings and comments only those shaped like one (`SEND_FILE_MAX_AGE`, `maxAge`).
        """
        before: set[str] = set()
        for each in self._sources:
            code = each.base.code_lines
            local = _locals(each.base.code)
            for number, line in each.file.removed.items():
                before |= set(_WORD.findall(code[number - 1])) - local if number <= len(code) else set()
                before |= {word for word in _WORD.findall(line) if len(word) > 5 and _LOOKS_LIKE_A_NAME.search(word)}
        after = {word for each in self._sources for word in _WORD.findall(each.head_text or "")}
        return frozenset(before - after - _TELLS_NOTHING)

    @cached_property
    def _unread(self) -> frozenset[str]:
        """Settings in texts on removed source lines that no changed source file of the head names."""
        before = {
            name for each in self._sources for line in each.file.removed.values() for name in _SETTING.findall(line)
        }
        after = {name for each in self._sources for name in _SETTING.findall(each.head_text or "")}
        return frozenset(before - after)

    @cached_property
    def _undefined(self) -> dict[str, frozenset[str]]:
        """Names that changed source files defined and none defines any more, with the import names of their modules."""
        after = {name for each in self._sources for name in _defined(each, head=True)}
        modules = ((each, _module_names([each.file.base_path or each.file.path])) for each in self._sources)
        return {name: names for each, names in modules for name in _defined(each, head=False) - after}

    @property
    def reverts(self) -> bool:
        """Whether a commit message of the change announces a revert."""
        return any(commit.message.startswith("Revert ") for commit in self.change.commits)

    @cached_property
    def _undefined_joined(self) -> frozenset[str]:
        """Multi-word names as one lower-case word, so that `parse_header` and `parseHeader` are equal."""
        return frozenset(_joined(name) for name in self._undefined if len(_PARTS.findall(name)) > 1)

    @cached_property
    def deprecates(self) -> bool:
        """Whether the change deprecates something in the source."""
        added = (line for each in self._sources for line in each.file.added.values())
        return any(_DEPRECATION.search(line) for line in added)

    def _words_of(self, test: FoundTest) -> frozenset[str]:
        parts = name_parts(test.name)
        spans = ("".join(parts[i:j]) for i in range(len(parts)) for j in range(i + 2, min(len(parts), i + 6) + 1))
        return frozenset(spans)

    def edited_file(self, test: FoundTest, path: str) -> str | None:
        """Return the edited and kept source file with the code under test.

        One its file is named for; else one with a definition the test uses, rather one that its file imports; else one
        its file imports.
        """
        imported, subject = _imports(test), named_for(path)
        words = set(_WORD.findall(test.code)) - _TELLS_NOTHING
        using = [file for name, file in self._edited.items() if name in words]
        named = (file for file, _ in self._edited_modules if PurePosixPath(file).stem == subject)
        near = [file for file, names in self._edited_modules if not names.isdisjoint(imported)]
        both = (file for file in near if file in using)
        return next(chain(named, both, using, near), None)

    def defines(self, owner: str, name: str) -> bool:
        """Return whether `owner.name`, as a test would replace it, is in a module of this repository, or edited."""
        return name in self._edited or owner.replace(".", "/") in self._modules

    @cached_property
    def edited_sources(self) -> list[ReadFile]:
        """Source files of the head in which more than comments and white space changed."""
        read = [each for each in self._sources if each.head_text is not None and _is_code(each)]
        return [each for each in read if ne(*_code_of_both(each))]

    @cached_property
    def _edited_modules(self) -> list[tuple[str, frozenset[str]]]:
        """Edited and kept source files, with their import names; packages' own files left out."""
        return [
            (each.file.path, _module_names([each.file.path]))
            for each in self.edited_sources
            if each.file.base_path is not None
            and PurePosixPath(each.file.path).stem not in ("__init__", "index", "mod", "lib", "main")
        ]

    @cached_property
    def _edited(self) -> dict[str, str]:
        """Edited and kept functions, and the classes around them, with their files."""
        return {name: each.file.path for each in self._sources for name in _edited(each) if len(name) > 3}

    @property
    def _sources(self) -> list[ReadFile]:
        return [each for each in self.read if each.file.nature is Nature.source]

    @cached_property
    def _deleted_modules(self) -> frozenset[str]:
        gone = (FileStatus.deleted, FileStatus.renamed)
        files = [file for file in self.change.files if file.status in gone and file.nature is Nature.source]
        return _module_names(file.base_path or file.path for file in files if file.kind is FileKind.text)

    @cached_property
    def _modules(self) -> frozenset[str]:
        return _module_names(path for path in self.change.head.paths if is_covered(path))


def _is_code(read: ReadFile) -> bool:
    return is_covered(read.file.path)


def _locals(code: str) -> frozenset[str]:
    """Return names only assigned inside a function: losing one removes no subject."""
    assigned = set(_ASSIGNED.findall(code))
    return frozenset(assigned - set(_OFFERED.findall(code)) - set(_PASSED.findall(code)))


def named_for(path: str) -> str:
    """Return the stem of the source file that a test file is named for.

    `price` for `tests/test_price.py`, `Price` for `PriceTest.java`.
    """
    return _TEST_MARKS.sub("", PurePosixPath(path).stem)


def adds_code(read: ReadFile) -> bool:
    """Return whether a change does more to a file than delete lines of code."""
    return not le(*_code_of_both(read))


def _code_of_both(read: ReadFile) -> tuple[Counter[str], Counter[str]]:
    """Return the changed lines of head and base without comments, documentation, imports and the version number."""
    head = _loud(read.file.path, read.head_text or "", read.file.added)
    base = _loud(read.file.base_path or read.file.path, read.base_text or "", read.file.removed)
    return Counter(head), Counter(base)


def _loud(path: str, text: str, lines: Mapping[int, str]) -> Iterator[str]:
    """Yield the code of these lines, without comments and white space."""
    if not lines:
        return
    source = split_source(text, path)
    quiet = quiet_lines(path, text) or ()
    for number in lines:
        bare = source.bare_lines[number - 1] if number <= len(source.lines) else ""
        if number not in quiet and bare.strip() and not _VERSION.match(bare):
            yield "".join(bare.split())


def _defined(read: ReadFile, *, head: bool) -> set[str]:
    source = read.head if head else read.base
    return {one.name for one in definitions(read.file.path, source.text)}


def _edited(read: ReadFile) -> Iterator[str]:
    """Yield the head's definitions around changed lines, each with its class."""
    found = definitions(read.file.path, read.head.text)
    for index, one in enumerate(found):
        # The lines of a class up to its first member are its own.
        is_outer = one.kind == "class" and index + 1 < len(found) and found[index + 1].line <= one.end_line
        last = found[index + 1].line - 1 if is_outer else one.end_line
        if read.file.touches(one.line, max(one.line, last)):
            yield one.name
            outer = (other.name for other in reversed(found[:index]) if other.end_line >= one.end_line)
            yield from (name for name in [next(outer, None)] if name is not None)


def name_parts(name: str) -> list[str]:
    """Return the words of a test's name without its class, in lower case."""
    return [part.lower() for part in _PARTS.findall(name.rpartition(".")[2])]


def _joined(name: str) -> str:
    return "".join(part.lower() for part in _PARTS.findall(name))


@lru_cache(maxsize=64)
def _imported_by(text: str) -> frozenset[str]:
    found = set()
    for match in _IMPORTED.finditer(text):
        module = next(group for group in match.groups() if group)
        is_path = "/" in module or module.startswith(".")
        cleaned = re.sub(r"^[./]+", "", module) if is_path else module.replace(".", "/")
        if cleaned:
            found.add(cleaned)
    return frozenset(found)


def _imports(test: FoundTest) -> frozenset[str]:
    """Return the modules the test's file imports, as paths without leading dots.

    `a.b` is `a/b`, `../src/x` is `src/x`.
    """
    return _imported_by(test.source.text[:20_000])


def _module_names(paths: Iterable[str]) -> frozenset[str]:
    """Return every import suffix that names one of these files: `src/a/b.py` is `src/a/b`, `a/b` and `b`."""
    found = set()
    for path in paths:
        stem = PurePosixPath(path).with_suffix("").as_posix()
        parts = stem.removesuffix("/__init__").removesuffix("/index").split("/")
        found |= {"/".join(parts[begin:]) for begin in range(len(parts))}
    return frozenset(found)
