"""Uses in a file of the head that the base satisfied and the head does not."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from assay.validators.languages.engine.names import ByNames
from assay.validators.languages.engine.parameters import arguments_of, function_in, list_in
from assay.validators.languages.engine.reading import SourceReading
from assay.validators.languages.engine.written import text_of
from assay.validators.languages.language import EVERYTHING, Import, Origin, Symbol
from assay.validators.languages.values import How, Value
from assay.validators.quality.contracts.breaks import BreakKind, Use
from assay.validators.quality.contracts.package_names import PackageNames
from assay.validators.quality.contracts.search import Search
from assay.validators.quality.contracts.side import binds, sole
from assay.validators.wording import plural

_WIDE = frozenset(("Exception", "BaseException", "Throwable", "StandardError"))
_PREPARED = frozenset(
    "ImportError ModuleNotFoundError AttributeError NameError TypeError TYPE_CHECKING class_exists interface_exists "
    "trait_exists enum_exists function_exists method_exists property_exists is_callable defined respond_to LoadError "
    "NoMethodError".split()
)
"""What code is guarded by if its author expects a use in it to fail."""
_EXPECTED = re.compile(rb"@ts-(?:expect-error|ignore)")
_DECLARES = re.compile(
    rb"\bdeclare\s{1,100}(?:module|global)\b[^{\n]{0,500}\{(.*?)(?:^\}|\Z)", re.DOTALL | re.MULTILINE
)
_MOCKS = re.compile(rb"\b\w*[mM]ock\(\s*(?:import\(\s*)?[\"'`]")
_HOW = {"export": "still exports it", "call": "still requires it"}


class Uses:
    """Search for broken uses, one file of the head at a time."""

    def __init__(self, search: Search) -> None:
        self._search = search
        self._head, self._base = search.head, search.base
        self._changed = {file.path for file in search.by_base.values()}
        self._package_names = PackageNames(search) if not self._head.row.runs_on_import else None
        self._stored: set[str] = set()
        """Members that code sets on anything but its own type."""

    def of(self, path: str, content: bytes) -> Iterator[Use]:
        """Yield every broken use in a file whose absence its code does not expect."""
        found = list(self._found(path, content))
        reading = self._head.reading(path) if found else None
        lines = content.split(b"\n")
        for use in found:
            caught = reading.guards(use.line) if reading is not None else frozenset()
            is_expected = any(map(_EXPECTED.search, lines[max(0, use.line - 2) : use.line]))
            if not caught & _PREPARED and not is_expected:
                yield replace(use, is_certain=use.is_certain and not caught & _WIDE)

    def _found(self, path: str, content: bytes) -> Iterator[Use]:
        if self._head.row.has_exports and _MOCKS.search(content):
            return  # a test may replace any module
        if self._package_names is None:
            yield from self._imports(path, content)
        reading = self._head.reading(path) if self._search.mentions(content) else None
        if reading is None:
            return
        self._stored |= reading.stored()
        if self._package_names is not None:
            yield from self._package_names.of(path, reading)
        else:
            yield from self._own_names(path, content, reading)
            yield from self._module_members(path, content, reading)
        yield from self._members(path, content, reading)
        yield from self._calls(path, reading)

    def is_broken(self, use: Use) -> bool:
        """Return whether a use is broken, once all files are read: nothing else gives its receiver the member."""
        name = use.symbol.rpartition(".")[2]
        if (use.kind is BreakKind.arguments or use.receiver is not None) and name in self._stored:
            return False  # another function may take its place
        return use.kind is not BreakKind.attribute or use.receiver is None or self._head.lacks(use.receiver, name)

    # Names

    def _imports(self, path: str, content: bytes) -> Iterator[Use]:
        was = self._search.base_path(path)
        for item in self._head.imports(path):
            if item.kind in ("path", "reference"):
                continue
            how = _HOW.get(item.kind, "still imports it")
            before, after = self._base.modules(was, item), self._head.modules(path, item)
            gone = [file for file in before if file not in self._head.tree]
            place = self._head.place(path, item)
            if gone and not after and not (place.folders and place.why is None):
                # Another root may have a module of that name; not if a part of it is here.
                is_certain = place.file is not None or item.target.startswith(".")
                yield Use(BreakKind.module, gone[0], gone[0], path, item.line, how, is_certain)
                continue
            for name, _ in item.names:
                lost = self._lost_import(path, item, name, before, after) if self._search.may_be_gone(name) else None
                if lost is not None:
                    kind = BreakKind.module if lost[0] == lost[1] else BreakKind.name
                    yield Use(kind, *lost, path, _line_in(content, item, name), how)

    def _lost_import(
        self, path: str, item: Import, name: str, before: tuple[str, ...], after: tuple[str, ...]
    ) -> tuple[str, str] | None:
        """Return (file, name) in the base of what an import takes and the head does not have; of a module its file."""
        if name == EVERYTHING or self._head.inner(path, item, name) is not None:
            return None
        module = self._base.inner(self._search.base_path(path), item, name)
        if module is not None and module not in self._head.tree:
            is_lost = all(self._head.offers(file, name) is False for file in after)
            return (module, module) if is_lost else None
        return self._lost(before, after, name) if before and after else None

    def _lost(self, before: tuple[str, ...], after: tuple[str, ...], name: str) -> tuple[str, str] | None:
        """Return (file, name) in the base of what one of some files offered and none of them does now."""
        if any(self._head.offers(file, name) is not False for file in after):
            return None
        if not any(self._base.offers(file, name) for file in before):
            return None
        return self._base.holder(before[0], name, self._search.names.get(name, ())), name

    def _own_names(self, path: str, content: bytes, reading: SourceReading) -> Iterator[Use]:
        """Yield broken uses of names that the file itself defined, or got by a star import."""
        if path not in self._changed and not any(item.is_star for item in self._head.imports(path)):
            return
        has_late_types = b"from __future__ import annotations" in content
        lost: dict[str, tuple[str, str] | None] = {}
        for node in reading.mentioned:
            name, late = text_of(node), reading.spans("late").around(node.start_byte)
            owners = reading.types.each_around(node.start_byte)
            if (
                name not in self._search.names
                or name in self._head.row.known
                or (has_late_types and late is not None and late.type == "type")
                or any((owner.name, name) in reading.members for owner in owners)
            ):
                continue
            if name not in lost:
                lost[name] = self._lost_here(path, name, reading)
            if place := lost[name]:
                yield Use(BreakKind.name, *place, path, node.start_point.row + 1, "still uses it")

    def _lost_here(self, path: str, name: str, reading: SourceReading) -> tuple[str, str] | None:
        """Return (file, name) in the base of what a file had for its own code, and has no longer."""
        was = self._search.base_path(path)
        if name in self._head.bound(path) or reading.has_error:
            return None
        if not self._head.row.has_exports:
            return self._lost((was,), (path,), name)
        # A file without imports and exports shares its names with other scripts.
        is_module = bool(self._head.imports(path) or self._head.names(path))
        is_ours = is_module and name in self._base.bound(was) and not self._head.may_be_ambient(path, name)
        return (was, name) if is_ours else None

    def _module_members(self, path: str, content: bytes, reading: SourceReading) -> Iterator[Use]:
        """Yield broken uses of names that are asked of an imported module."""
        imports = self._head.imports(path)
        for read in reading.reads:
            if read.receiver is None or read.is_store or not self._search.may_be_gone(read.name):
                continue
            value = reading.certain(read.receiver)
            place = sole(self._head.values.resolved(path, value.name)) if value.how is How.name else None
            first = value.name.partition(".")[0]
            sources = {(item.target if item.names or item.alias else first) for item in imports if first in binds(item)}
            if place is None or place[0].name or place[1] or len(sources) > 1 or _is_text(content, read.name):
                continue
            file = place[0].file
            if lost := self._lost((self._search.base_path(file),), (file,), read.name):
                line = read.node.start_point.row + 1
                yield Use(BreakKind.name, *lost, path, line, "still uses it", receiver=Origin(file, ""))

    # Members

    def _members(self, path: str, content: bytes, reading: SourceReading) -> Iterator[Use]:
        words = [name for name in self._search.members if name.encode("utf-8", "surrogateescape") in content]
        if not words:
            return
        declared = b" ".join(_DECLARES.findall(content)).decode("utf-8", "surrogateescape")
        self._stored |= {word for word in words if word in declared}
        self._head.values.load((path,))  # a class in it may have the member
        imports = self._head.imports(path)
        for name in words:
            if self._head.row.hoists and _is_text(content, name, has_symbols=self._head.row.nests):
                continue
            may_be_imported = any(one.is_star or (name, name) in one.names for one in imports)
            for value, line, is_own in reading.reads_of(name):
                # A call without a receiver may be of an imported function, or of a type around this one.
                if is_own and (may_be_imported or "." in value.name):
                    continue
                if self._may_extend(path, name):
                    continue
                place = self._class_of(path, value)
                lost = self._lost_member(place, name) if place is not None else None
                if lost is not None:
                    how = "still uses it" if self._head.row.runs_on_import else f"still uses `{name}` of `{lost.name}`"
                    symbol = f"{lost.name}.{name}"
                    yield Use(BreakKind.attribute, lost.file, symbol, path, line, how, receiver=place)

    def _may_extend(self, path: str, name: str) -> bool:
        """Return whether a member may be a function from elsewhere that extends the type."""
        resolver = self._head.resolver
        return isinstance(resolver, ByNames) and resolver.may_extend(path, name)

    def _class_of(self, path: str, value: Value) -> Origin | None:
        """Return the only class that a receiver may be of, if what is written of it says so for certain."""
        return sole(self._head.values.value(path, value)) if self._is_said(path, value) else None

    def _is_said(self, path: str, value: Value) -> bool:
        """Return whether a value's class is written, not inferred from what other code assigns or returns.

        It is for a class, its instances, and a constant bound once to one of these.
        """
        if not self._head.row.hoists or value.how in (How.instance, How.parent):
            return value.is_known
        is_call = value.how is How.call and value.of is not None and value.of.how is How.name
        chain = value.of.name if is_call and value.of is not None else value.name
        named = self._named(path, chain) if is_call or value.how is How.name else None
        if named is None or named[1].kind == "class" or is_call:
            return named is not None and named[1].kind == "class"
        given = named[1].gives if named[1].kind == "constant" and self._head.is_bound_once(named[0]) else None
        return given is not None and self._is_said(named[0].file, given)

    def _named(self, path: str, chain: str) -> tuple[Origin, Symbol] | None:
        """Return the only symbol that a name in a file means, and its place."""
        found = sole(self._head.values.resolved(path, chain))
        symbol = self._head.values.symbol(found[0]) if found is not None and not found[1] else None
        return (found[0], symbol) if found is not None and symbol is not None else None

    def _lost_member(self, place: Origin, name: str) -> Origin | None:
        """Return the type in the base, the class itself or a parent, that had a member."""
        for one in self._head.lineage(place).classes:
            for owner in self._search.members[name]:
                if one in (Origin(*owner), self._head.values.origin(*owner)):
                    return Origin(self._search.base_path(owner[0]), owner[1])
        return None

    # Calls

    def _calls(self, path: str, reading: SourceReading) -> Iterator[Use]:
        if not reading.row.counts_arguments:
            return
        for value, is_new, node in reading.calls(self._search.functions):
            given = arguments_of(node) if value.is_known else None
            called = self._called(path, value, is_new) if given is not None else None
            was = self._was(path, called[0], value) if called is not None else None
            if given is None or called is None or was is None:
                continue
            place, is_bound = called
            if "." in place.name and not is_new and self._may_extend(path, place.name.rpartition(".")[2]):
                continue
            before, after = (side.called(one, is_bound) for side, one in ((self._base, was), (self._head, place)))
            reasons = [given.mismatch(one) for one in after]
            if not after or before == after or None in reasons or None not in map(given.mismatch, before):
                continue
            is_python = self._head.row.runs_class_body
            num = given.num_positional + len(given.keywords)
            by_name = "".join(f", `{one}` by name" for one in given.keywords)
            how = f"fails: {reasons[0]}" if is_python else f"passes {plural(num, 'argument')}{by_name}"
            now = str(after[0]) if is_python else self._written(place)
            line = node.start_point.row + 1
            yield Use(BreakKind.arguments, was.file, was.name, path, line, how, now=now)

    def _called(self, path: str, value: Value, is_new: bool) -> tuple[Origin, bool] | None:
        """Return the only function or class that a call may mean, and whether it gets its first argument by itself."""
        values = self._head.values
        if value.how is How.member and value.of is not None:
            owner, name, is_bound = self._class_of(path, value.of), value.name, True
        else:
            is_plain = value.how is How.name or (value.how is How.instance and is_new)
            found = sole(values.resolved(path, value.name)) if is_plain else None
            if found is None or not found[1]:
                return (found[0], False) if found is not None else None
            chain, _, name = value.name.rpartition(".")
            named = self._named(path, chain)
            is_bound = named is None or named[1].kind != "class"
            is_said = not self._head.row.hoists or self._is_said(path, Value(How.name, chain))
            owner = sole(values.of_place(found[0])) if is_said and len(found[1]) == 1 else None
        member = values.member(owner, name) if owner is not None else None
        return (member, is_bound) if member is not None else None

    def _was(self, path: str, place: Origin, value: Value) -> Origin | None:
        """Return the place in the base of what a call in the head means."""
        was = Origin(self._search.base_path(place.file), place.name)
        if self._base.values.symbol(was) is not None or value.how is not How.name:
            return was
        found = sole(self._base.values.resolved(self._search.base_path(path), value.name))
        return found[0] if found is not None and not found[1] and found[0].name else None

    def _written(self, place: Origin) -> str:
        """Return the parameters of a function, or of the constructor of a class, as they are written."""
        reading = self._head.reading(place.file)
        names = (place.name, f"{place.name}.constructor")
        cores = [one.core for one in reading.pieces if one.name in names] if reading is not None else []
        function = next(filter(None, map(function_in, cores)), None)
        parameters = list_in(function) if function is not None else None
        return " ".join(text_of(parameters).split()) if parameters is not None else "()"


def _line_in(content: bytes, item: Import, name: str) -> int:
    """Return the line of a name in an import over several lines."""
    if name == "default":
        return item.line
    lines = content.split(b"\n")[item.line - 1 : item.line + 60]
    word = re.compile(rb"(?<![\w$])" + re.escape(name.encode("utf-8", "surrogateescape")) + rb"(?![\w$])")
    return next((item.line + at for at, line in enumerate(lines) if word.search(line)), item.line)


def _is_text(content: bytes, name: str, has_symbols: bool = False) -> bool:
    """Return whether code may ask for a member by its name as a text: `getattr(x, "name")`, a patch in a test.

    `has_symbols`: or as a symbol, `:name`.
    """
    word = re.escape(name.encode("utf-8", "surrogateescape"))
    symbol = rb"|(?<![:\w]):" + word + rb"\b(?!:)" if has_symbols else b""
    return re.search(rb"[\"'](?:[\w.]*\.)?" + word + rb"[\"']" + symbol, content) is not None
