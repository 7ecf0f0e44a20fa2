"""Formats that any tool may write: JUnit XML, SARIF, TAP, golangci's JSON, workflow commands."""

from __future__ import annotations

from assay.validators.tools.readers.annotations import look_annotations
from assay.validators.tools.readers.golangci_json import look_golangci_json
from assay.validators.tools.readers.json_text import json_of, json_values
from assay.validators.tools.readers.junit_xml import Case, junit_reading, parse_junit
from assay.validators.tools.readers.output import Output, together
from assay.validators.tools.readers.sarif import is_sarif, sarif_reading
from assay.validators.tools.readers.tap import look_tap
from assay.validators.tools.tool import Reading


def look_any_format(output: Output) -> Reading | None:
    """Return the results in the run's report files, or in its output; None where there are none."""
    cases: list[Case] = []
    found: list[Reading] = []
    for name, content in output.reports:
        if name.lower().endswith((".xml", ".trx")):
            cases += parse_junit(content) or ()
        elif name.lower().endswith((".json", ".sarif")) and b'"runs"' in content:
            value = json_of(content)
            found += [sarif_reading(value, output.places)] if is_sarif(value) else []
    cases = cases or _printed_junit(output.text)
    if cases:
        found.append(junit_reading(cases, "junit", output.places))
    if '"runs"' in output.text:
        found += [sarif_reading(value, output.places) for value in json_values(output.text) if is_sarif(value)]
    if not cases:
        found += [reading for reading in (look_tap(output),) if reading is not None]
    if not found:
        found += [reading for look in (look_golangci_json, look_annotations) if (reading := look(output)) is not None]
    return together(found) if found else None


def _printed_junit(text: str) -> list[Case]:
    start = text.find("<testsuite")
    if start < 0:
        return []
    end = max(text.rfind("</testsuite>") + len("</testsuite>"), text.rfind("</testsuites>") + len("</testsuites>"))
    return parse_junit(text[start:end].encode()) or []
