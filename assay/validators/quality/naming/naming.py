"""Naming: new names and new files that depart from the repository's conventions.

A convention is counted in the base tree around the change, never assumed, and reported with its figures.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import PurePosixPath
from typing import NamedTuple

from assay.validators.changes.change import ChangeSet, FileStatus, decoded
from assay.validators.changes.classify import Nature
from assay.validators.changes.language_table import language_of, of_family
from assay.validators.graph.symbols import definitions
from assay.validators.languages.language import Definition
from assay.validators.languages.register import LANGUAGES
from assay.validators.quality.inputs.changed_texts import ReadFile, read_files
from assay.validators.quality.naming.casing import Casing, casing_of, rewritten
from assay.validators.quality.rule import QualityContext
from assay.validators.report.model import Finding, Severity, Tier
from assay.validators.report.unknown import NotChecked

MIN_SAMPLES = 20
MIN_AGREEMENT = 0.85
"""Names seen in the base, and the share of them that agree, before there is a convention."""
SURE = 0.95
"""Agreement from which a departure is a warning; below it is info."""
MOST_FILES = 12
"""Maximum files read for one convention: conventions show early, and a tree may be very large."""
LARGEST_BYTES = 256 * 1024

_KINDS = {"function": "function", "method": "function", "class": "class", "constant": "constant"}
"""Kind of a definition -> the kind whose convention it shares."""
# Names that frameworks prescribe: unittest, ast visitors, http.server, Qt, Twisted, logging, React, Angular.
_MANDATED = re.compile(
    r"__\w+__|_?(?:setUp|tearDown)\w*|addCleanup|runTest|shortDescription|maxDiff|longMessage"
    r"|_?visit_\w+|_?depart_\w+|generic_visit|leave_\w+"
    r"|do_[A-Z]+|log_\w+|(?:assert|fail)[A-Z]\w*|(?:connection|data|line|response)[A-Z]\w*"
    r"|test[A-Z_]\w*|ng[A-Z]\w*|on[A-Z]\w*|use[A-Z]\w*"
    r"|pytest_\w+|UNSAFE_\w+|[a-z]+_[A-Z][A-Za-z]*|init_app|emit|getLogger"
)
# Legitimate reasons for another casing: a class made by a function, a component, a constant next to a variable.
_ALSO_FINE = {
    "function": (Casing.pascal, Casing.screaming),
    "class": (Casing.screaming,),
    "constant": (Casing.pascal,),
}
_HAS_BASE = re.compile(r"class\s+\w+\s*\(\s*(?!object\s*\)|\))|\b(?:extends|implements)\b")
_LITERAL = re.compile(r"[A-Za-z_]\w*\s*(?::[^=\n]*)?=\s*[-(]?[\d\"']")
_TEST_FOLDERS = frozenset("test tests __tests__ spec specs testing e2e".split())
_TEST_ENDS = ("tests", "specs")
"""Ends of the names of projects that hold tests, such as `Shop.UnitTests`."""
_SOURCE_SET = re.compile(r"(?:^|/)src/\w+/(?:java|kotlin|scala|groovy)/")
"""Where Gradle and Maven look for the code of one purpose, such as `src/androidTest/java`."""


class Convention(NamedTuple):
    """What `support` of `total` names below `folder` ("" is everywhere) have in common."""

    common: str
    support: int
    total: int
    folder: str

    @property
    def where(self) -> str:
        """Folder in words."""
        return f"in {self.folder}/" if self.folder else "in this repository"


class Naming:
    """Rule `naming`."""

    name = "naming"
    answers = None
    covers = frozenset().union(*(language.covers for language in LANGUAGES.values()))

    def check(self, context: QualityContext) -> Iterator[Finding | NotChecked]:
        """Yield one finding per new name or new file that departs from a clear convention."""
        conventions = Conventions(context.change)
        folders: set[str] = set()
        for read in read_files(context.change, Nature.source, Nature.test):
            if context.deadline.passed:
                yield NotChecked(self.name, "the tier ran out of time before every file was checked")
                return
            if read.file.status is FileStatus.added:
                yield from _file_name(read, conventions)
                folder = read.file.path.rpartition("/")[0]
                if read.file.nature is Nature.test and folder not in folders:
                    found = list(_placement(read, conventions))
                    folders.update(folder for _ in found)
                    yield from found
            if read.head_text is not None and read.file.added:
                yield from _names(read, conventions)


class Conventions:
    """Conventions of a base tree: of the nearest folder with enough names."""

    def __init__(self, change: ChangeSet) -> None:
        self._change = change
        self._nature = cache(lambda path: change.nature_of(path, b""))
        self._names = cache(self._count_names)

    def of_names(self, kind: str, read: ReadFile) -> Convention | None:
        """Return the casing of names of a kind near a file."""
        row = language_of(read.file.path)
        names = (row.family if row is not None else "", read.file.nature)
        return self._nearest(read.file.path, lambda folder: self._names(folder, *names).get(kind, Counter()))

    def of_files(self, read: ReadFile, said: Callable[[str], str | None]) -> Convention | None:
        """Return what is said of files with the same suffix and nature near a file."""
        suffix = PurePosixPath(read.file.path).suffix

        def count(folder: str) -> Counter[str]:
            alike = (path for path in self._below(folder) if path.endswith(suffix))
            found = (said(path) for path in alike if self._nature(path) is read.file.nature)
            return Counter(one for one in found if one is not None)

        return self._nearest(read.file.path, count)

    def _nearest(self, path: str, count: Callable[[str], Counter[str]]) -> Convention | None:
        for parent in PurePosixPath(path).parents:
            folder = "" if str(parent) == "." else str(parent)
            counter = count(folder)
            if counter.total() >= MIN_SAMPLES:
                common, support = counter.most_common(1)[0]
                is_clear = support / counter.total() >= MIN_AGREEMENT
                return Convention(common, support, counter.total(), folder) if is_clear else None
        return None

    def _count_names(self, folder: str, family: str, nature: Nature) -> dict[str, Counter[str]]:
        """Return kind -> its casings in a sample of files, evenly spread."""
        keys = of_family(family) & Naming.covers
        rows = ((path, language_of(path)) for path in self._below(folder))
        alike = [path for path, row in rows if row is not None and row.key in keys and self._nature(path) is nature]
        found: dict[str, Counter[str]] = {}
        for path, content in self._change.base.read_many(alike[:: max(1, -(-len(alike) // MOST_FILES))], LARGEST_BYTES):
            for one in _named(path, decoded(content or b"")):
                casing = casing_of(_last(one))
                if casing is not None:
                    found.setdefault(_KINDS[one.kind], Counter())[casing] += 1
        return found

    def _below(self, folder: str) -> Iterator[str]:
        return (path for path in self._change.base.paths if not folder or path.startswith(f"{folder}/"))


def _names(read: ReadFile, conventions: Conventions) -> Iterator[Finding]:
    path, lines = read.file.path, read.head_lines
    before = {_last(one) for one in _named(read.file.base_path or path, read.base_text or "")}
    found = _named(path, read.head_text or "")
    owners = {one.name: " ".join(lines[one.line - 1 : one.line + 4]) for one in found if one.kind == "class"}
    for one in found:
        name, kind = _last(one), _KINDS[one.kind]
        casing = casing_of(name)
        line = next((at for at in range(one.line, one.end_line + 1) if name in lines[at - 1]), one.line)
        if line not in read.file.added or name in before or casing is None or casing in _ALSO_FINE[kind]:
            continue
        owner = owners.get(one.name.rpartition(".")[0], "")
        is_member = "." in one.name and (read.file.nature is Nature.test or _HAS_BASE.search(owner) is not None)
        if is_member or _MANDATED.fullmatch(name) or "override" in " ".join(lines[one.line - 1 : line]).lower():
            continue
        convention = conventions.of_names(kind, read)
        if convention is None:
            continue
        proposed = Casing(convention.common)
        if path.endswith(".go") and proposed in (Casing.camel, Casing.pascal):
            # A capital letter exports a name.
            proposed = Casing.pascal if name[:1].isupper() else Casing.camel
        if proposed is not casing:
            sure = convention.support / convention.total >= SURE and read.file.nature is Nature.source
            noun = "classes" if kind == "class" else f"{kind}s"
            yield Finding(
                tier=Tier.quality,
                severity=Severity.warning if sure else Severity.info,
                rule=f"{Naming.name}.{one.kind}",
                file=path,
                line=line,
                end_line=line,
                message=f"`{name}` is {casing}; {convention.support} of {convention.total} {noun} "
                f"{convention.where} are {convention.common}",
                suggestion=f"Call it `{rewritten(name, proposed)}`.",
                context=name,
            )


def _file_name(read: ReadFile, conventions: Conventions) -> Iterator[Finding]:
    stem = _stem(read.file.path)
    casing = casing_of(stem)
    convention = conventions.of_files(read, lambda path: casing_of(_stem(path))) if casing is not None else None
    if casing is not None and convention is not None and convention.common != casing:
        yield Finding(
            tier=Tier.quality,
            severity=Severity.info,
            rule=f"{Naming.name}.file",
            file=read.file.path,
            message=f"The file name `{stem}` is {casing}; {convention.support} of {convention.total} file "
            f"names {convention.where} are {convention.common}",
            suggestion=f"Call it `{rewritten(stem, Casing(convention.common))}`.",
            context=stem,
        )


def _placement(read: ReadFile, conventions: Conventions) -> Iterator[Finding]:
    mine = _place(read.file.path)
    convention = conventions.of_files(read, _place) if mine is not None else None
    if convention is not None and convention.common != mine:
        path = read.file.path
        yield Finding(
            tier=Tier.quality,
            severity=Severity.info,
            rule=f"{Naming.name}.placement",
            file=path,
            message=f"This test is {mine}; {convention.support} of {convention.total} `*{PurePosixPath(path).suffix}` "
            f"tests {convention.where} are {convention.common}",
            context=path.rpartition("/")[0],
        )


def _named(path: str, text: str) -> list[Definition]:
    """Return the definitions whose names are a matter of style; only a plain literal is a constant by intent."""
    lines = text.split("\n")
    return [
        one
        for one in definitions(path, text)
        if one.kind in ("function", "method", "class")
        or (one.kind == "constant" and path.endswith(".py") and _LITERAL.match(lines[one.line - 1]))
    ]


def _last(one: Definition) -> str:
    return one.name.rpartition(".")[2]


def _stem(path: str) -> str:
    """Return a file name without suffixes (`.spec.ts`) and test marks (`test_`, `_test`)."""
    stem = PurePosixPath(path).name.partition(".")[0]
    return stem.removeprefix("test_").removesuffix("_test")


def _place(path: str) -> str | None:
    """Return the place of a test; None for helpers of tests, and where the build says the place."""
    *folders, name = path.lower().split("/")
    is_test = ("test" in name or "spec" in name) and name not in ("tests.py", "conftest.py", "__init__.py")
    if not is_test or _SOURCE_SET.search(path):
        return None
    is_inside = any(folder.rpartition(".")[2].endswith(_TEST_ENDS) for folder in folders)
    return "in a test folder" if is_inside or _TEST_FOLDERS.intersection(folders) else "next to what it tests"
