"""Flow of request text through the names of one module, in any language.

The order of statements is ignored: a name that ever holds such text always does.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

REQUEST = frozenset(("request", "req", "Request"))
"""Names of request objects that need no declaration in the module."""
MOST_ROUNDS = 12
"""Maximum rounds over a module's facts; each follows text by at least one step."""
MOST_RENAMINGS = 12
"""Maximum assignments followed from a name to the next."""


@dataclass(frozen=True, slots=True, eq=False)
class Scope:
    """Function or module, with its outer scope. Scopes are compared by identity."""

    parent: Scope | None = None

    @property
    def root(self) -> Scope:
        """The module's scope."""
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope


@dataclass(frozen=True, slots=True)
class Reads:
    """Names an expression reads.

    `carried` are names whose request part it reads (`name.args`), `bare` is its name if it is only a name.
    """

    scope: Scope
    names: frozenset[str] = frozenset()
    carried: frozenset[str] = frozenset()
    calls: frozenset[str] = frozenset()
    bare: str | None = None


@dataclass(frozen=True, slots=True)
class Function:
    """Function of the module: its scope and parameters by position."""

    scope: Scope
    parameters: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Call:
    """Call: the last part of the callee's name, its arguments by position and by name."""

    callee: str
    given: tuple[tuple[str | None, Reads], ...]


@dataclass
class Flow:
    """Facts of a module and, after `solve`, the names that hold text from a request."""

    functions: dict[str, list[Function]] = field(default_factory=dict)
    bindings: list[tuple[Scope, tuple[str, ...], Reads]] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    returns: list[tuple[str, Reads]] = field(default_factory=list)
    _fed: set[tuple[Scope, str]] = field(default_factory=set)
    _carriers: set[tuple[Scope, str]] = field(default_factory=set)
    _returning: set[str] = field(default_factory=set)

    def solve(self, entered: Iterable[str] = ()) -> None:
        """Follow the text until nothing changes; `entered` are functions that other modules call with such text."""
        for name in entered:
            for function in self.functions.get(name, ()):
                self._fed.update((function.scope, parameter) for parameter in function.parameters)
        for _ in range(MOST_ROUNDS):
            before = len(self._fed) + len(self._carriers) + len(self._returning)
            for scope, names, reads in self.bindings:
                self._bind(scope, names, reads)
            for name, reads in self.returns:
                if self.holds(reads):
                    self._returning.add(name)
            for call in self.calls:
                self._enter(call)
            if len(self._fed) + len(self._carriers) + len(self._returning) == before:
                return

    def holds(self, reads: Reads) -> bool:
        """Return whether an expression holds text from a request."""
        return (
            any(self._is_in(self._fed, reads.scope, name) for name in reads.names)
            or any(self._is_carrier(reads.scope, name) for name in reads.carried)
            or not reads.calls.isdisjoint(self._returning)
        )

    def renamed(self, names: set[str]) -> set[str]:
        """Return the names, and the names they are assigned to."""
        for _ in range(MOST_RENAMINGS if names else 0):
            more = {name for _, bound, reads in self.bindings if reads.bare in names for name in bound} - names
            if not more:
                break
            names |= more
        return names

    def called_with_text(self) -> set[str]:
        """Return the functions that get such text, by the last part of their names."""
        return {call.callee for call in self.calls if any(self.holds(reads) for _, reads in call.given)}

    def _bind(self, scope: Scope, names: tuple[str, ...], reads: Reads) -> None:
        if self.holds(reads):
            # Any function may have the attribute's object, so the attribute is identified by its name alone.
            self._fed.update((scope.root if name.startswith(".") else scope, name) for name in names)
        if reads.bare is not None and self._is_carrier(reads.scope, reads.bare):
            self._carriers.update((scope, name) for name in names)

    def _enter(self, call: Call) -> None:
        """Pass the arguments of a call to the parameters of the functions of that name."""
        for function in self.functions.get(call.callee, ()):
            for place, (name, reads) in enumerate(call.given):
                if name is not None:
                    self._bind(function.scope, (name,), reads)
                elif place < len(function.parameters):
                    self._bind(function.scope, (function.parameters[place],), reads)
        handed = {reads.bare for _, reads in call.given if reads.bare in self.functions}
        for name in handed:
            for function in self.functions[name or ""]:
                for _, reads in call.given:
                    self._bind(function.scope, function.parameters, reads)

    def _is_carrier(self, scope: Scope, name: str) -> bool:
        return name in REQUEST or self._is_in(self._carriers, scope, name)

    def _is_in(self, known: set[tuple[Scope, str]], scope: Scope | None, name: str) -> bool:
        while scope is not None:
            if (scope, name) in known:
                return True
            scope = scope.parent
        return False
