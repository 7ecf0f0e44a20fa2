"""eslint 3 and newer, in its usual formats: stylish, unix, compact, JSON, and that of xo."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.validators.report.model import Finding, ToolKind
from assay.validators.tools.parsers.text_tool import TextTool
from assay.validators.tools.readers.json_text import dicts, json_values, number, text
from assay.validators.tools.readers.output import Output, could_not_look, finding, lint_reading, severity_of
from assay.validators.tools.tool import Reading

_STYLISH = re.compile(r"  (\d{1,7}):(\d{1,7}) +(error|warning) +(\S.*)")
_XO = re.compile(r"  ([✖⚠]) +(\d{1,7}):\d{1,7} +(\S.*)")
_XO_HEADING = re.compile(r"  (\S.*?):\d{1,7}:\d{1,7}$")
_COMPACT = re.compile(r": line (\d{1,7}), col \d{1,7}, (Error|Warning) - (.*)")
_UNIX = re.compile(r":(\d{1,7}):\d{1,7}: (.*) \[(Error|Warning)(?:/([^\]]{1,200}))?\]$")
_CLOSING = re.compile(r"✖ \d+ problems? \(|\d+ problems?$")
_RULE = re.compile(r"[@\w/.-]{2,200}")


def look(output: Output) -> Reading | None:
    """Return findings in any of the formats; after `Oops!`, eslint has checked nothing."""
    lines = output.lines
    for index, line in enumerate(lines):
        if line.startswith("Oops! Something went wrong"):
            said = [text for text in lines[index + 1 : index + 12] if text.strip() and not text.startswith("ESLint: ")]
            return could_not_look(f"eslint stopped: {said[0].strip()}" if said else "eslint stopped")
    findings = [*_printed(output), *_json(output)]
    if not findings and not any(_CLOSING.match(line) for line in lines):
        return None
    return lint_reading(findings)


def _printed(output: Output) -> Iterator[Finding]:
    heading = ""
    for line in output.lines:
        stylish = _STYLISH.match(line)
        if stylish:
            message, rule = _split(stylish[4])
            yield from _found(output, heading, stylish[1], stylish[3], message, rule)
        elif xo := _XO.match(line):
            message, rule = _split(xo[3])
            yield from _found(output, heading, xo[2], "error" if xo[1] == "✖" else "warning", message, rule)
        elif of_xo := _XO_HEADING.match(line):
            heading = of_xo[1]
        elif line and not line.startswith(" "):
            heading = line
            compact = _COMPACT.search(line)
            unix = None if compact else _UNIX.search(line)
            if compact:
                message, _, rule = compact[3].rpartition(" (")
                yield from _found(output, line[: compact.start()], compact[1], compact[2], message, rule.rstrip(")"))
            elif unix:
                yield from _found(output, line[: unix.start()], unix[1], unix[3], unix[2], unix[4] or "")


def _split(said: str) -> tuple[str, str]:
    """Split `message  rule`; a message alone where eslint could not parse the file."""
    message, gap, rule = said.rstrip().rpartition("  ")
    return (message.rstrip(), rule) if gap and _RULE.fullmatch(rule) else (said.strip(), "")


def _found(output: Output, path: str, line: str, severity: str, message: str, rule: str) -> Iterator[Finding]:
    file = output.places.file(path)
    if file is not None:
        rule = rule or ("parse" if message.startswith("Parsing error") else "eslint")
        yield finding("eslint", rule, message, (file, int(line)), severity_of(severity))


def _json(output: Output) -> Iterator[Finding]:
    if '"filePath"' not in output.text:
        return
    for value in json_values(output.text):
        for entry in dicts(value):
            file = output.places.file(text(entry.get("filePath")))
            for message in dicts(entry.get("messages")) if file is not None else ():
                yield finding(
                    "eslint",
                    text(message.get("ruleId")) or "parse",
                    text(message.get("message")),
                    (file or "", number(message.get("line"))),
                    severity_of("error" if message.get("severity") == 2 else "warning"),
                    end_line=number(message.get("endLine")),
                )


eslint = TextTool("eslint", ToolKind.lint, frozenset(("eslint", "eslint_d", "xo", "standard")), look)
