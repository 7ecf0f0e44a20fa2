"""semgrep with Assay's rules and the base's `.semgrep/`: one run for all files of a side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from assay.validators.changes.change import SOURCE_LIMIT, ChangedFile, FileKind, shown
from assay.validators.changes.language_table import ALL_LANGUAGES
from assay.validators.errors import ProgramMissing
from assay.validators.io import process
from assay.validators.io.json_parts import dicts, inner, number, text
from assay.validators.report.model import Outcome, Severity
from assay.validators.report.unknown import NotChecked, Question
from assay.validators.tools.readers.json_text import json_of
from assay.validators.tools.scanners.export import Export, Exported
from assay.validators.tools.scanners.scanner import Assignment, Scan, ScanFailed, Sighting
from assay.validators.tools.scanners.secrets import secrets_in
from assay.validators.tools.scanners.semgrep_rules import RuleSet, write_rules
from assay.validators.tools.scanners.semgrep_words import may_match

RULE_TIMEOUT_S = 5
"""Seconds one rule may take in one file; semgrep skips the file after three such rules."""

_SEVERITIES = {
    "CRITICAL": Severity.error,
    "HIGH": Severity.error,
    "ERROR": Severity.error,
    "MEDIUM": Severity.warning,
    "WARNING": Severity.warning,
}


class Semgrep:
    """Code patterns: Assay's for Python, JavaScript and TypeScript, the repository's for any language."""

    name = "semgrep"
    answers = Question.secrets
    covers = ALL_LANGUAGES

    def wants(self, file: ChangedFile) -> bool:
        """Return True: prose and lock files are searched for secrets too."""
        return file.kind is FileKind.text

    def scan(self, assignment: Assignment) -> Scan:
        """Run all rules over the head and, if something is found, over the base; only on files a rule could match.

        Tokens and keys are found without semgrep, and stay found where it fails.
        """
        secrets = tuple(one for name in assignment.names for one in secrets_in(assignment.export.by_name[name]))
        folder = assignment.scratch / "rules"
        folder.mkdir()
        rules = write_rules(assignment.base, folder)
        if not rules.base_rules:
            likely = [name for name in assignment.names if _may_match(assignment.export.by_name[name])]
            assignment = replace(assignment, names=likely)
        if not assignment.heads:
            return Scan(secrets, tuple(rules.not_checked))
        try:
            program = process.semgrep_program()
            seen = assignment.both_sides(lambda names: self._side(program, assignment, rules, names))
        except (ProgramMissing, ScanFailed) as error:
            if not secrets:
                raise
            return Scan(secrets, tuple(rules.not_checked), error)
        return Scan((*secrets, *seen.sightings), (*rules.not_checked, *seen.not_checked))

    def _side(self, program: str, assignment: Assignment, rules: RuleSet, names: Sequence[str]) -> Scan:
        """Scan one side, once more without the base's rules where semgrep rejects all of them."""
        sides = {name.partition("/")[0] for name in names}
        exported = [name for name in assignment.export.by_name if name.partition("/")[0] in sides]
        targets = sorted(sides) if len(exported) == len(names) else list(names)
        answer = self._answer(program, assignment, rules, targets)
        if answer is None and rules.base_rules:
            rules.drop_base()
            answer = self._answer(program, assignment, rules, targets)
        if answer is None:
            raise ScanFailed(self.name, Outcome.inert, "does not accept Assay's rules: is it version 1.180 or newer?")
        sightings = tuple(_sightings(answer, rules, assignment.export))
        return Scan(sightings, tuple(_errors(answer, rules, assignment.export)))

    def _answer(
        self, program: str, assignment: Assignment, rules: RuleSet, targets: Sequence[str]
    ) -> Mapping[str, Any] | None:
        """Return semgrep's answer, None where it did not accept the rules."""
        for is_fast in (True, False):
            words = command(program, rules.files, targets, is_fast=is_fast)
            try:
                # 2: some rules or files could not be read (it says which); 7 and 8: semgrep accepted no rule.
                answer = json_of(assignment.run(self.name, words, good=(0, 1, 2, 7, 8)))
            except ScanFailed as error:
                if error.outcome is not Outcome.inert or not is_fast:
                    raise
                continue
            if isinstance(answer, dict):
                return None if _is_refusal(answer) else answer
        raise ScanFailed(self.name, Outcome.inert, "wrote no readable output")


def command(program: str, rule_files: Sequence[str], targets: Sequence[str], *, is_fast: bool = True) -> list[str]:
    """Return the command line of one run.

    `--experimental` is semgrep's rewrite of its command line: the same engine and findings, started in half a second
    instead of three or more. Where it fails the old one is used.
    """
    words = [program, "scan", *(["--experimental"] if is_fast else []), "--json", "--quiet", "--metrics=off"]
    words += ["--disable-version-check", "--no-git-ignore", "--no-rewrite-rule-ids", "--jobs", "2"]
    words += ["--timeout", str(RULE_TIMEOUT_S), "--timeout-threshold", "3", "--max-target-bytes", str(2 * SOURCE_LIMIT)]
    return [*words, *(part for file in rule_files for part in ("--config", file)), *targets]


def _may_match(file: Exported) -> bool:
    return may_match(file.name, "\n".join(file.lines))


def _is_refusal(answer: Mapping[str, Any]) -> bool:
    kinds = {text(error.get("type")) for error in dicts(answer.get("errors"))}
    return not answer.get("results") and bool(
        kinds & {"SemgrepError", "UnknownLanguageError", "InvalidRuleSchemaError"}
    )


def _sightings(answer: Mapping[str, Any], rules: RuleSet, export: Export) -> Iterator[Sighting]:
    for result in dicts(answer.get("results")):
        where = export.at(result.get("path"))
        line = number(inner(result, "start", "line"))
        if where is None or line is None:
            continue
        key = text(result.get("check_id"))
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
            (number(inner(result, "start", "col")) or 0, number(inner(result, "end", "col")) or 0),
        )


def _errors(answer: Mapping[str, Any], rules: RuleSet, export: Export) -> Iterator[NotChecked]:
    """Yield what semgrep could not do: rules it cannot parse, files it cannot read or that took too long."""
    notes: dict[str, NotChecked] = {}
    for error in dicts(answer.get("errors")):
        where = export.at(error.get("path"))
        kind = (text(error.get("type")) or text(inner(error, "type", 0)) or "error").lower()
        said = " ".join(text(error.get("message")).partition(":")[2].split())[:300]
        rule_id = text(error.get("rule_id"))
        if where is not None:
            # The base is only compared with, and a partly read file counts as checked.
            if where.side == "head" and kind != "partialparsing":
                notes.setdefault(where.name, NotChecked(shown(where.path), f"semgrep: {kind}", "timeout" in kind))
        elif rule_id:
            rule = rules.base_rules.get(rule_id)
            what = f"semgrep rule {rule.id} in {shown(rule.file)}" if rule else f"semgrep rule {rule_id}"
            notes.setdefault(rule_id, NotChecked(what, f"{kind}: {said}"))
        else:
            notes.setdefault(kind, NotChecked("semgrep", f"{kind}: {said}"))
    yield from notes.values()


semgrep = Semgrep()
