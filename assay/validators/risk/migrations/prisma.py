"""Prisma's schema file: the models before and after."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from assay.validators.changes.change import lines_of
from assay.validators.risk.migrations.migration import Effect, Migration, Operation, Surroundings

_BLOCK = re.compile(r"^\s*(model|enum|type|view)\s+(\w+)\s*\{")
_FIELD = re.compile(r"^\s*(\w+)\s+(\w+)(\[\]|\?)?(.*)$")


@dataclass(frozen=True, slots=True)
class _Field:
    line: int
    type: str
    mark: str
    rest: str

    @property
    def is_column(self) -> bool:
        """Whether it is a column of the table, neither a list of another model nor the other side of a relation."""
        return self.mark != "[]" and "@relation" not in self.rest


def _operations(text: str, surroundings: Surroundings) -> Iterator[Operation]:
    old, new = _blocks(surroundings.before or ""), _blocks(text)
    for name in old.keys() - new.keys():
        yield Operation(Effect.destructive, f"{name} is gone")
    for name, (line, fields) in new.items():
        if name not in old:
            yield Operation(Effect.additive, f"new {name}", line)
        else:
            yield from _fields(name, old[name][1], fields, (set(old) | set(new)))


def _fields(model: str, old: dict[str, _Field], new: dict[str, _Field], models: set[str]) -> Iterator[Operation]:
    for name in old.keys() - new.keys():
        if old[name].is_column and old[name].type not in models:
            yield Operation(Effect.destructive, f"{model}.{name} is gone")
    for name, field in new.items():
        was = old.get(name)
        if not field.is_column or field.type in models:
            continue
        if was is None:
            has_value = "@default" in field.rest or "@updatedAt" in field.rest
            is_required = field.mark == "" and field.type and not has_value
            yield Operation(Effect.destructive if is_required else Effect.additive, f"new {model}.{name}", field.line)
        elif (was.type, was.mark) != (field.type, field.mark):
            effect = Effect.additive if (was.type, field.mark) == (field.type, "?") else Effect.destructive
            text = f"{model}.{name}: {was.type}{was.mark} -> {field.type}{field.mark}"
            yield Operation(effect, text, field.line)


def _blocks(text: str) -> dict[str, tuple[int, dict[str, _Field]]]:
    """Return `model User` -> (its line, its fields by name); an enum's values are fields without a type."""
    found: dict[str, tuple[int, dict[str, _Field]]] = {}
    fields: dict[str, _Field] | None = None
    for number, line in enumerate(lines_of(text), 1):
        said = line.partition("//")[0]
        if block := _BLOCK.match(said):
            fields = {}
            found[block[2]] = (number, fields)
        elif said.strip() == "}":
            fields = None
        elif fields is not None and not said.strip().startswith("@@"):
            if field := _FIELD.match(said):
                fields[field[1]] = _Field(number, field[2], field[3] or "", field[4])
            elif said.strip():
                fields[said.strip().partition(" ")[0]] = _Field(number, "", "", "")
    return found


PRISMA = Migration("prisma", lambda path, _: path.endswith(".prisma"), _operations, is_state=True)
