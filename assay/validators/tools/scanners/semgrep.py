"""semgrep with our rules and the base's `.semgrep/`: one run for all files, since its start alone takes seconds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.validators import process
from assay.validators.change import ChangedFile
from assay.validators.classify import Nature
from assay.validators.report import NotChecked, Outcome, Severity
from assay.validators.tools.readers.json_text import dicts, inner, json_of, number, text
from assay.validators.tools.scanners.export import SIZE_LIMIT, Export
from assay.validators.tools.scanners.scanner import Assignment, Scan, ScanFailed, Sighting
from assay.validators.tools.scanners.semgrep_rules import RuleSet, write_rules

RULE_TIMEOUT_S = 5
"""Seconds one rule may take in one file; semgrep gives the file up after three such rules."""

_NATURES = (Nature.source, Nature.test, Nature.config, Nature.data)
_SEVERITIES = {
    "CRITICAL": Severity.error,
    "HIGH": Severity.error,
    "ERROR": Severity.error,
    "MEDIUM": Severity.warning,
    "WARNING": Severity.warning,
}


@dataclass(frozen=True, slots=True)
class Semgrep:
    """Patterns of code, for Python, JavaScript and TypeScript ours, for any language the repository's."""

    name: str = "semgrep"

    def wants(self, file: ChangedFile) -> bool:
        """Everything people write but prose."""
        return file.nature in _NATURES

    def scan(self, assignment: Assignment) -> Scan:
        """Run all rules; where semgrep refuses the base's altogether, once more without them."""
        program = process.semgrep_program()
        folder = assignment.scratch / "rules"
        folder.mkdir()
        rules = write_rules(assignment.base, folder)
        answer = self._answer(program, folder, assignment, rules)
        if answer is None and rules.base_rules:
            why = "semgrep cannot use them"
            rules.not_checked.append(NotChecked("the repository's semgrep rules", why))
            rules.files.remove("base.yaml")
            answer = self._answer(program, folder, assignment, rules)
        if answer is None:
            raise ScanFailed(self.name, Outcome.inert, "does not accept Assay's rules: is it version 1.180 or newer?")
        sightings = tuple(_sightings(answer, rules, assignment.export))
        return Scan(sightings, (*rules.not_checked, *_errors(answer, rules, assignment.export)))

    def _answer(self, program: str, folder: Path, assignment: Assignment, rules: RuleSet) -> Mapping[str, Any] | None:
        """What semgrep says, None where it did not accept the rules."""
        configs = [part for file in rules.files for part in ("--config", str(folder / file))]
        words = [program, "scan", "--json", "--quiet", "--metrics=off", "--disable-version-check", "--no-git-ignore"]
        words += ["--no-rewrite-rule-ids", "--jobs", "2", "--timeout", str(RULE_TIMEOUT_S), "--timeout-threshold", "3"]
        words += ["--max-target-bytes", str(SIZE_LIMIT), *configs, *assignment.export.sides]
        # 2: some rules or files could not be read (it says which), 7 and 8: no rule at all was accepted.
        answer = json_of(assignment.run(self.name, words, good=(0, 1, 2, 7, 8)))
        if not isinstance(answer, dict):
            raise ScanFailed(self.name, Outcome.inert, "gave no answer that can be read")
        refused = not answer.get("results") and any(
            text(error.get("type")) in ("SemgrepError", "UnknownLanguageError", "InvalidRuleSchemaError")
            for error in dicts(answer.get("errors"))
        )
        return None if refused else answer


def _sightings(answer: Mapping[str, Any], rules: RuleSet, export: Export) -> Iterator[Sighting]:
    for result in dicts(answer.get("results")):
        where = export.at(result.get("path"))
        line = number(inner(result, "start", "line"))
        if where is None or line is None:
            continue
        key = text(result.get("check_id")).rpartition(".")[2]
        base_rule = rules.base_rules.get(key)
        if base_rule is not None and not base_rule.holds(where.path):
            continue
        metadata = inner(result, "extra", "metadata")
        yield Sighting(
            where,
            base_rule.id if base_rule else key,
            _SEVERITIES.get(text(inner(result, "extra", "severity")).upper(), Severity.info),
            text(inner(result, "extra", "message")) or key,
            line,
            number(inner(result, "end", "line")) or line,
            text(inner(metadata, "suggestion")) or None,
            text(inner(metadata, "weaker_than")) or None,
            base_rule is not None or bool(inner(metadata, "in_tests")),
            bool(inner(metadata, "secret")),
        )


def _errors(answer: Mapping[str, Any], rules: RuleSet, export: Export) -> Iterator[NotChecked]:
    """What semgrep could not do: a rule it cannot parse, a file it cannot read or that took too long."""
    said: set[str] = set()
    for error in dicts(answer.get("errors")):
        rule = rules.base_rules.get(text(error.get("rule_id")).rpartition(".")[2])
        where = export.at(error.get("path"))
        kind = text(error.get("type")) or text(inner(error, "type", 0)) or "error"
        if where is not None and (where.side == "base" or kind == "PartialParsing"):
            continue
        what = where.path if where else f"semgrep rule {rule.id} in {rule.file}" if rule else "semgrep"
        if what not in said:
            said.add(what)
            message = " ".join(text(error.get("message")).rpartition("in rule ")[2].split())
            yield NotChecked(
                what,
                f"{kind.lower()}: {message.partition(': ')[2] or message}"[:300]
                if rule
                else f"semgrep: {kind.lower()}",
            )


semgrep = Semgrep()
