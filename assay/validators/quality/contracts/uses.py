"""Uses in a file of the head that the base satisfied and the head does not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from assay.validators.languages.engine.parameters import Call, arguments_of, function_in
from assay.validators.languages.engine.reading import SourceReading
from assay.validators.languages.engine.written import is_in_type, text_of
from assay.validators.languages.language import EVERYTHING, Import, Origin, Symbol
from assay.validators.languages.values import How, Value
from assay.validators.quality.contracts.arguments import mismatch, signature_text
from assay.validators.quality.contracts.breaks import BreakKind, Use
from assay.validators.quality.contracts.doubts import guards, is_expected_to_fail, is_own_member
from assay.validators.quality.contracts.package_names import PackageNames
from assay.validators.quality.contracts.search import Search
from assay.validators.quality.contracts.side import Offer, sole
from assay.validators.wording import plural

if TYPE_CHECKING:
    import tree_sitter

_WIDE = frozenset(("Exception", "BaseException"))
_SILENCES = {
    BreakKind.name: frozenset(("ImportError", "ModuleNotFoundError", "AttributeError", "NameError", "TYPE_CHECKING")),
    BreakKind.module: frozenset(("ImportError", "ModuleNotFoundError", "TYPE_CHECKING")),
    BreakKind.attribute: frozenset(("AttributeError", "TYPE_CHECKING")),
    BreakKind.arguments: frozenset(("TypeError", "TYPE_CHECKING")),
}
"""What code around a use is prepared for if its author expects the use to fail."""
_DECLARES = re.compile(rb"\bdeclare\s{1,100}(?:module|global)\b[^{\n]{0,500}\{")
_HOW = {"export": "still exports it", "call": "still requires it"}


class Uses:
    """Search for broken uses, one file of the head at a time."""

    def __init__(self, search: Search) -> None:
        self._search = search
        self._gone, self._head, self._base = search.gone, search.head, search.base
        self._changed = {file.path for file in search.by_base.values()}
        self._package_names = PackageNames(search)
        self._stored: set[str] = set()
        """Members that code sets on anything but its own type."""

    def of(self, path: str, content: bytes) -> Iterator[Use]:
        """Yield every broken use in a file; of one that cannot be read, only its imports."""
        if self._head.row.runs_on_import:
            yield from self._imports(path, content)
        is_read = self._search.mentions(content) or path in self._gone.imports
        reading = self._head.reading(path) if is_read else None
        if reading is None:
            return
        self._stored |= reading.stored()
        if self._head.row.runs_on_import:
            yield from self._own_names(path, content, reading)
            yield from self._module_members(path, content, reading)
        else:
            yield from self._package_names.of(path, reading)
        yield from self._members(path, content, reading)
        yield from self._calls(path, reading)

    def is_broken(self, use: Use) -> bool:
        """Return whether a use is broken, once all files are read: nothing else gives its receiver the member."""
        if use.kind is BreakKind.arguments:
            return use.symbol.rpartition(".")[2] not in self._stored  # another function may take its place
        if use.receiver is None:
            return True
        if use.kind is BreakKind.name:
            return use.symbol not in self._stored
        owner, _, name = use.symbol.rpartition(".")
        before = self._base.values.symbol(Origin(use.file, f"{owner}.{name}"))
        was_method = before is not None and before.kind == "method"
        return name not in self._stored and self._head.lacks(use.receiver, name, was_method)

    def _use(
        self,
        kind: BreakKind,
        place: tuple[str, str],
        path: str,
        line: int,
        how: str,
        now: str = "",
        is_certain: bool = True,
        receiver: Origin | None = None,
    ) -> Iterator[Use]:
        """Yield a use of a symbol (file, name), unless the code around it is prepared for its absence."""
        reading = self._head.reading(path)
        caught = guards(reading, line) if reading is not None else frozenset()
        if reading is not None and is_expected_to_fail(reading, line):
            return
        if not caught & _SILENCES[kind]:
            yield Use(kind, place[0], place[1], path, line, how, is_certain and not caught & _WIDE, now, receiver)

    # Names

    def _imports(self, path: str, content: bytes) -> Iterator[Use]:
        was = self._search.base_path(path)
        for item in self._head.imports(path):
            if item.kind in ("path", "reference") or _is_mocked(content, item.target):
                continue
            how = _HOW.get(item.kind, "still imports it")
            before, after = self._base.modules(was, item), self._head.modules(path, item)
            gone = [file for file in before if file not in self._head.tree]
            if gone and not self._head.is_there(path, item):
                is_certain = self._head.starts(path, item)
                yield from self._use(BreakKind.module, (gone[0], gone[0]), path, item.line, how, "", is_certain)
                continue
            for name, _ in item.names:
                may_be_gone = self._gone.has_stars or name in self._gone.names or name in self._search.stems
                if name != EVERYTHING and may_be_gone:
                    place = self._lost_import(path, item, name, before, after)
                    if place is not None:
                        line = _line_in(content, item, name)
                        kind = BreakKind.module if place[0] == place[1] else BreakKind.name
                        yield from self._use(kind, place, path, line, how)

    def _lost_import(
        self, path: str, item: Import, name: str, before: tuple[str, ...], after: tuple[str, ...]
    ) -> tuple[str, str] | None:
        """Return (file, name) in the base of what an import takes and the head does not have; of a module its file."""
        if self._head.inner(path, item, name) is not None:
            return None
        module = self._base.inner(self._search.base_path(path), item, name)
        if module is not None and module not in self._head.tree:
            is_lost = all(self._head.offers(file, name) is Offer.no for file in after)
            return (module, module) if is_lost else None
        is_lost = bool(before and after) and self._is_lost(before, after, name)
        return (self._holder(before[0], name), name) if is_lost else None

    def _holder(self, path: str, name: str) -> str:
        return self._base.holder(path, name, self._gone.names.get(name, ()))

    def _is_lost(self, before: tuple[str, ...], after: tuple[str, ...], name: str) -> bool:
        if any(self._head.offers(file, name) is not Offer.no for file in after):
            return False
        return any(self._base.offers(file, name) is Offer.yes for file in before)

    def _own_names(self, path: str, content: bytes, reading: SourceReading) -> Iterator[Use]:
        """Yield broken uses of names that the file itself defined, or got by a star import."""
        if path not in self._changed and not any(item.is_star for item in self._head.imports(path)):
            return
        was = self._search.base_path(path)
        lost: dict[str, str | None] = {}
        late = b"from __future__ import annotations" in content
        for node in reading.mentioned:
            name = text_of(node)
            if name not in self._gone.names or name in self._head.row.known or is_own_member(reading, name, node):
                continue
            if name not in lost:
                lost[name] = self._lost_here(was, path, name)
            holder = lost[name]
            if holder is not None and not ((late or name == "React") and is_in_type(node)):
                yield from self._use(BreakKind.name, (holder, name), path, node.start_point.row + 1, "still uses it")

    def _lost_here(self, was: str, path: str, name: str) -> str | None:
        """Return the file that defined a name which a file had for its own code, and has no longer."""
        if name in self._head.bound(path) or self._head.is_broken(path):
            return None
        if self._head.row.has_exports:
            is_module = bool(self._head.imports(path)) or self._head.has_exports(path)
            is_ours = is_module and self._base.owns(was, name) and not self._head.ambient.may_be(path, name)
            return was if is_ours and not self._head.ambient.are_imported_by_a_build else None
        if self._head.offers(path, name) is Offer.no and self._base.offers(was, name) is Offer.yes:
            return self._holder(was, name)
        return None

    def _module_members(self, path: str, content: bytes, reading: SourceReading) -> Iterator[Use]:
        """Yield broken uses of names that are asked of an imported module."""
        may_be_any = self._gone.has_stars
        is_mocked = any(_is_mocked(content, item.target) for item in self._head.imports(path))
        for read in reading.reads if not is_mocked else ():
            if read.receiver is None or read.is_store or not (may_be_any or read.name in self._gone.names):
                continue
            value = reading.certain(read.receiver)
            if value.how is not How.name:
                continue
            places = self._head.values.resolved(path, value.name)
            is_one = len(places) == 1 and len(self._sources(path, value.name.partition(".")[0])) < 2
            if is_one and not places[0][0].name and not places[0][1]:
                file = places[0][0].file
                was = self._search.base_path(file)
                if self._is_lost((was,), (file,), read.name) and not _is_named_in_text(content, read.name):
                    line = read.node.start_point.row + 1
                    place = (self._holder(was, read.name), read.name)
                    module = Origin(file, "")
                    yield from self._use(BreakKind.name, place, path, line, "still uses it", receiver=module)

    def _sources(self, path: str, name: str) -> set[str]:
        """Return what imports bind a name to."""
        items = self._head.imports(path)
        named = {f"{item.target}.{one}" for item in items for one, local in item.names if (local or one) == name}
        whole = {item.target for item in items if item.alias == name}
        first = {name for item in items if not item.names and not item.alias and item.target.partition(".")[0] == name}
        return named | whole | first

    # Members

    def _members(self, path: str, content: bytes, reading: SourceReading) -> Iterator[Use]:
        words = [name for name in self._gone.members if name.encode("utf-8", "surrogateescape") in content]
        imports = self._head.imports(path)
        if words:
            declared = list(_declared(content))
            self._stored |= {word for word in words if any(word in block for block in declared)}
            self._head.values.load((path,))  # a class in it may have the member
        for name in words:
            if self._head.row.hoists and _is_named_in_text(content, name):
                continue
            may_be_imported = any(one.is_star or (name, name) in one.names for one in imports)
            for value, line, is_own in reading.reads_of(name):
                # A call without a receiver may be of an imported function, or of a type around this one.
                if is_own and (may_be_imported or "." in value.name):
                    continue
                place = self._class_of(path, value)
                lost = self._lost_member(place, name) if place is not None else None
                if lost is not None:
                    how = "still uses it" if self._head.row.runs_on_import else f"still uses `{name}` of `{lost[1]}`"
                    symbol = lost[0], f"{lost[1]}.{name}"
                    yield from self._use(BreakKind.attribute, symbol, path, line, how, receiver=place)

    def _class_of(self, path: str, value: Value) -> Origin | None:
        """Return the only class that a receiver may be of, if what is written of it says so for certain."""
        return sole(self._head.values.value(path, value)) if self._is_said(path, value) else None

    def _is_said(self, path: str, value: Value) -> bool:
        """Return whether a value's class is written, not inferred from what other code assigns or returns."""
        if not self._head.row.hoists or value.how in (How.instance, How.parent):
            return value.is_known
        if value.how is How.call and value.of is not None and value.of.how is How.name:
            return self._is_class(path, value.of.name)
        return value.how is How.name and self._is_said_name(path, value.name)

    def _is_said_name(self, path: str, chain: str) -> bool:
        """Return whether a name is a class, or bound once to what is certainly an instance of one."""
        named = self._named(path, chain)
        if named is None or named[1].kind == "class":
            return named is not None
        given = named[1].gives if named[1].kind == "constant" and self._head.is_bound_once(named[0]) else None
        return given is not None and self._is_said(named[0].file, given)

    def _is_class(self, path: str, chain: str) -> bool:
        named = self._named(path, chain)
        return named is not None and named[1].kind == "class"

    def _named(self, path: str, chain: str) -> tuple[Origin, Symbol] | None:
        """Return the only symbol that a name in a file means, and its place."""
        places = self._head.values.resolved(path, chain)
        symbol = self._head.values.symbol(places[0][0]) if len(places) == 1 and not places[0][1] else None
        return (places[0][0], symbol) if symbol is not None else None

    def _lost_member(self, place: Origin, name: str) -> tuple[str, str] | None:
        """Return (file, type) in the base of the class, or of its parent, that had a member."""
        classes = self._head.lineage(place).classes
        found = (owner for owner in self._gone.members[name] for one in classes if self._is_same(one, owner))
        owner = next(found, None)
        return (self._search.base_path(owner[0]), owner[1]) if owner is not None else None

    def _is_same(self, place: Origin, owner: tuple[str, str]) -> bool:
        origin = self._head.values.origin(*owner) or Origin(*owner)
        return place in (Origin(*owner), origin)

    # Calls

    def _calls(self, path: str, reading: SourceReading) -> Iterator[Use]:
        if not reading.row.counts_arguments:
            return
        for value, is_new, node in reading.calls(self._gone.functions):
            given = arguments_of(node) if value.is_known else None
            if given is None:
                continue
            for place, is_bound in self._called(path, value, is_new):
                yield from self._call(path, node, given, place, is_bound, value)

    def _called(self, path: str, value: Value, is_new: bool) -> Iterator[tuple[Origin, bool]]:
        """Yield the only function or class that a call may mean, and whether it gets its first argument by itself."""
        values = self._head.values
        if value.how is How.member and value.of is not None:
            place = self._class_of(path, value.of)
            member = values.member(place, value.name) if place is not None else None
            if member is not None:
                yield member, True
            return
        if value.how not in (How.name, How.instance) or (value.how is How.instance and not is_new):
            return
        places = values.resolved(path, value.name)
        if len(places) != 1:
            return
        place, rest = places[0]
        if not rest:
            yield place, False
        elif len(rest) == 1 and (holder := sole(values.of_place(place))) is not None:
            member = values.member(holder, rest[0])
            name = value.name.rpartition(".")[0]
            if member is not None and (not self._head.row.hoists or self._is_said_name(path, name)):
                yield member, not self._is_class(path, name)

    def _call(
        self,
        path: str,
        node: tree_sitter.Node,
        given: Call,
        place: Origin,
        is_bound: bool,
        value: Value,
    ) -> Iterator[Use]:
        symbol = self._head.values.symbol(place)
        was = self._was(path, place, value)
        if symbol is None or was is None:
            return
        if symbol.kind == "class":
            after, before = self._head.constructors(place), self._base.constructors(was)
        else:
            after, before = self._head.signatures(place, is_bound), self._base.signatures(was, is_bound)
        reasons = [mismatch(one, given) for one in after]
        if not after or not before or after == before or None in reasons:
            return
        if all(mismatch(one, given) is not None for one in before):
            return
        is_python = self._head.row.runs_class_body
        how = reasons[0] if is_python and reasons[0] else f"passes {plural(given.num_positional, 'argument')}"
        now = signature_text(after[0]) if is_python else self._written(place, symbol.kind)
        line = node.start_point.row + 1
        yield from self._use(BreakKind.arguments, (was.file, was.name), path, line, how, now)

    def _was(self, path: str, place: Origin, value: Value) -> Origin | None:
        """Return the place in the base of what a call in the head means."""
        was = Origin(self._search.base_path(place.file), place.name)
        if self._base.values.symbol(was) is not None:
            return was
        if value.how is not How.name:
            return None
        found = self._base.values.resolved(self._search.base_path(path), value.name)
        return found[0][0] if len(found) == 1 and not found[0][1] and found[0][0].name else None

    def _written(self, place: Origin, kind: str) -> str:
        """Return the parameters of a function as they are written."""
        reading = self._head.reading(place.file)
        name = f"{place.name}.constructor" if kind == "class" else place.name
        cores = [one.core for one in reading.pieces if one.name == name] if reading is not None else []
        function = function_in(cores[0]) if cores else None
        parameters = function.child_by_field_name("parameters") if function is not None else None
        return " ".join(text_of(parameters).split()) if parameters is not None else "()"


def _line_in(content: bytes, item: Import, name: str) -> int:
    """Return the line of a name in an import over several lines."""
    if name == "default":
        return item.line
    lines = content.split(b"\n")[item.line - 1 : item.line + 60]
    word = re.compile(rb"(?<![\w$])" + re.escape(name.encode("utf-8", "surrogateescape")) + rb"(?![\w$])")
    return next((item.line + at for at, line in enumerate(lines) if word.search(line)), item.line)


def _declared(content: bytes) -> Iterator[str]:
    """Yield the blocks that declare names for other modules or all scripts."""
    end = 0
    while found := _DECLARES.search(content, end):
        depth, end = 1, found.end()
        while depth and end < len(content):
            depth += (content[end] == 123) - (content[end] == 125)  # braces
            end += 1
        yield content[found.end() : end].decode("utf-8", "surrogateescape")


def _is_named_in_text(content: bytes, name: str) -> bool:
    """Return whether code may ask for a member by its name as a text: `getattr(x, "name")`, a patch in a test."""
    word = re.escape(name.encode("utf-8", "surrogateescape"))
    return re.search(rb"[\"'](?:[\w.]*\.)?" + word + rb"[\"']", content) is not None


def _is_mocked(content: bytes, target: str) -> bool:
    """Return whether a test replaces a module by a mock."""
    wanted = re.escape(target.encode("utf-8", "surrogateescape"))
    return (
        b"ock(" in content
        and re.search(rb"\b\w*[mM]ock\(\s*(?:import\(\s*)?[\"'`]" + wanted + rb"[\"'`]", content) is not None
    )
