"""ruff: `check` and `format --check`, in every text format since 0.0.200."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from assay.validators.report.model import Finding, ToolKind
from assay.validators.tools.parsers.text_tool import TextTool
from assay.validators.tools.readers.json_text import dicts, inner, json_values, number, text
from assay.validators.tools.readers.output import Output, could_not_look, finding, lint_reading
from assay.validators.tools.tool import Reading

# Other compilers print the same form: a rule is ruff's code, or a name it uses instead of a code.
_RULE = r"([A-Z]{1,6}\d{1,5}|invalid-syntax|unformatted|io-error|SyntaxError):?"
_CONCISE = re.compile(rf":(\d{{1,7}}):(\d{{1,7}}): {_RULE} (.*)")
_HEAD = re.compile(rf"{_RULE} (.*)")
_SUFFIXES = (".py", ".pyi", ".ipynb", ".toml", ".md")
_ARROW = re.compile(r" *--> (.*):(\d{1,7}):(\d{1,7})$")
_GROUPED = re.compile(r"  (\d{1,7}):(\d{1,7}) ([A-Z]{1,6}\d{1,5}) (.*)")
_CLOSING = re.compile(
    r"Found \d+ errors?\b|All checks passed!"
    r"|\d+ files? would be reformatted|\d+ files? (already formatted|left unchanged)"
)
_BROKEN = re.compile(r"(?:ruff failed|error: (?!Failed to parse|cannot format)|thread '.*' panicked)")


def look(output: Output) -> Reading | None:
    """Return findings in any of ruff's formats; a missing file or bad configuration means nothing was checked."""
    findings = [*_printed(output), *_json(output)]
    closed = any(_CLOSING.match(line) for line in output.lines)
    missing = next((found for found in findings if found.rule == "E902"), None)
    if missing is not None or any(line.startswith("E902 ") for line in output.lines):
        return could_not_look("ruff was given a file it cannot read", findings)
    if not closed and not findings:
        return None
    if any("No Python files found under the given path" in line for line in output.lines):
        return could_not_look("no Python files found")
    return lint_reading(findings)


def _printed(output: Output) -> Iterator[Finding]:
    lines = output.lines
    heading: str | None = None
    for index, line in enumerate(lines):
        arrow = _ARROW.match(line)
        if arrow and index:
            head = _HEAD.match(lines[index - 1])
            if head:
                yield from _found(output, arrow[1], arrow[2], head[1], head[2], _help(lines[index + 1 : index + 60]))
            continue
        concise = _CONCISE.search(line)
        if concise and not line.startswith("::"):
            yield from _found(output, line[: concise.start()], concise[1], concise[3], concise[4])
        elif line.startswith("Would reformat: "):
            yield from _found(output, line.removeprefix("Would reformat: "), "", "format", "would be reformatted")
        elif line.endswith(":") and not line.startswith(" "):
            heading = line[:-1]
        elif heading and (grouped := _GROUPED.match(line)):
            yield from _found(output, heading, grouped[1], grouped[3], grouped[4])


def _found(output: Output, path: str, line: str, rule: str, message: str, hint: str | None = None) -> Iterator[Finding]:
    file = output.places.file(path)
    if file is not None and file.endswith(_SUFFIXES):
        rule = {"unformatted": "format", "SyntaxError": "invalid-syntax"}.get(rule, rule)
        said = message.removeprefix("[*] ")
        yield finding("ruff", rule, said, (file, int(line) if line else None), suggestion=hint)


def _help(lines: Sequence[str]) -> str | None:
    for line in lines:
        if not line.strip():
            return None
        if line.startswith("help: "):
            return line.removeprefix("help: ")
    return None


def _json(output: Output) -> Iterator[Finding]:
    """Yield findings of ruff's JSON, as one array or as one object a line."""
    if '"noqa_row"' not in output.text and '"end_location"' not in output.text:
        return
    for value in json_values(output.text):
        for entry in dicts(value if isinstance(value, list) else [value]):
            file = output.places.file(text(entry.get("filename")))
            if file is not None and "location" in entry:
                yield finding(
                    "ruff",
                    text(entry.get("code")) or "invalid-syntax",
                    text(entry.get("message")),
                    (file, number(inner(entry, "location", "row"))),
                    end_line=number(inner(entry, "end_location", "row")),
                    suggestion=text(inner(entry, "fix", "message")) or None,
                )


ruff = TextTool(
    "ruff",
    ToolKind.lint,
    frozenset(("ruff",)),
    look,
    only_with={"ruff": frozenset(("check", "format"))},
    gave_up=_BROKEN,
)
