"""Learned rules: earlier requests of reviewers, checked on the lines a change adds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assay.validators.changes.change import ChangeSet, SourceTree, decoded, shown
from assay.validators.changes.language_table import ALL_LANGUAGES, suffixes
from assay.validators.configuration.model import LEARNED_RULES_FILE, ValidationConfig
from assay.validators.io.globs import matcher
from assay.validators.quality.inputs.changed_texts import LARGEST_BYTES, ReadFile, read_files
from assay.validators.quality.inputs.learned_model import MOST_RULES, LearnedRule, NotARule, read_learned_file
from assay.validators.quality.inputs.text_rules import TextRule
from assay.validators.quality.learned.checks import CheckMatches, Text, run_checks
from assay.validators.quality.rule import QualityContext
from assay.validators.report.model import Finding, Severity, Tier
from assay.validators.report.unknown import NotChecked

MOST_SAMPLED = 40
"""Files of the base that a check is tried on, evenly spread: enough to see a repository's habits."""
LEAST_SAMPLED = 5
MOST_SHARE = 0.5
"""Share of the base's files from which a match is the repository's habit, not a violation."""
LARGEST_SAMPLE_BYTES = 256 * 1024
MOST_FINDINGS = 20
"""Maximum findings per rule and change."""
NO_MODEL = "and no model is configured"


class LearnedRules:
    """Rule `learned_rules`."""

    name = "learned_rules"
    answers = None
    covers = ALL_LANGUAGES

    def check(self, context: QualityContext) -> Iterator[Finding | NotChecked]:
        """Yield a warning for each added line that breaks a rule with a check; other rules are left to the model."""
        rules, notes = _known(context.change, context.config, context.learned_rules)
        yield from notes
        if not rules:
            return
        read = [each for each in read_files(context.change, new_generated=True) if each.file.added]
        for each in read:
            if each.head_text is None:
                yield NotChecked(f"learned rules on {shown(each.file.path)}", "it is over 1 MB")
        read = [each for each in read if each.head_text is not None]
        rules = [rule for rule in rules if any(map(matcher(rule.paths), (each.file.path for each in read)))]
        yield from self._checked([rule for rule in rules if rule.check is not None], read, context)
        if not context.has_model:
            yield from (NotChecked(_what(rule), _needs_a_model(rule)) for rule in rules if rule.check is None)

    def _checked(
        self, rules: Sequence[LearnedRule], read: Sequence[ReadFile], context: QualityContext
    ) -> Iterator[Finding | NotChecked]:
        if not rules:
            return
        texts = [Text(each.file.path, each.head) for each in read]
        checks = [(rule.check, rule.paths) for rule in rules if rule.check is not None]
        answers = run_checks(checks, texts, max(1.0, context.deadline.left_s()))
        broken: list[tuple[LearnedRule, list[Finding]]] = []
        for rule, answer in zip(rules, answers, strict=True):
            if answer.why_not is not None:
                yield NotChecked(_what(rule), answer.why_not, could_block=True)
            if found := list(_findings(rule, answer, read)):
                broken.append((rule, found))
        habits = _habits([rule for rule, _ in broken], context)
        for (rule, found), habit in zip(broken, habits, strict=True):
            if habit is not None:
                yield NotChecked(_what(rule), habit)
                continue
            yield from found[:MOST_FINDINGS]
            if len(found) > MOST_FINDINGS:
                yield NotChecked(_what(rule), f"broken in {len(found) - MOST_FINDINGS} more places, not listed")


def learned_text_rules(change: ChangeSet, config: ValidationConfig, given: Sequence[LearnedRule]) -> list[TextRule]:
    """Return the learned rules without a check: those of the request, and those of the base's file."""
    rules, _ = _known(change, config, given)
    return [
        TextRule(f"{LearnedRules.name}.{rule.rule_id}", _what(rule), rule.text, _message(rule), rule.paths)
        for rule in rules
        if rule.check is None
    ]


def _message(rule: LearnedRule) -> str:
    asked = f" (asked for before: {rule.provenance})" if rule.provenance else ""
    return f"{rule.text}{asked}"


def _finding(rule: LearnedRule, file: ReadFile, start: int, end: int, tool: str | None) -> Finding:
    """Return the finding for a rule broken on these lines (1-based)."""
    return Finding(
        tier=Tier.quality,
        severity=Severity.warning,
        rule=f"{LearnedRules.name}.{rule.rule_id}",
        file=file.file.path,
        line=start,
        end_line=end,
        message=_message(rule),
        tool=tool,
        context="\n".join(file.head_lines[start - 1 : end]),
    )


def _known(
    change: ChangeSet, config: ValidationConfig, requested: Sequence[LearnedRule]
) -> tuple[list[LearnedRule], list[NotChecked]]:
    """Return the rules of the base's file and the request, and what is left out; of equal ids, the request's."""
    path, tree = config.tier2.learned_rules, change.in_force
    known: dict[str, LearnedRule] = {}
    notes: list[NotChecked] = []
    if path != LEARNED_RULES_FILE or path in tree or tree.is_link(path):
        try:
            content = tree.read(path, LARGEST_BYTES)
            if content is None:
                raise NotARule("it is not in the base, is a link, or is over 1 MB")
            known = {rule.rule_id: rule for rule in read_learned_file(content)}
        except NotARule as error:
            notes.append(NotChecked(f"the learned rules in {shown(path)}", str(error)))
    every = list((known | {rule.rule_id: rule for rule in requested}).values())
    if len(every) > MOST_RULES:
        why = f"{len(every) - MOST_RULES} learned rules over the limit of {MOST_RULES}"
        notes.append(NotChecked("further learned rules", why))
    return every[:MOST_RULES], notes


def _findings(rule: LearnedRule, answer: CheckMatches, read: Sequence[ReadFile]) -> Iterator[Finding]:
    tool = None if rule.check is None or rule.check.kind == "regex" else str(rule.check.kind)
    seen: set[tuple[int, int]] = set()
    for index, start, end in answer.places:
        added = next((line for line in range(start, end + 1) if line in read[index].file.added), None)
        if added is not None and (index, start) not in seen:
            seen.add((index, start))
            yield _finding(rule, read[index], start, end, tool)


def _habits(rules: Sequence[LearnedRule], context: QualityContext) -> list[str | None]:
    """Return for each rule why its check is ignored (the base breaks it nearly everywhere), or None."""
    said: list[str | None] = []
    for rule in rules:
        paths = _sample(context.change.base, rule)
        if len(paths) < LEAST_SAMPLED or rule.check is None:
            said.append(None)
            continue
        contents = context.change.base.read_many(paths, LARGEST_SAMPLE_BYTES)
        texts = [Text.of(path, decoded(content)) for path, content in contents if content is not None]
        (answer,) = run_checks([(rule.check, rule.paths)], texts, max(1.0, context.deadline.left_s()))
        num_broken = len({index for index, *_ in answer.places})
        is_habit = len(texts) >= LEAST_SAMPLED and num_broken > MOST_SHARE * len(texts)
        why = f"the base itself breaks it in {num_broken} of {len(texts)} sampled files, so its check is ignored"
        said.append(why if is_habit else None)
    return said


def _sample(tree: SourceTree, rule: LearnedRule) -> list[str]:
    """Return files of the base that a rule applies to, evenly spread if there are many."""
    holds = matcher(rule.paths)
    endings = _SUFFIXES.get(rule.check.language.lower(), ()) if rule.check is not None else ()
    paths = [path for path in tree.paths if holds(path) and (not endings or path.endswith(endings))]
    return paths[:: max(1, -(-len(paths) // MOST_SAMPLED))]


_SUFFIXES = {
    **{key: suffixes(key) for key in ("python", "typescript", "tsx", "go", "java", "ruby", "rust")},
    "javascript": suffixes("javascript", "jsx"),
}


def _what(rule: LearnedRule) -> str:
    return f"{LearnedRules.name}.{rule.rule_id}: {rule.text}"


def _needs_a_model(rule: LearnedRule) -> str:
    why = f" ({rule.why_no_check})" if rule.why_no_check else ""
    return f"it has no check{why}, {NO_MODEL}"
