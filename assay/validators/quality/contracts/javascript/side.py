"""Name resolution in the JavaScript and TypeScript modules of one tree."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from assay.validators.changes.change import SourceTree, decoded
from assay.validators.changes.language_table import is_in, languages
from assay.validators.graph.import_graph import ImportGraph
from assay.validators.languages.javascript.modules import JavaScriptModules
from assay.validators.languages.language import EVERYTHING, Import, Sources
from assay.validators.progress import Deadline
from assay.validators.quality.contracts.javascript.file import Arity, ClassFacts, ScriptFile

SCRIPTS = languages("javascript", "jsx", "typescript", "tsx")
DEEPEST = 20
"""Maximum re-exports and parents followed for one name."""
_DECLARED = ".d"
"""Last part of a declaration file's stem; its module is generated."""


def parsed_file(tree: SourceTree, path: str) -> ScriptFile | None:
    """Return the facts of a script; None if it is absent, not a script, or only declares generated code."""
    is_script = is_in(path, SCRIPTS) and not path.rpartition(".")[0].endswith(_DECLARED)
    content = tree.read(path) if is_script else None
    return ScriptFile(path, decoded(content)) if content is not None else None


class Offer(Enum):
    """Whether a file exports a name; of several sources, the first of these counts."""

    yes = "yes"
    unknown = "unknown"
    no = "no"


class ScriptSide:
    """Modules of the base or of the head; `known` are files that were read before."""

    def __init__(
        self,
        tree: SourceTree,
        sources: Sources,
        graph: ImportGraph,
        deadline: Deadline,
        known: Mapping[str, ScriptFile | None],
    ) -> None:
        self.tree = tree
        self.sources = sources
        self.modules = graph.resolver(JavaScriptModules)
        self._deadline = deadline
        self._files: dict[str, ScriptFile | None] = dict(known)

    def file(self, path: str) -> ScriptFile | None:
        """Return the facts of a script, cached."""
        if path not in self._files:
            self._deadline.check("contracts")
            self._files[path] = parsed_file(self.tree, path)
        return self._files[path]

    def lines_of(self, path: str, symbol: str) -> tuple[int, int] | None:
        """Return the lines of a definition: an export of this name, or `Class.member`."""
        file = self.file(path)
        if file is None:
            return None
        owner, _, member = symbol.partition(".")
        facts = file.classes.get(owner)
        if member and facts is not None and member in facts.members:
            return facts.members[member], facts.members[member]
        return file.lines.get(file.exports.get(symbol, symbol))

    def imports(self, path: str) -> tuple[Import, ...]:
        """Return the imports of a file from the import graph."""
        return self.sources.scan(path).imports

    def offers(self, path: str, name: str, depth: int = 0) -> Offer:
        """Return whether the file at `path` exports or re-exports a name."""
        file = self.file(path) if depth < DEEPEST else None
        if file is None:
            return Offer.unknown
        exported = [item for item in self.imports(path) if item.kind == "export"]
        if name in file.exports or any(local == name for item in exported for _, local in item.names):
            return Offer.yes
        found = {Offer.unknown if file.is_open or file.may_export(name) else Offer.no}
        for item in exported:
            if item.is_star and name != "default":
                targets = self.modules.resolve(path, item).files
                found |= {self.offers(target, name, depth + 1) for target in targets} or {Offer.unknown}
        return next(offer for offer in Offer if offer in found)

    def origin(self, path: str, name: str) -> tuple[str, str] | None:
        """Return (file, local name) of the export `name` of the file at `path`; None if unclear."""
        for _ in range(DEEPEST):
            file = self.file(path)
            if file is None:
                return None
            local = file.exports.get(name)
            if local in file.lines:
                return path, local
            following = self._passed_on(path, name, local)
            if following is None:
                return None
            path, name = following
        return None

    def local_origin(self, file: ScriptFile, name: str) -> tuple[str, str] | None:
        """Return (file, local name) of a name as a file uses it; None if it is bound more than once."""
        if file.bound[name] != 1:
            return None
        if name in file.lines:
            return file.path, name
        for item in self.imports(file.path):
            for original, local in item.names:
                targets = self.modules.resolve(file.path, item).files
                if local == name and item.kind == "import" and original != EVERYTHING and len(targets) == 1:
                    return self.origin(targets[0], original)
        return None

    def arity(self, path: str, name: str, is_new: bool) -> Arity | None:
        """Return the arity of a function, or with `is_new` of a class."""
        file = self.file(path)
        if file is None or not is_new:
            return file.arities.get(name) if file is not None else None
        found = self.lineage(path, name)
        for facts in found or ():
            if "constructor" in facts.arities:
                return facts.arities["constructor"]
        return Arity(0, 0, "()") if found and not any(facts.is_open or facts.is_enum for facts in found) else None

    def lineage(self, path: str, name: str) -> list[ClassFacts] | None:
        """Return a class and its ancestors; None if one of them is unknown."""
        found: list[ClassFacts] = []
        for _ in range(DEEPEST):
            file = self.file(path)
            facts = file.classes.get(name) if file is not None else None
            if file is None or facts is None or facts in found:
                return None
            found.append(facts)
            if facts.parent is None:
                return found
            place = self.local_origin(file, facts.parent)
            if place is None:
                return None
            path, name = place
        return None

    def has(self, path: str, name: str, member: str) -> Offer:
        """Return whether a class or enumeration has a member."""
        found = self.lineage(path, name)
        if found is None or any(facts.is_open for facts in found):
            return Offer.unknown
        if any(member in facts.members for facts in found):
            return Offer.yes
        file = self.file(path)
        return Offer.unknown if file is None or file.may_bind(member) else Offer.no

    def _passed_on(self, path: str, name: str, local: str | None) -> tuple[str, str] | None:
        for item in self.imports(path):
            for original, here in item.names:
                is_reexport = item.kind == "export" and here == name
                is_import = item.kind == "import" and local is not None and here == local
                if original != EVERYTHING and (is_reexport or is_import):
                    targets = self.modules.resolve(path, item).files
                    return (targets[0], original) if len(targets) == 1 else None
        for item in self.imports(path):
            if item.kind == "export" and item.is_star:
                for target in self.modules.resolve(path, item).files:
                    if self.offers(target, name) is Offer.yes:
                        return target, name
        return None
