"""Naming: new names and test files that depart from the repository's conventions.

A convention is counted in the base tree around the change, never assumed, and reported with its figures.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.validators.changes.change import FileStatus
from assay.validators.changes.classify import Nature
from assay.validators.quality.inputs.changed_texts import ReadFile, read_files
from assay.validators.quality.inputs.definitions import (
    COVERED,
    Definition,
    Language,
    NameKind,
    definitions,
    language_of,
)
from assay.validators.quality.naming.casing import Casing, casing_of, rewritten
from assay.validators.quality.naming.conventions import Convention, Conventions, stem_of
from assay.validators.quality.naming.file_placement import Placements
from assay.validators.quality.rule import QualityContext
from assay.validators.report.model import Finding, Severity, Tier
from assay.validators.report.unknown import NotChecked

SURE = 0.95
"""Agreement from which a departure is a warning; below it is info."""

# Names that frameworks prescribe: unittest, ast visitors, http.server, Qt, Twisted, logging, React, Angular, Java
# beans of JavaScript.
_MANDATED = re.compile(
    r"__\w+__|_?(?:setUp|tearDown)\w*|addCleanup|runTest|shortDescription|maxDiff|longMessage"
    r"|_?visit_\w+|_?depart_\w+|generic_visit|leave_\w+"
    r"|do_[A-Z]+|log_\w+|(?:assert|fail)[A-Z]\w*|(?:connection|data|line|response)[A-Z]\w*"
    r"|test[A-Z_]\w*|ng[A-Z]\w*|on[A-Z]\w*|use[A-Z]\w*"
    r"|pytest_\w+|UNSAFE_\w+|[a-z]+_[A-Z][A-Za-z]*|init_app|emit|getLogger"
)
_COMPONENT = re.compile(r"return\s*\(?\s*<[A-Za-z>]|=>\s*\(?\s*<[A-Za-z>]")
# Legitimate reasons for another casing: a class made by a function, a constant next to a variable.
_ALSO_FINE = {
    NameKind.function: (Casing.pascal, Casing.screaming),
    NameKind.method: (Casing.pascal, Casing.screaming),
    NameKind.class_: (Casing.screaming,),
    NameKind.constant: (Casing.pascal,),
}


class Naming:
    """Rule `naming`."""

    name = "naming"
    answers = None
    covers = COVERED

    def check(self, context: QualityContext) -> Iterator[Finding | NotChecked]:
        """Yield one finding per new name or new file that departs from a clear convention."""
        limits = context.config.tier2.naming
        conventions = Conventions(context.change.base, limits.min_samples, limits.agreement, context.change.nature_of)
        read_all = list(read_files(context.change, Nature.source, Nature.test))
        yield from self._placement([read for read in read_all if read.file.status is FileStatus.added], context)
        for read in read_all:
            if context.deadline.passed:
                yield NotChecked(self.name, "the tier ran out of time before every file was checked")
                return
            if read.file.status is FileStatus.added:
                yield from self._file(read, conventions)
            language = language_of(read.file.path)
            if read.head_text is not None and language is not None and read.file.added:
                yield from self._names(read, language, conventions)

    def _names(self, read: ReadFile, language: Language, conventions: Conventions) -> Iterator[Finding]:
        before = {definition.name for definition in definitions(read.base.code, language)}
        for definition in definitions(read.head.code, language):
            casing = casing_of(definition.name)
            if definition.line not in read.file.added or definition.name in before or casing is None:
                continue
            if casing in _ALSO_FINE[definition.kind] or _is_mandated(definition, read, language):
                continue
            convention = conventions.of_names(language, definition.kind, read.file.path, read.file.nature)
            if convention is not None and convention.casing is not casing:
                proposed = _in_go(definition.name, convention.casing) if language.name == "Go" else convention.casing
                if proposed is not casing:
                    yield self._departure(read, definition, casing, (convention, proposed))

    def _departure(
        self, read: ReadFile, definition: Definition, casing: Casing, wanted: tuple[Convention, Casing]
    ) -> Finding:
        """Return the finding; `wanted` is the convention and the casing that fits the kind of name."""
        convention, proposed = wanted
        noun = "classes" if definition.kind is NameKind.class_ else f"{definition.kind}s"
        return Finding(
            tier=Tier.quality,
            severity=_severity(read, convention),
            rule=f"{self.name}.{definition.kind}",
            file=read.file.path,
            line=definition.line,
            end_line=definition.line,
            message=f"`{definition.name}` is {casing}; {convention.support} of {convention.total} {noun} "
            f"{convention.where} are {convention.casing}",
            suggestion=f"Call it `{rewritten(definition.name, proposed)}`.",
            context=definition.name,
        )

    def _file(self, read: ReadFile, conventions: Conventions) -> Iterator[Finding]:
        path = read.file.path
        stem = stem_of(path)
        casing = casing_of(stem)
        convention = conventions.of_files(path, read.file.nature) if casing is not None else None
        if casing is not None and convention is not None and convention.casing is not casing:
            yield Finding(
                tier=Tier.quality,
                severity=Severity.info,
                rule=f"{self.name}.file",
                file=path,
                message=f"The file name `{stem}` is {casing}; {convention.support} of {convention.total} file "
                f"names {convention.where} are {convention.casing}",
                suggestion=f"Call it `{rewritten(stem, convention.casing)}`.",
                context=stem,
            )

    def _placement(self, added: list[ReadFile], context: QualityContext) -> Iterator[Finding]:
        """Yield one finding for each folder that gets tests where no others lie."""
        limits = context.config.tier2.naming
        placements = Placements(context.change, limits.min_samples, limits.agreement)
        reported: set[str] = set()
        for read in added:
            path = read.file.path
            folder = path.rpartition("/")[0]
            if read.file.nature is not Nature.test or folder in reported:
                continue
            message = placements.misplaced(path)
            if message is not None:
                reported.add(folder)
                yield Finding(
                    tier=Tier.quality,
                    severity=Severity.info,
                    rule=f"{self.name}.placement",
                    file=path,
                    message=message,
                    context=folder,
                )


def _severity(read: ReadFile, convention: Convention) -> Severity:
    sure = convention.support / convention.total >= SURE and read.file.nature is Nature.source
    return Severity.warning if sure else Severity.info


def _in_go(name: str, casing: Casing) -> Casing:
    """Return the casing that keeps a Go name's visibility: a capital letter exports it."""
    if casing not in (Casing.camel, Casing.pascal):
        return casing
    return Casing.pascal if name[:1].isupper() else Casing.camel


def _is_mandated(definition: Definition, read: ReadFile, language: Language) -> bool:
    """Return whether the name is prescribed: by a framework, a base class or a component."""
    if _MANDATED.fullmatch(definition.name):
        return True
    lines = read.head.code_lines
    if language.name == "Python" and definition.indent:
        # An indented definition in a test is usually a fake of another interface.
        return read.file.nature is Nature.test or _may_override(lines, definition)
    if language.name in ("JavaScript", "TypeScript"):
        return bool(_COMPONENT.search("\n".join(lines[definition.line - 1 : definition.line + 60])))
    before = " ".join(lines[max(0, definition.line - 3) : definition.line])
    return "override" in before.lower() or 'extern "C"' in before


def _may_override(lines: list[str], definition: Definition) -> bool:
    """Return whether the class around a Python method has a base class that may define the method."""
    for number in range(definition.line - 2, -1, -1):
        line = lines[number]
        indent = len(line) - len(line.lstrip())
        if line.strip() and indent < definition.indent:
            if match := re.match(r"\s*class\s+\w+\s*(\(([^)]*)\)?)?", line):
                return (match[2] or "").strip() not in ("", "object")
            if re.match(r"\s*(?:async\s+)?def\b", line):
                return False
    return False
