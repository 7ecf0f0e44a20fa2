"""What rules ask of a changed file, found by one reading and small enough to keep for a whole change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from assay.validators.languages.engine.parameters import function_in, parameters_of
from assay.validators.languages.engine.reading import SourceReading
from assay.validators.languages.language import Definition


@dataclass(frozen=True, slots=True)
class Outline:
    """Definitions in line order, lines without effect on other files, and what other files may rely on.

    `namespace` is the package that the file declares, `names` are declared here, `handed_on` are exported, imported or
    listed, each with where it comes from, `stars` are the targets of star imports, and `members` are (type, name).
    `parameters` are what the arguments of each function or constructor depend on. `has_error`: parts were not read.
    """

    definitions: tuple[Definition, ...] = ()
    quiet_lines: frozenset[int] = frozenset()
    namespace: str = ""
    names: frozenset[str] = frozenset()
    handed_on: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    stars: frozenset[str] = frozenset()
    members: frozenset[tuple[str, str]] = frozenset()
    parameters: Mapping[str, tuple[object, ...]] = field(default_factory=dict)
    has_error: bool = False


def outline_of(reading: SourceReading, is_listed: bool) -> Outline:
    """Return the outline of a file; `is_listed`: the names that it imports are its own."""
    listed = {one.name: ("", one.name) for one in reading.pieces if one.kind == "listed"}
    exported = {name: ("", local) for name, local in reading.exports.items()}
    given = {local: (item.target, name) for item in reading.imports_given for name, local in item.names}
    return Outline(
        definitions=tuple(one for one in reading.definitions() if is_listed or one.kind != "listed"),
        quiet_lines=frozenset(reading.quiet_lines(is_listed)),
        namespace=reading.namespace,
        names=frozenset(reading.declared()[0]),
        handed_on=listed | exported | given,
        stars=frozenset(item.target for item in reading.imports_given if item.is_star),
        members=frozenset(reading.members),
        parameters=_parameters(reading),
        has_error=reading.has_error,
    )


def _parameters(reading: SourceReading) -> dict[str, tuple[object, ...]]:
    """Return the parameters of each function with its decorators; of a decorated class its fields."""
    found: dict[str, tuple[object, ...]] = {}
    for piece in reading.pieces:
        function = function_in(piece.core) if piece.kind in ("function", "method") else None
        if function is not None:
            shown = tuple((name, one.kind, one.default) for name, one, _ in parameters_of(function))
            found[piece.name] = (*found.get(piece.name, ()), shown, reading.decorators(piece))
        elif piece.kind == "class" and reading.decorators(piece):
            fields = tuple(
                (one.name, bool(one.given)) for one in reading.pieces if one.owner == piece.name and one.gives
            )
            found[piece.name] = (fields, reading.decorators(piece))
    return found
