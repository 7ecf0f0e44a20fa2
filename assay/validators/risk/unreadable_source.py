"""Changed source and manifests that could not be read, and that no other signal covers."""

from __future__ import annotations

from collections.abc import Iterator

from assay.validators.changes.change import ChangedFile, FileKind, SourceTree, decoded, shown
from assay.validators.changes.classify import Nature
from assay.validators.changes.language_table import ALL_LANGUAGES, Kind, is_in, languages, of_family, of_kind
from assay.validators.dependencies.manifests.manifest import Manifest
from assay.validators.dependencies.manifests.register import MANIFESTS
from assay.validators.io.structured_files import LIMIT_CHARACTERS, Unreadable
from assay.validators.report.model import Statement
from assay.validators.risk.signal import Measure, RiskContext

_RECIPES = of_kind(Kind.infrastructure) | languages("make")
_MAGIC = {
    b"\x7fELF": "a program or library of Linux",
    b"MZ": "a program or library of Windows",
    **dict.fromkeys((b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe", b"\xca\xfe\xba\xbe"), "compiled code of macOS or Java"),
    b"\0asm": "compiled WebAssembly",
}
LARGEST_EXECUTABLE = 64 * 1024 * 1024
"""Bytes; of a larger file the kind is not known."""
_CODE = of_kind(Kind.code) - of_family("javascript")


class UnreadableSourceSignal:
    """Signal `unreadable_source`: unread code may do anything."""

    name = "unreadable_source"
    answers = None
    covers = ALL_LANGUAGES

    def measure(self, context: RiskContext) -> Iterator[Measure]:
        """Yield such files; machine code is one too."""
        for file in context.change.files:
            why = _why(context, file)
            if why is not None:
                yield Statement("source_unread", why, file.path)
            elif kind := _executable(context, file):
                yield Statement("executable_added", f"{shown(file.path)}, {kind}", file.path)


def _executable(context: RiskContext, file: ChangedFile) -> str | None:
    """Return what kind of machine code a new or replaced file is."""
    if file.kind not in (FileKind.binary, FileKind.oversize) or not file.exists or file.head_blob == file.base_blob:
        return None
    begin = (context.change.head.read(file.path, LARGEST_EXECUTABLE) or b"")[:4]
    return next((kind for magic, kind in _MAGIC.items() if begin.startswith(magic)), None)


def _why(context: RiskContext, file: ChangedFile) -> str | None:
    """Return why a changed source file or manifest could not be read; None for any other file."""
    if not file.exists or (file.head_blob is not None and file.head_blob == file.base_blob):
        return None
    reader = next((one for one in MANIFESTS if one.claims(file.path)), None) if file.nature is Nature.config else None
    if file.nature is not Nature.source and reader is None and not _runs(file):
        return None
    if file.unreadable is not None or reader is None:
        return file.unreadable
    why = _parse_error(context.change.head, file.path, reader)
    if why is None or (file.base_path and _parse_error(context.change.base, file.base_path, reader)):
        return None  # broken on the base too: a fixture or a template
    return why


def _runs(file: ChangedFile) -> bool:
    """Return whether a non-source file runs: recipes, pipelines, and new code in a vendored folder.

    JavaScript bundles in vendored folders are mostly larger than the read limit.
    """
    is_new_code = file.nature is Nature.vendored and file.base_path is None
    return is_in(file.path, _RECIPES) or (is_new_code and is_in(file.path, _CODE))


def _parse_error(tree: SourceTree, path: str, reader: Manifest) -> str | None:
    content = tree.read(path, LIMIT_CHARACTERS)
    if content is None:
        return "larger than a manifest can be"
    try:
        for _ in reader.read(path, decoded(content)):
            pass
    except Unreadable as error:
        return str(error)
    return None
