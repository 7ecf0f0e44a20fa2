"""Tier 2: run each rule on the change and apply the configured severities.

A rule that fails is reported as not checked, and so are the rules that the time limit left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from assay.validators.changes.change import ChangeSet
from assay.validators.configuration.model import ValidationConfig
from assay.validators.errors import ValidatorError
from assay.validators.graph.import_graph import Graphs
from assay.validators.graph.scan_cache import default_cache
from assay.validators.io.globs import matcher
from assay.validators.policy.natures import bounded
from assay.validators.progress import Deadline, Progress
from assay.validators.quality.inputs.learned_model import LearnedRule
from assay.validators.quality.inputs.severities import severity_of
from assay.validators.quality.register import RULES
from assay.validators.quality.repository_rules import severities_of
from assay.validators.quality.rule import QualityContext, Rule
from assay.validators.report.answers import Answers
from assay.validators.report.identity import identified
from assay.validators.report.model import Finding, QualityResult, Severity, Tier
from assay.validators.report.unknown import NotChecked
from assay.validators.wording import plural, shortened

COULD_NOT_RUN = "could not run"
_WITH_ERRORS = frozenset({"test_integrity", "untrusted_input", "contracts"})
"""Rules that report errors where the configuration sets no severity; the others report warnings at most."""


def check_quality(
    change: ChangeSet,
    config: ValidationConfig,
    *,
    progress: Progress,
    has_model: bool = False,
    learned_rules: Sequence[LearnedRule] = (),
    graphs: Graphs | None = None,
) -> QualityResult:
    """Return the findings of the rules; never raise for the change's content or for a failing rule."""
    change = change.without(matcher(config.exclude))
    files, left_out = bounded(change.files, "too many in one change for the rules of Tier 2")
    bound = {file.path for file in files}
    context = QualityContext(
        change=replace(change, files=tuple(files)),
        config=config,
        deadline=Deadline(config.tier2.timeout_seconds),
        graphs=graphs or Graphs(change, default_cache()),
        has_model=has_model,
        learned_rules=tuple(learned_rules),
        beyond=tuple(file for file in change.files if file.path not in bound),
    )
    results = _RuleResults(Answers(change.files), config)
    results.not_checked += left_out
    for rule in RULES:
        if _is_off_everywhere(rule, config):
            results.lose(rule, "switched off by tier2.severities in the configuration")
        elif context.deadline.passed:
            limit = f"the tier's {config.tier2.timeout_seconds} s were over (tier2.timeoutSeconds)"
            results.lose(rule, f"not run: {limit}")
        else:
            progress.began(Tier.quality, rule.name)
            progress.ended(Tier.quality, rule.name, _run_rule(rule, context, results))
    return QualityResult(
        findings=identified(results.findings),
        num_existing=results.num_existing,
        timed_out=context.deadline.passed,
        not_checked=tuple(dict.fromkeys((*results.not_checked, *results.answers.unknown()))),
    )


@dataclass
class _RuleResults:
    """Results of the rules so far."""

    answers: Answers
    config: ValidationConfig
    findings: list[Finding] = field(default_factory=list)
    not_checked: list[NotChecked] = field(default_factory=list)
    num_existing: int = 0

    def lose(self, rule: Rule, why: str) -> None:
        """Record a rule without a result, and why."""
        self.note(rule, NotChecked(rule.name, why, could_block=True))
        self.answers.failed(rule, why)

    def note(self, rule: Rule, note: NotChecked) -> None:
        """Record a note; one on what was cut off could block if a finding of that would."""
        config, part = self.config, note.what.partition(":")[0]
        subject = part if f"{part}.".startswith(f"{rule.name}.") else rule.name
        custom = severities_of(config)
        known = {subject, *custom, *config.tier2.severities}
        names = [name for name in known if f"{name}.".startswith(f"{subject}.")]
        worst = Severity.error if rule.name in _WITH_ERRORS else Severity.warning
        found = (severity_of(config, name, custom.get(name, worst)) for name in names)
        is_grave = any(one is not None and one.at_least(config.tier2.blocking_severity) for one in found)
        self.not_checked.append(replace(note, could_block=note.could_block and is_grave))


def _run_rule(rule: Rule, context: QualityContext, results: _RuleResults) -> str:
    """Collect a rule's results; return how it went in one or two words."""
    before = len(results.findings)
    try:
        for said in rule.check(context):
            if isinstance(said, NotChecked) and said.question is not None:
                results.answers.say(said)
            elif isinstance(said, NotChecked):
                results.note(rule, replace(said, could_block=said.could_block or context.deadline.passed))
            elif not said.introduced:
                results.num_existing += 1
            elif (severity := severity_of(context.config, said.rule, said.severity)) is not None:
                results.findings.append(replace(said, severity=severity, tier=Tier.quality))
    except Exception as error:  # noqa: BLE001  a failing rule is reported and must not stop the others
        why = f"{error}" if isinstance(error, ValidatorError) else f"{type(error).__name__}: {error}"
        results.lose(rule, shortened(f"rule {rule.name} {COULD_NOT_RUN}: {why}", 300))
        return COULD_NOT_RUN
    results.answers.ran(rule)
    return plural(len(results.findings) - before, "finding")


def _is_off_everywhere(rule: Rule, config: ValidationConfig) -> bool:
    """Return whether the rule is off and no part of it is on."""
    severities = config.tier2.severities
    own = (value for key, value in severities.items() if f"{key}.".startswith(f"{rule.name}."))
    return severities.get(rule.name) == "off" and all(value == "off" for value in own)
