"""mypy and dmypy: text in any of its layouts, and JSON (1.11 and newer)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.validators.report.model import Finding, Severity, ToolKind
from assay.validators.tools.parsers.text_tool import TextTool
from assay.validators.tools.readers.json_text import dicts, json_values, number, text
from assay.validators.tools.readers.output import Output, could_not_look, finding, lint_reading, severity_of
from assay.validators.tools.tool import Reading

_LINE = re.compile(r":(\d{1,7})(?::\d{1,7}(?::(\d{1,7}):\d{1,7})?)?: (error|warning): (.*)")
_CODE = re.compile(r"\[([a-z][a-z0-9-]{1,60})\]\s*$")
_CLOSING = re.compile(r"Found \d+ errors? in \d+ files?|Success: no issues found")
_NO_LOOK = re.compile(
    r"usage: mypy|mypy: (?:can't|error)|There are no \.py\[i\] files|.{0,300}: error: Cannot (?:read|find) .*file"
    r"|.{0,300}: error: (?:Source file found twice|Duplicate module named)|Missing target module"
)
_MODULES = frozenset(("import-not-found", "import-untyped", "import"))


def look(output: Output) -> Reading | None:
    """Return the errors; if all of them are missing modules, report that the tree was not prepared for mypy."""
    findings = [*_printed(output), *_json(output)]
    refused = next((line for line in output.lines if _NO_LOOK.match(line)), None)
    if refused is not None:
        return could_not_look(refused, findings)
    if not findings and not any(_CLOSING.match(line) for line in output.lines):
        return None
    if "(errors prevented further checking)" in output.text:
        return lint_reading(
            findings, looked=False, reason="mypy stopped at the first files: errors prevented further checking"
        )
    if findings and all(found.rule in _MODULES for found in findings):
        return lint_reading(findings, looked=False, reason="mypy finds no imported module: is the environment ready?")
    return lint_reading(findings)


def _printed(output: Output) -> Iterator[Finding]:
    lines = output.lines
    for index, line in enumerate(lines):
        match = _LINE.search(line) if ": error: " in line or ": warning: " in line else None
        file = output.places.file(line[: match.start()]) if match else None
        if match is None or file is None or not _is_python(file):
            continue
        message = match[4]
        code = _CODE.search(message)
        for later in lines[index + 1 : index + 6]:
            # With `--pretty` a long message continues over lines; the source below it is indented.
            if code or not later or later.startswith(" ") or _LINE.search(later) or _CLOSING.match(later):
                break
            message = f"{message.rstrip()} {later}"
            code = _CODE.search(message[-100:])
        if code:
            message = message[: message.rfind("[")].rstrip()
        end_line = int(match[2]) if match[2] else None
        place = (file, int(match[1]))
        yield finding("mypy", code[1] if code else "mypy", message, place, severity_of(match[3]), end_line=end_line)


def _is_python(file: str) -> bool:
    """Return whether a file can be Python (scripts have no suffix): other compilers print `x.c:2: error:` too."""
    return file.endswith((".py", ".pyi")) or "." not in file.rpartition("/")[2]


def _json(output: Output) -> Iterator[Finding]:
    if '"severity"' not in output.text or '"hint"' not in output.text:
        return
    for value in json_values(output.text):
        for entry in dicts([value]):
            file = output.places.file(text(entry.get("file")))
            severity = severity_of(entry.get("severity"))
            if file is not None and severity is not Severity.info:
                place = (file, number(entry.get("line")))
                rule = text(entry.get("code")) or "mypy"
                yield finding(
                    "mypy", rule, text(entry.get("message")), place, severity, end_line=number(entry.get("end_line"))
                )


mypy = TextTool("mypy", ToolKind.types, frozenset(("mypy", "dmypy")), look)
