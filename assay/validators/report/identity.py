"""Stable ids of findings."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import replace

from assay.validators.report.model import Finding


def identified(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return the findings in reading order, each with its stable id (12 hex digits).

    Identity is tool + rule + path + normalised context + index among equals, so that an unrelated push or a shift
    of lines changes nothing.
    """
    ordered = sorted(findings, key=lambda f: (-f.severity.rank, f.file, f.line or 0, f.rule, f.message))
    by_place = sorted(range(len(ordered)), key=lambda i: (ordered[i].file, ordered[i].line or 0, i))
    seen: dict[tuple[str, ...], int] = {}
    ids: dict[int, str] = {}
    for index in by_place:
        finding = ordered[index]
        key = (finding.tool or "", finding.rule, finding.file, " ".join((finding.context or finding.message).split()))
        count = seen[key] = seen.get(key, -1) + 1
        text = "\0".join((*key, str(count))).encode("utf-8", "surrogatepass")
        ids[index] = hashlib.sha256(text).hexdigest()[:12]
    return tuple(replace(finding, id=ids[index]) for index, finding in enumerate(ordered))
