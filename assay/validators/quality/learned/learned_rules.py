"""Learned rules: earlier requests of reviewers, checked on the lines a change adds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from assay.validators.changes.change import ChangeSet, SourceTree, decoded, shown
from assay.validators.changes.language_table import ALL_LANGUAGES, suffixes
from assay.validators.configuration.model import LEARNED_RULES_FILE, ValidationConfig
from assay.validators.io.globs import matcher
from assay.validators.io.regex_worker import PatternQuery, search
from assay.validators.quality.inputs.changed_texts import LARGEST_BYTES, ReadFile, read_files
from assay.validators.quality.inputs.learned_model import (
    MOST_RULES,
    CheckKind,
    LearnedRule,
    NotARule,
    read_learned_file,
)
from assay.validators.quality.inputs.severities import is_off
from assay.validators.quality.inputs.text_rules import TextRule
from assay.validators.quality.learned.checks import CheckMatches, Text, run_checks
from assay.validators.quality.rule import QualityContext
from assay.validators.report.model import Finding, Tier
from assay.validators.report.unknown import NotChecked
from assay.validators.wording import listed, plural, shortened

MOST_SAMPLED = 200
"""Files of the base in which old places of a broken rule are counted, evenly spread."""
LARGEST_SAMPLE_BYTES = 256 * 1024
MOST_LINES = 3
"""Lines after the first one of a match in which an added line counts."""
MOST_FINDINGS = 20
"""Maximum findings per rule and change."""
_OF_CHANGE = (CheckKind.path, CheckKind.titled, CheckKind.commit)


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
        checked = [rule for rule in rules if rule.check is not None]
        broken = [*self._checked([rule for rule in checked if not _is_of_change(rule)], read, context)]
        yield from (one for one in broken if isinstance(one, NotChecked))
        found = [(rule, list(_findings_of_change(rule, context.change))) for rule in checked if _is_of_change(rule)]
        found += [one for one in broken if not isinstance(one, NotChecked)]
        # A rule that is off must not hide another one on its line.
        yield from _stated([[one for one in places if not is_off(context.config, one.rule)] for _, places in found])
        for rule, places in found:
            if len(places) > MOST_FINDINGS:
                yield NotChecked(_what(rule), f"broken in {len(places) - MOST_FINDINGS} more places, not listed")
        if not context.has_model and (unchecked := [rule for rule in _here(rules, read) if _needs_a_model(rule)]):
            texts = listed([f"`{rule.rule_id}`" for rule in unchecked], 3)
            yield NotChecked(f"{plural(len(unchecked), 'learned rule')} without a check ({texts})", NO_MODEL)

    def _checked(
        self, rules: Sequence[LearnedRule], read: Sequence[ReadFile], context: QualityContext
    ) -> Iterator[tuple[LearnedRule, list[Finding]] | NotChecked]:
        rules = _here(rules, read)
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
        for (rule, found), old in zip(broken, _old_places([rule for rule, _ in broken], context), strict=True):
            yield rule, [replace(one, message=f"{one.message}{old}") for one in found]


def _here(rules: Sequence[LearnedRule], read: Sequence[ReadFile]) -> list[LearnedRule]:
    """Return the rules that apply to a file of the change."""
    paths = [each.file.path for each in read]
    return [rule for rule in rules if any(map(matcher(rule.paths), paths))]


def _stated(found: Sequence[Sequence[Finding]]) -> Iterator[Finding]:
    """Yield one finding for each place: that of the gravest rule there, with the other rules in its message."""
    at: dict[object, list[Finding]] = {}
    for places in found:
        for one in places[:MOST_FINDINGS]:
            at.setdefault((one.file, one.line) if one.line else one.context, []).append(one)
    for first, *others in (sorted(same, key=lambda one: -one.severity.rank) for same in at.values()):
        also = dict.fromkeys(one.message for one in others if one.message != first.message)
        yield replace(first, message="; ".join((first.message, *also)))


def learned_text_rules(change: ChangeSet, config: ValidationConfig, given: Sequence[LearnedRule]) -> list[TextRule]:
    """Return the learned rules without a check: those of the request, and those of the base's file."""
    rules, _ = _known(change, config, given)
    return [
        TextRule(
            f"{LearnedRules.name}.{rule.rule_id}", _what(rule), rule.text, _message(rule), rule.paths, rule.severity
        )
        for rule in rules
        if _needs_a_model(rule)
    ]


def _message(rule: LearnedRule) -> str:
    asked = f" (asked for before: {rule.provenance})" if rule.provenance else ""
    return f"{rule.text}{asked}"


def _finding(rule: LearnedRule, file: ReadFile, start: int, end: int, tool: str | None) -> Finding:
    """Return the finding for a rule broken on these lines (1-based)."""
    return Finding(
        tier=Tier.quality,
        severity=rule.severity,
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
        # A match may be a whole class: a line in its middle does not make it one of the change.
        near = range(start, min(end, start + MOST_LINES) + 1)
        added = next((line for line in near if line in read[index].file.added), None)
        if added is not None and (index, start) not in seen:
            seen.add((index, start))
            yield _finding(rule, read[index], start, end, tool)


def _is_of_change(rule: LearnedRule) -> bool:
    return rule.check is not None and rule.check.kind in _OF_CHANGE


def _findings_of_change(rule: LearnedRule, change: ChangeSet) -> Iterator[Finding]:
    """Yield the files, the title and the commits of a change that break a rule about them."""
    check = rule.check
    if check is None:
        return
    if check.kind is CheckKind.path:
        inside, holds = matcher([check.pattern]), matcher(rule.paths)
        for file in change.files:
            if file.exists and inside(file.path) and holds(file.path):
                yield replace(_finding_at(rule, file.path), context=file.path)
        return
    title = change.pull_text.partition("\n")[0].strip()
    texts = (
        [commit.message.strip().partition("\n")[0] for commit in change.commits]
        if check.kind is CheckKind.commit
        else [title] * bool(title)
    )
    for text, answer in zip(texts, search([PatternQuery(check.pattern, [text]) for text in texts], 10.0), strict=True):
        if any(answer.matches):
            what = "commit" if check.kind is CheckKind.commit else "title"
            message = f"{_message(rule)}: {what} {shown(shortened(text, 80))}"
            yield replace(_finding_at(rule, ""), message=message, context=f"{what} {text}")


def _finding_at(rule: LearnedRule, path: str) -> Finding:
    name = f"{LearnedRules.name}.{rule.rule_id}"
    return Finding(tier=Tier.quality, severity=rule.severity, rule=name, file=path, message=_message(rule))


def _old_places(rules: Sequence[LearnedRule], context: QualityContext) -> list[str]:
    """Return for each broken rule in how many places the base breaks it too: " (and 6 old places)", or ""."""
    said: list[str] = []
    for rule in rules:
        paths, num_all = _sample(context.change.base, rule)
        contents = context.change.base.read_many(paths, LARGEST_SAMPLE_BYTES)
        texts = [Text.of(path, decoded(content)) for path, content in contents if content is not None]
        checks = [(rule.check, rule.paths)] if rule.check is not None and texts else []
        num_old = sum(len(set(a.places)) for a in run_checks(checks, texts, max(1.0, context.deadline.left_s())))
        least = "" if len(paths) == num_all else "at least "
        said.append(f" (and {least}{plural(num_old, 'old place')})" if num_old else "")
    return said


def _sample(tree: SourceTree, rule: LearnedRule) -> tuple[list[str], int]:
    """Return files of the base that a rule applies to, evenly spread if there are many, and the number of all."""
    holds = matcher(rule.paths)
    endings = _SUFFIXES.get(rule.check.language.lower(), ()) if rule.check is not None else ()
    if rule.check is not None and rule.check.kind is CheckKind.ruff:
        endings = (".py",)
    paths = [path for path in tree.paths if holds(path) and (not endings or path.endswith(endings))]
    return paths[:: max(1, -(-len(paths) // MOST_SAMPLED))], len(paths)


_SUFFIXES = {
    **{key: suffixes(key) for key in ("python", "typescript", "tsx", "go", "java", "ruby", "rust")},
    "javascript": suffixes("javascript", "jsx"),
}


def _what(rule: LearnedRule) -> str:
    return f"{LearnedRules.name}.{rule.rule_id}: {rule.text}"


def _needs_a_model(rule: LearnedRule) -> bool:
    return rule.check is None and not rule.is_advice


NO_MODEL = "they need a model, and none is configured"
