"""Parse a report from its JSON, checked against the published schema.

The JSON may be untrusted (a store, an artifact, an upload): its size is bounded, and an error is one line. The JSON
does not hold a finding's `context` (it holds the id) and the line coverage of Tier 1, so the report lacks them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import is_dataclass
from enum import EnumType
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from assay.validators.changes.change import shown
from assay.validators.errors import ReportUnreadable
from assay.validators.io.strict_json import parsed_json
from assay.validators.report.document import FileEntry, Shape, converted, fields_of
from assay.validators.report.model import Commit, ToolsResult, ValidationReport

if TYPE_CHECKING:
    import jsonschema

MOST_BYTES = 32 * 1024 * 1024
"""Maximum size of a report in bytes: 25,000 findings take about 12 MB."""

_ESCAPE = re.compile(r'\\(?:([0-7]{3})|(["\\ntr]))')
_PLAIN = {'"': '"', "\\": "\\", "n": "\n", "t": "\t", "r": "\r"}


def read_report(data: bytes | str | Mapping[str, Any]) -> ValidationReport:
    """Return the report rendered as this JSON (text, or already parsed); raise `ReportUnreadable`."""
    values = _read(ValidationReport, checked(data, "the report", None))
    base = Commit(values.pop("base.sha"), values.pop("base.name"), why=values.pop("base.why"))
    head = Commit(values.pop("head.sha"), values.pop("head.name"), values.pop("head.is_worktree"))
    return ValidationReport(base=base, head=head, **vars(values.pop("tiers")), **values)


def read_tools(data: bytes | str | Mapping[str, Any]) -> ToolsResult:
    """Return Tier 1 alone, from the JSON under `tiers.tools`; raise `ReportUnreadable`."""
    return ToolsResult(**_read(ToolsResult, checked(data, "the result of Tier 1", "tools")))


def checked(data: bytes | str | Mapping[str, Any], what: str, part: str | None) -> Mapping[str, Any]:
    """Return the data, valid by the schema (or its `part` under `$defs`); raise `ReportUnreadable`."""
    found = data if isinstance(data, Mapping) else _parsed(data, what)
    try:
        error = next(iter(_validator(part).iter_errors(found)), None)
    except RecursionError:
        raise ReportUnreadable(what, "it is nested too deeply") from None
    if error is not None:
        import jsonschema

        error = jsonschema.exceptions.best_match([error]) or error
        raise ReportUnreadable(what, f"{error.json_path}: {_one_line(error.message)}")
    return found


def _parsed(data: bytes | str, what: str) -> Any:
    if len(data) > MOST_BYTES:
        raise ReportUnreadable(what, f"it is larger than {MOST_BYTES // 1024 // 1024} MiB")
    try:
        text = data if isinstance(data, str) else data.decode("utf-8")
        return parsed_json(text)
    except UnicodeDecodeError:
        raise ReportUnreadable(what, "it is not UTF-8 text") from None
    except RecursionError:
        raise ReportUnreadable(what, "it is nested too deeply") from None
    except ValueError as error:
        raise ReportUnreadable(what, f"it is not JSON: {_one_line(str(error))}") from None


@cache
def _validator(part: str | None) -> Any:
    import jsonschema  # imported late: writing reports starts a tenth faster without it

    text = (resources.files("assay.validators") / "schemas" / "report.schema.json").read_text("utf-8")
    schema = json.loads(text)
    if part is not None:
        schema = {"$ref": f"#/$defs/{part}", "$defs": schema["$defs"]}
    kind = jsonschema.validators.extend(jsonschema.Draft202012Validator, {"pattern": _whole_pattern})  # type: ignore[no-untyped-call]
    return kind(schema)


def _whole_pattern(_: Any, pattern: str, instance: Any, __: Any) -> Iterator[jsonschema.ValidationError]:
    """Check `pattern` as JSON Schema defines it: `$` is the end, where Python's `$` allows a newline after it."""
    import jsonschema

    if isinstance(instance, str) and not re.search(pattern.removesuffix("$") + r"\Z", instance):
        yield jsonschema.ValidationError(f"{instance!r} does not match {pattern!r}")


def _one_line(text: str, most: int = 200) -> str:
    line = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    return line if len(line) <= most else line[: most - 1] + "…"


def _read(kind: Any, data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a type from its JSON form."""
    return {
        name: converted(shape, data[key], _value)
        for key, (name, shape) in fields_of(kind).items()
        if key != "blocks"  # follows from the report's `blocking`
    }


def _value(shape: Shape, value: Any) -> Any:
    kind: Any = shape.kind
    if is_dataclass(kind):
        fields = _read(kind, value)
        return fields if shape.kind is FileEntry else shape.kind(**fields)
    if isinstance(kind, EnumType):
        return kind(value)
    return path_of(value) if shape.mark.is_path else value


def path_of(text: str) -> str:
    """Return the path that `shown` writes as this text; return other text unchanged."""
    if len(text) < 2 or text[0] != '"' or text[-1] != '"':
        return text
    raw = bytearray()
    at, end = 1, len(text) - 1
    while at < end:
        match = _ESCAPE.match(text, at, end)
        if match is None:
            raw += text[at].encode("utf-8", "surrogatepass")
            at += 1
        elif match[1]:
            raw.append(int(match[1], 8) & 0xFF)
            at = match.end()
        else:
            raw += _PLAIN[match[2]].encode()
            at = match.end()
    path = raw.decode("utf-8", "surrogateescape")
    return path if shown(path) == text else text
