"""Blast radius: the direct and indirect dependents of the change."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from assay.validators.changes.change import SourceTree, decoded, shown
from assay.validators.changes.classify import Nature
from assay.validators.graph.blast_radius import Affected, BlastRadius, blast_radius, import_radius
from assay.validators.graph.contexts import contexts_of
from assay.validators.graph.import_graph import PROSE, ImportGraph
from assay.validators.graph.symbols import changed_symbols, new_symbols
from assay.validators.languages.language import EVERYTHING
from assay.validators.languages.register import LANGUAGES
from assay.validators.progress import OutOfTime
from assay.validators.report.model import Evidence, Statement
from assay.validators.report.risk_facts import Affected as Standing
from assay.validators.report.risk_facts import Dependent
from assay.validators.report.unknown import USES, NotChecked, Question
from assay.validators.risk.code_owners import owners_of
from assay.validators.risk.signal import USED_WIDELY, Measure, NumTests, RiskContext
from assay.validators.wording import listed, plural

USED = 5
"""Files that use a changed symbol, or import a changed file, from which it is said."""
MOST_CHANGED = 300
"""Maximum changed files whose names are followed to their users; of more, files that import them are listed."""
MOST_NAMES = 4
"""Maximum used names listed for one dependent."""
_COLLECTED = re.compile(r"(?:^|/)test_[^/]*\.py$|_test\.(?:py|go)$")
"""Files that a runner collects even if their tests come from a parent class."""
MOST_NAMED_MODULES, MOST_SEARCHED = 20, 3000
BY_TEXT = 2
"""Distance of a file that names a module in a text: it does not import it."""
COVERED = frozenset().union(*(language.covers for language in LANGUAGES.values()))


class DependentsSignal:
    """Signal `dependents`: the cost of an error grows with the number of dependents."""

    name = "dependents"
    answers = Question.dependents
    covers = COVERED

    def measure(self, context: RiskContext) -> Iterator[Measure]:
        """Yield every dependent with distance and owners, and statements if many use the change or lost an import."""
        paths = [path for file in context.change.files for path in (file.path, file.base_path or file.path)]
        if all(path.lower().endswith(PROSE) for path in paths):
            return
        graph = context.head_graph
        radius, why = _radius(context, graph)
        if why:
            yield NotChecked(USES, why)
        yield from self._used_widely(context, radius.affected)
        yield from self._left_dangling(context)
        dependents = list(_dependents(context, radius.affected))
        yield from dependents
        if not radius.affected:
            yield from _named_in_texts(context)
        # Names of files alone decide what a runner collects; where more tests depend on the change, they do not tell.
        num_tests = graph.num_tests
        yield NumTests(num_tests if num_tests >= sum(one.is_test for one in dependents) else 0)
        own = [path for path in graph.not_read if context.change.nature_of(path) in (Nature.source, Nature.test)]
        if own:
            yield NotChecked(f"imports of {_names(own)}", "the file is too large, or not in this repository")
        if radius.not_read:
            yield NotChecked(
                f"uses in {_names(radius.not_read)}", "too many files depend on the change, or one is too large"
            )

    def _used_widely(self, context: RiskContext, affected: Iterable[Affected]) -> Iterator[Statement]:
        direct = [one for one in affected if one.uses and context.change.nature_of(one.path) is not Nature.test]
        medium = 1 if context.is_seed else USED
        if len(direct) < medium:
            return
        usual = context.head_graph.busy_fan_in
        is_high = len(direct) >= USED_WIDELY and len(direct) > usual
        # A file that imports another one runs its top level, and need not name what changed there.
        is_named = all(_named(one.uses) for one in direct)
        one, many = ("file uses", "files use") if is_named else ("file uses or imports", "files use or import")
        files = plural(len(direct), one, many)
        usually = f"; 95 % of comparable files here have at most {int(usual)} dependents" if is_high else ""
        yield Statement(
            "used_widely" if is_high else "used",
            f"{files} the changed code{usually}",
            evidence=tuple(Evidence(_uses(one.uses), one.path) for one in sorted(direct, key=lambda one: one.path)),
        )

    def _left_dangling(self, context: RiskContext) -> Iterator[Statement]:
        """Yield files of the head that still import what the change removes."""
        before = {file.path: file.base_path or file.path for file in context.change.files}
        gone_paths = {path for path in before.values() if path not in context.change.head}
        if not gone_paths:
            return
        gone_name = _names(sorted(gone_paths))
        lost_before = {(one.file, one.target) for one in context.base_graph.unresolved}
        for one in context.head_graph.unresolved:
            was = context.base_graph.imported_by(before.get(one.file, one.file)) & gone_paths
            if was and (one.file, one.target) not in lost_before:
                text = f"imports {one.target}, which no longer exists ({gone_name} is gone)"
                advice = "change these imports too, or leave a file under the old name"
                yield Statement("caller_broken", text, one.file, one.line, advice)


def _radius(context: RiskContext, graph: ImportGraph) -> tuple[BlastRadius, str]:
    """Return the blast radius, and why it is by imports alone, "" if it is by what changed."""
    changed = {file.path for file in context.change.files if file.exists}
    symbols = {path: names for path, names in changed_symbols(context.change).items() if path in changed}
    if len(symbols) > MOST_CHANGED:
        return import_radius(graph, sorted(changed)), f"more than {MOST_CHANGED} files changed"
    try:
        lines = context.tools.line_contexts
        contexts = contexts_of(lines, context.change.head, symbols) if lines is not None else None
        new = new_symbols(context.change, symbols)
        return blast_radius(graph, symbols, sorted(changed), context.deadline, contexts, context.past_pulls, new), ""
    except OutOfTime as error:
        return import_radius(graph, sorted(changed)), str(error)


def _dependents(context: RiskContext, affected: Iterable[Affected]) -> Iterator[Dependent]:
    """Yield the dependents by rank."""
    owners = owners_of(context.change.base)
    for rank, one in enumerate(affected, 1):
        yield Dependent(
            path=one.path,
            distance=one.distance,
            uses=_named(one.uses),
            may_use=one.may_use,
            via=one.via,
            is_test=(one.has_tests or _COLLECTED.search(one.path) is not None)
            and context.change.nature_of(one.path) is Nature.test,
            owners=owners(one.path),
            affected=Standing.run_first if one.runs_first else Standing.may_be_affected,
            certain=one.is_certain,
            rank=rank,
            num_failed=one.num_failed,
            entry_points=one.entry_points,
        )


def _named_in_texts(context: RiskContext) -> Iterator[Dependent]:
    """Yield files that name a changed module of Python in a text, as settings of frameworks do."""
    head, natures = context.change.head, (Nature.source, Nature.test)
    changed = [file for file in context.change.files if file.exists and file.path.endswith(".py")]
    modules = {name for file in changed if "." in (name := _dotted(head, file.path))}
    if not modules or len(modules) > MOST_NAMED_MODULES:
        return
    named = re.compile(rf"[\"'](?:{'|'.join(map(re.escape, sorted(modules)))})((?:[.:]\w+)*)[\"']")
    paths = [path for path in head.paths if path.endswith(".py") and context.change.nature_of(path) in natures]
    own, owners = {file.path for file in changed}, owners_of(context.change.base)
    for path, content in head.read_many([path for path in paths if path not in own][:MOST_SEARCHED]):
        found = [match[1].lstrip(".:") for match in named.finditer(decoded(content or b""))]
        if found:
            names = tuple(sorted(filter(None, set(found))))
            is_test = context.change.nature_of(path) is Nature.test and _COLLECTED.search(path) is not None
            yield Dependent(path, BY_TEXT, may_use=names, is_test=is_test, owners=owners(path))


def _dotted(tree: SourceTree, path: str) -> str:
    """Return the name by which Python imports a file: below the first folder that is a package."""
    parts = path.removesuffix(".py").removesuffix("/__init__").split("/")
    folders = ("/".join(parts[: end + 1]) for end in range(len(parts) - 1))
    start = next((at for at, folder in enumerate(folders) if f"{folder}/__init__.py" in tree), len(parts) - 1)
    return ".".join(parts[start:])


def _uses(names: tuple[str, ...]) -> str:
    named = _named(names)
    return f"uses {listed(named, MOST_NAMES)}" if named else "depends on a changed file"


def _named(names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(name for name in names if name != EVERYTHING)


def _names(paths: list[str] | tuple[str, ...], most: int = 3) -> str:
    return listed([shown(path) for path in paths], most)
