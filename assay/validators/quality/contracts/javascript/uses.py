"""Uses in a script of the head that the base satisfied and the head does not."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.validators.changes.language_table import is_in, languages
from assay.validators.languages.language import EVERYTHING, Import
from assay.validators.quality.contracts.contract import BreakKind, Use
from assay.validators.quality.contracts.javascript.file import Arity, ScriptFile
from assay.validators.quality.contracts.javascript.side import Offer, ScriptSide
from assay.validators.wording import plural

_HOW = {"export": "still exports it", "call": "still requires it"}
_TRY = re.compile(r"\btry\s*\{")
_TYPED = languages("typescript", "tsx")
_GLOBALS = frozenset(
    "Array ArrayBuffer Atomics BigInt Blob Boolean Buffer CustomEvent DataView Date Document DOMException Element "
    "Error Event EventTarget File FileReader FormData Function Headers HTMLElement Infinity Intl JSON Map Math "
    "NaN Node Number Object Promise Proxy RangeError Reflect RegExp Request Response Set String Symbol "
    "SyntaxError TypeError URL URLSearchParams WeakMap WeakRef WeakSet WebSocket Worker AbortController "
    "AbortSignal ReadableStream TextDecoder TextEncoder Record Partial Required Readonly Pick Omit Exclude "
    "Extract NonNullable Parameters ReturnType Awaited Iterator Iterable AsyncIterable Generator PropertyKey "
    "ThisType addEventListener alert atob btoa cancelAnimationFrame clearImmediate clearInterval clearTimeout "
    "console crypto document exports fetch global globalThis history isNaN location module name navigator "
    "parseFloat parseInt performance process queueMicrotask require requestAnimationFrame screen self "
    "setImmediate setInterval setTimeout status structuredClone undefined window afterAll afterEach beforeAll "
    "beforeEach describe expect it jest test vi arguments".split()
)
"""Globals and built-ins that a name may mean once a file no longer binds it."""


class ScriptUses:
    """Search for broken uses, one file of the head at a time."""

    def __init__(self, base: ScriptSide, head: ScriptSide) -> None:
        self._base = base
        self._head = head

    def broken(self, path: str, content: str) -> Iterator[Use]:
        """Yield every broken use in a file; for a component, only its imports."""
        for item in self._head.imports(path):
            if item.kind not in ("path", "reference") and not _is_mocked(content, item.target):
                yield from self._import(path, item, content)
        file = self._head.file(path)
        if file is None:
            return
        yield from self._own_names(file)
        yield from self._members(file)
        yield from self._calls(file)

    def _import(self, path: str, item: Import, content: str) -> Iterator[Use]:
        before, after = self._base.modules.resolve(path, item), self._head.modules.resolve(path, item)
        gone = [file for file in before.files if file not in self._head.tree]
        if gone and not after.files:
            is_certain = item.target.startswith(".") and not (item.kind == "call" and _TRY.search(content))
            yield Use(BreakKind.module, gone[0], gone[0], path, item.line, "still imports it", is_certain)
            return
        for name, _ in item.names:
            if name != EVERYTHING and self._is_lost(before.files, after.files, name):
                how = _HOW.get(item.kind, "still imports it")
                is_certain = item.kind != "call" or _TRY.search(content) is None
                yield Use(BreakKind.name, self._holder(before.files[0], name), name, path, item.line, how, is_certain)

    def _holder(self, path: str, name: str) -> str:
        """Return the file of the base that defines a name exported by the one at `path`."""
        origin = self._base.origin(path, name)
        return origin[0] if origin is not None else path

    def _is_lost(self, before: tuple[str, ...], after: tuple[str, ...], name: str) -> bool:
        if not before or not after or any(self._head.offers(file, name) is not Offer.no for file in after):
            return False
        return any(self._base.offers(file, name) is Offer.yes for file in before)

    def _own_names(self, file: ScriptFile) -> Iterator[Use]:
        """Yield broken uses of names that the file itself defined or imported."""
        before = self._base.file(file.path)
        if before is None or not file.is_module:
            return
        for name, lines in file.uses.items():
            is_bound = file.bound[name] or file.is_broken or name in _GLOBALS
            if name in before.lines and not is_bound:
                for line in lines:
                    yield Use(BreakKind.name, file.path, name, file.path, line, "still uses it")

    def _members(self, file: ScriptFile) -> Iterator[Use]:
        namespaces = {
            local: item
            for item in self._head.imports(file.path)
            for name, local in item.names
            if name == EVERYTHING and local and item.kind == "import" and file.bound[local] == 1
        }
        for member in file.members:
            if member.owner in namespaces:
                item = namespaces[member.owner]
                files = [side.modules.resolve(file.path, item).files for side in (self._base, self._head)]
                if self._is_lost(files[0], files[1], member.name):
                    holder = self._holder(files[0][0], member.name)
                    yield Use(BreakKind.name, holder, member.name, file.path, member.line, "still uses it")
                continue
            place = self._class_of(file, member.owner, member.within)
            if place is not None and self._lacks(place, member.name):
                symbol = f"{place[1]}.{member.name}"
                yield Use(BreakKind.attribute, place[0], symbol, file.path, member.line, "still uses it")

    def _class_of(self, file: ScriptFile, owner: str, within: str) -> tuple[str, str] | None:
        """Return (file, name) of the class that certainly has the members of `owner`."""
        if owner == "this":
            return (file.path, within) if within in file.classes else None
        name = file.made.get(owner, owner) if file.bound[owner] == 1 else owner
        return self._head.local_origin(file, name)

    def _lacks(self, place: tuple[str, str], member: str) -> bool:
        is_gone = self._head.has(*place, member) is Offer.no and self._base.has(*place, member) is Offer.yes
        return is_gone and not hasattr(object, member) and member not in ("name", "length", "prototype", "constructor")

    def _calls(self, file: ScriptFile) -> Iterator[Use]:
        """Yield calls with a wrong number of arguments; TypeScript refuses them, JavaScript does not."""
        if not is_in(file.path, _TYPED):
            return
        for call in file.calls:
            place = (file.path, call.within) if call.within else self._head.local_origin(file, call.name)
            if place is None or not is_in(place[0], _TYPED):
                continue
            if call.within:
                before, after = (_method(side, place, call.name) for side in (self._base, self._head))
                symbol = f"{call.within}.{call.name}"
            else:
                before, after = (side.arity(*place, call.is_new) for side in (self._base, self._head))
                symbol = place[1]
            if before is None or after is None or after.takes(call.count) or not before.takes(call.count):
                continue
            how = f"passes {plural(call.count, 'argument')}"
            yield Use(BreakKind.arguments, place[0], symbol, file.path, call.line, how, now=after.text)


def _method(side: ScriptSide, place: tuple[str, str], name: str) -> Arity | None:
    for facts in side.lineage(*place) or ():
        if name in facts.members:
            return facts.arities.get(name)
    return None


def _is_mocked(content: str, target: str) -> bool:
    """Return whether a test replaces a module by a mock."""
    return "ock(" in content and re.search(rf"\b\w*[mM]ock\(\s*[\"'`]{re.escape(target)}[\"'`]", content) is not None
