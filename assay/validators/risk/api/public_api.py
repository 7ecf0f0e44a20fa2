"""Public interface of published packages, before and after the change."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache

from assay.validators.changes.change import ChangedFile, ChangeSet, FileKind, SourceTree, decoded, text_at
from assay.validators.changes.classify import Nature
from assay.validators.changes.language_table import languages, suffixes
from assay.validators.configuration.settings_files import ini_of, json_of, table, toml_of
from assay.validators.dependencies.manifests.setup_py import setup_arguments
from assay.validators.graph.symbols import definitions
from assay.validators.io.globs import matcher
from assay.validators.io.structured_files import Unreadable
from assay.validators.languages.register import LANGUAGES
from assay.validators.report.answers import unanswered
from assay.validators.report.model import Statement
from assay.validators.report.risk_facts import ApiChange, ApiChangeKind
from assay.validators.report.unknown import NotChecked, Question
from assay.validators.risk.api.difference import MOST_FILES, NameChange
from assay.validators.risk.api.documented import Documents
from assay.validators.risk.api.graphql import of_graphql
from assay.validators.risk.api.listings import is_listing, of_listings
from assay.validators.risk.api.packages import COVERED, of_packages
from assay.validators.risk.api.protobuf import of_protobuf
from assay.validators.risk.api.published import Package, package_of
from assay.validators.risk.api.python_interface import (
    Interface,
    base_names,
    defines_class,
    interface,
    names_given_by_getattr,
    only_adds,
)
from assay.validators.risk.api.routes import of_routes
from assay.validators.risk.api.schemas import is_schema, of_schemas
from assay.validators.risk.api.script import (
    SCRIPTS,
    Altered,
    ScriptPackage,
    altered,
    entries,
    exports_any,
    lost_names,
    names_of,
    packages_that_lose,
    script_package_of,
)
from assay.validators.risk.signal import Measure, RiskContext
from assay.validators.wording import listed

_MODULES = ("__init__.py", "__version__.py", "_version.py", "version.py", "__about__.py", "about.py")
_ASSIGNED = re.compile(
    r"^(?:__version__|VERSION|version)\s*(?::[^=\n]+)?=\s*[\"'](\d[^\"'\n]{0,40})[\"']", re.MULTILINE
)
_UNFINISHED = re.compile(r"0\.(?!0\.0(?:$|[^\d]))\d")
"""0.x, except the 0.0.0 of repositories in which a release tool sets the version."""


MOST_NAMES = 3
"""Maximum definitions of one file that are named as unknown."""
_OFFER = "give it a default, or offer it by a second interface"
_ANNOUNCE = "it was deprecated: name the removal in the release notes"
_DEPRECATION = re.compile(r"DeprecationWarning|@(?:[\w.]+\.)?[Dd]eprecated\b|// Deprecated:")
_COMMENT = ("//", "/*", "*", "#")
_APPEND = "add new parameters last or as keyword-only, with a default"


class PublicApiSignal:
    """Signal `public_api`: users outside the repository depend on these names."""

    name = "public_api"
    answers = Question.interface
    covers = languages("python", "graphql", "openapi", "protobuf") | LANGUAGES["javascript"].covers | COVERED

    def measure(self, context: RiskContext) -> Iterator[Measure]:
        """Yield every change of a public interface, and a statement on each."""
        found: dict[tuple[str, str], NameChange] = {}
        for said in _compared_names(context):
            if not isinstance(said, NameChange):
                yield said
                continue
            known = found.get((said.path, said.what))
            if known is None or known.line is None:  # a name and its definition are one, by the definition's place
                exported = said.exported or (known is not None and known.exported)
                found[said.path, said.what] = replace(said, exported=exported)
        yield from (ApiChange(one.kind, one.path, one.what, one.file, one.line) for one in found.values())
        yield from _statements(context, list(found.values()))


def _compared_names(context: RiskContext) -> Iterator[NameChange | NotChecked]:
    for compare_names in (
        _of_python,
        _of_scripts,
        of_packages,
        of_graphql,
        of_listings,
        of_schemas,
        of_protobuf,
        of_routes,
    ):
        yield from compare_names(context)


def _statements(context: RiskContext, found: list[NameChange]) -> Iterator[Statement]:
    breaking = [one for one in found if one.kind is ApiChangeKind.breaking]
    deprecated = cache(lambda path: _deprecated(path, text_at(context.change.base, path)))
    for one, promised in _promised(context, breaking):
        names, handed_out = deprecated(one.file) if one.what == "removed" else (frozenset(), "")
        name = one.path.rpartition(".")[2]
        was_deprecated = name in names or name in handed_out
        advice = _APPEND if _makes_room(one) else _ANNOUNCE if was_deprecated else None
        advice = _OFFER if one.what.endswith(" must have") else advice
        yield Statement(_kind_of(context, one, promised), f"{one.path}: {one.what}", one.file, one.line, advice)
    for one in found if context.is_seed else ():
        if one.kind is not ApiChangeKind.breaking:
            yield Statement("api_changed", f"{one.path}: {one.what}", one.file, one.line)


def _makes_room(one: NameChange) -> bool:
    """Return whether a new required parameter, or one that it moved, breaks callers."""
    return one.what.endswith(" moved") or one.what.startswith("new required parameter")


def _deprecated(path: str, text: str) -> tuple[frozenset[str], str]:
    """Return the names whose code says that they are deprecated, and the code of a `__getattr__` that says so."""
    names, handed_out = set[str](), ""
    lines = text.split("\n")
    for each in definitions(path, text):
        start = each.line - 1
        while start and lines[start - 1].lstrip().startswith(_COMMENT):
            start -= 1
        said = "\n".join(lines[start : each.end_line])
        if _DEPRECATION.search(said):
            names.add(each.name.rpartition(".")[2])
            handed_out += said if each.name == "__getattr__" else ""
    return frozenset(names), handed_out


def _promised(context: RiskContext, breaking: list[NameChange]) -> Iterator[tuple[NameChange, bool]]:
    """Yield each break, and whether the name was promised: exported at the top level, or documented."""
    documents = Documents(context.change)
    for one in breaking:
        is_script = one.file.endswith(SCRIPTS)
        yield (
            one,
            one.exported or (documents.show(one.path) if is_script else documents.mention(one.path, one.canonical)),
        )


def _kind_of(context: RiskContext, one: NameChange, promised: bool) -> str:
    """Return the kind of a break: of promised names of a package at 1.0 or later, or in the configured paths, or less.

    A parameter that is deprecated first is a notice: its author did what the report would advise.
    """
    if matcher(context.limits.paths.public_api)(one.file):
        return "api_broken"
    if one.file.endswith(suffixes("graphql", "protobuf")) or is_listing(one.file) or is_schema(one.file):
        return "contract_broken"
    if " /" in one.path or one.path.startswith("/"):
        return "route_removed"
    if one.is_deprecated:
        return "api_deprecated"
    if one.is_early:
        return "api_broken_early"
    return "api_broken" if promised else "api_broken_undocumented"


def _of_python(context: RiskContext) -> Iterator[NameChange | NotChecked]:
    packages: dict[Package, list[_Changed]] = defaultdict(list)
    for package, changed in _changed_files(context):
        if changed.only_adds is None:
            yield from _unknown(context, [changed.file.path], "it is not valid Python before or after the change")
        else:
            packages[package].append(changed)
    for package, files in packages.items():
        if not context.deadline.passed:
            yield from _compared(context, package, files)
    if context.deadline.passed:
        left = [file.path for file in context.change.files if file.path.endswith(suffixes("python"))]
        yield from _unknown(context, left, "the tier ran out of time")


def _unknown(context: RiskContext, paths: list[str], why: str) -> Iterator[NotChecked]:
    return unanswered([context.change.by_path[path] for path in paths], Question.interface, why)


def _of_scripts(context: RiskContext) -> Iterator[NameChange | NotChecked]:
    for lossy in packages_that_lose(context.change, context.change.files):
        if not entries(lossy, context.change.base):
            yield NotChecked(f"public API of {lossy.name}", "the source of its entry point was not found")
        yield from _lost(context, lossy)
    scripts = [file for file in context.change.files if file.path.endswith(SCRIPTS) and file.nature is Nature.source]
    found = {file: list(altered(context.change, file)) for file in scripts}
    gained = {member for several in found.values() for _, _, (_, member, what, _) in several if what.startswith("new ")}
    for file, several in found.items():
        package = script_package_of(context.change.head, file.path) if several else None
        if package is not None:
            yield from _of_shapes(context, package, file, several, gained)


def _of_shapes(
    context: RiskContext, package: ScriptPackage, file: ChangedFile, found: Iterable[Altered], gained: Collection[str]
) -> Iterator[NameChange | NotChecked]:
    """Yield how the exported definitions of a script differ, and what can't be judged, for the title."""
    is_early = _is_before_first(context.change.base, package)
    known = entries(package, context.change.head)
    open_names: list[str] = []
    for local, shape, (said, member, what, line) in found:
        # Its type may have it from a parent now.
        is_inherited = what == "removed" and bool(shape.bases) and member in gained
        kind = ApiChangeKind.unknown if is_inherited else said
        names = sorted(names_of(context.head_graph, known, file.path, local), key=lambda one: (one.count("/"), one))
        is_main = any(name == f"{package.name}.{name.rpartition('.')[2]}" for name in names)
        for name in names[:1]:
            path = f"{name}.{member}" if member else name
            yield NameChange(kind, path, path, what, file.path, line, exported=is_main, is_early=is_early)
        # An exported signature may name a type that is not exported itself.
        is_hidden = not names and shape.is_type and kind is not ApiChangeKind.non_breaking
        if (kind is ApiChangeKind.unknown and names) or (
            is_hidden and exports_any(context.head_graph, known, file.path)
        ):
            open_names.append(f"{local}.{member}" if member else local)
    if open_names:
        what = f"interface of {listed(list(dict.fromkeys(open_names)), MOST_NAMES)}"
        why = "whether its users still fit is not known"
        yield NotChecked(what, why, question=Question.interface, files=(file.path,), is_source=True)


@dataclass(frozen=True, slots=True)
class _Changed:
    """File with a changed interface; `only_adds` if it still has everything of the old one.

    It is None if a side is not valid Python, and cannot be compared.
    """

    file: ChangedFile
    only_adds: bool | None


def _changed_files(context: RiskContext) -> Iterator[tuple[Package, _Changed]]:
    """Yield the files of published packages whose interface changed, until the time is up."""
    change = context.change
    for file in change.files:
        if context.deadline.passed:
            break
        is_python = file.kind is FileKind.text and file.path.endswith(suffixes("python"))
        if not is_python or file.nature is not Nature.source:
            continue
        package = package_of(change.base, file.base_path) if file.base_path else package_of(change.head, file.path)
        if package is None:
            continue
        before = _interface(change.base, file.base_path)
        after = _interface(change.head, file.path if file.exists else None)
        stays = file.base_path in (file.path, None)
        if (before is None and file.base_path is not None) or (after is None and file.exists):
            yield package, _Changed(file, None)
        elif before != after or not stays:
            yield package, _Changed(file, stays and (file.base_path is None or only_adds(before, after)))


def _interface(tree: SourceTree, path: str | None) -> Interface | None:
    content = tree.read(path) if path is not None else None
    return interface(decoded(content)) if content is not None else None


def _compared(context: RiskContext, package: Package, changed: list[_Changed]) -> Iterator[NameChange | NotChecked]:
    change = context.change
    files = [one.file for one in changed]
    head_files = [file.path for file in files if file.exists]
    if not all(one.only_adds for one in changed):
        # A removed member of a class may be inherited now: read the files of its bases.
        head_files = _with_bases(context, package, head_files)
    # The same files on both sides, else a file read on one side only would look new or removed.
    moved = {file.path: file.base_path for file in change.files if file.base_path is not None}
    base_files = {moved.get(path, path) for path in head_files} | {file.base_path for file in files if file.base_path}
    tops = _above(package, [*head_files, *base_files, *context.head_graph.importers(head_files)])
    is_early = _is_before_first(change.base, package)
    # They load griffe: only for a changed Python interface.
    from assay.validators.risk.api.python import compare
    from assay.validators.risk.api.python_breakages import OTHER_FORM

    unsure: dict[str, str] = {}
    for found in compare(package, change.base, change.head, [*tops, *sorted(base_files)], [*tops, *head_files]):
        one = replace(found, is_early=is_early)
        if one.kind is ApiChangeKind.unknown:
            unsure[one.path] = one.file
        if one.what == "removed" and _is_kept_by_getattr(change, one):
            yield replace(one, kind=ApiChangeKind.non_breaking, what="kept by __getattr__")
        elif one.what != OTHER_FORM and not _is_own_affair(one):
            yield one
    if unsure:
        why = "types, decorators, overloads and generated constructors are not compared"
        paths = tuple(dict.fromkeys(unsure.values()))
        yield NotChecked(listed(list(unsure), 3), why, question=Question.interface, files=paths)


def _is_own_affair(one: NameChange) -> bool:
    """Return whether a special name is gone that no user writes."""
    is_special = one.path.rpartition(".")[2].startswith("__")
    return is_special and one.what == "removed" and one.kind is ApiChangeKind.non_breaking


def _lost(context: RiskContext, package: ScriptPackage) -> Iterator[NameChange]:
    """Yield names an npm package no longer exports, each once for all its entry points."""
    is_early = _is_before_first(context.change.base, package)
    for path, file in dict(lost_names(package, context.base_graph, context.head_graph)).items():
        what = "no longer exported"
        # The main entry point is a promise; of other entry points only the names that the documentation shows as code.
        is_main = path.startswith(f"{package.name}.")
        yield NameChange(ApiChangeKind.breaking, path, path, what, file, None, exported=is_main, is_early=is_early)


def _is_kept_by_getattr(change: ChangeSet, one: NameChange) -> bool:
    """Return whether the module still provides a removed name by `__getattr__`."""
    name = one.path.rpartition(".")[2]
    for path in (one.file, f"{one.file.rpartition('/')[0]}/__init__.py"):
        if name in names_given_by_getattr(text_at(change.head, path)):
            return True
    return False


def _with_bases(context: RiskContext, package: Package, paths: list[str]) -> list[str]:
    """Return these files and those that define the bases of their classes, recursively."""
    found = dict.fromkeys(paths)
    queue = list(paths)
    while queue and len(found) < MOST_FILES and not context.deadline.passed:
        path = queue.pop(0)
        wanted = base_names(text_at(context.change.head, path)) | base_names(text_at(context.change.base, path))
        near = context.head_graph.imported_by(path) - found.keys() if wanted else set()
        own = (one for one in near if one.startswith(f"{package.path}/") and one.endswith(suffixes("python")))
        for other in sorted(own):
            if defines_class(text_at(context.change.head, other), wanted):
                found[other] = None
                queue.append(other)
    return list(found)[:MOST_FILES]


def _above(package: Package, paths: Iterable[str]) -> list[str]:
    """Return the `__init__` files of every folder from the package down to these files."""
    folders = {package.path}
    for path in paths:
        folder = path.rpartition("/")[0]
        while len(folder) > len(package.path):
            folders.add(folder)
            folder = folder.rpartition("/")[0]
    return [f"{folder}/__init__{suffix}" for folder in sorted(folders) for suffix in suffixes("python")]


def _is_before_first(tree: SourceTree, package: Package | ScriptPackage) -> bool:
    """Return whether the package's literal version is 0.x, before which anything may change (semver.org, rule 4)."""
    return any(_UNFINISHED.match(version) for version in _versions(tree, package))


def _versions(tree: SourceTree, package: Package | ScriptPackage) -> Iterator[str]:
    """Return the literal versions in a package's manifests and modules; normally there is one."""
    if isinstance(package, ScriptPackage):
        said: list[object] = [json_of(tree, f"{package.folder}/package.json".lstrip("/")).get("version")]
    else:
        prefix = f"{package.project}/" if package.project else ""
        document = toml_of(tree, f"{prefix}pyproject.toml")
        said = [holder.get("version") for holder in (table(document, "project"), table(document, "tool", "poetry"))]
        said.append(ini_of(tree, f"{prefix}setup.cfg").get("metadata", {}).get("version"))
        said.append(_set_up(tree, f"{prefix}setup.py").get("version"))
        matches = (_ASSIGNED.search(text_at(tree, f"{package.path}/{module}")) for module in _MODULES)
        said += [match[1] for match in matches if match is not None]
    return (version for version in said if isinstance(version, str))


def _set_up(tree: SourceTree, path: str) -> Mapping[str, object]:
    try:
        return setup_arguments(text_at(tree, path))
    except Unreadable:
        return {}
