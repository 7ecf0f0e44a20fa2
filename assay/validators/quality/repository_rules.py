"""Repository rules: the custom rules of this repository (`tier2.customRules`)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from assay.validators.changes.change import ChangedFile, shown
from assay.validators.changes.classify import Nature
from assay.validators.changes.language_table import ALL_LANGUAGES
from assay.validators.configuration.model import CustomRule, ValidationConfig
from assay.validators.io.globs import matcher
from assay.validators.io.regex_worker import PatternMatches, PatternQuery, search
from assay.validators.quality.inputs.changed_texts import ReadFile, read_files
from assay.validators.quality.inputs.rule_files import Match, run_rule_files
from assay.validators.quality.inputs.text_rules import TextRule
from assay.validators.quality.learned.checks import Text, run_checks, why_unfinished
from assay.validators.quality.plain_rules.sentences import PlainRule, plain_rule
from assay.validators.quality.rule import QualityContext
from assay.validators.report.model import Finding, Severity, Tier
from assay.validators.report.unknown import NotChecked
from assay.validators.wording import shortened

MOST_WORDS = 2_000
"""Maximum characters of a rule in words that the model gets."""
_NATURES = (Nature.source, Nature.test, Nature.docs, Nature.config, Nature.data)


class RepositoryRules:
    """Rule `repository_rules`."""

    name = "repository_rules"
    answers = None
    covers = ALL_LANGUAGES

    def check(self, context: QualityContext) -> Iterator[Finding | NotChecked]:
        """Yield the findings of each custom rule; a rule in words is left to the model, and not checked without one."""
        every = context.config.tier2.custom_rules
        rules = [rule for rule in every if isinstance(rule, CustomRule)]
        sentences = [rule for rule in map(_as_mapping, every) if _is_in_words(rule)]
        plain = [(rule, check) for rule in sentences if (check := plain_rule(rule.message)) is not None]
        if not context.has_model:
            yield from (NotChecked(rule.label, _NEEDS_A_MODEL) for rule in custom_text_rules(context.config))
        if not rules and not plain:
            return
        read = [each for each in read_files(context.change, *_NATURES, new_generated=True) if each.file.exists]
        yield from self._patterns(rules, read, context)
        for each in read:
            if each.head_text is None:
                yield NotChecked(f"repository rules on {shown(each.file.path)}", "it is over 1 MB")
        read = [each for each in read if each.head_text is not None]
        yield from self._plain(plain, read, context)
        yield from self._rule_files(rules, read, context)

    def _plain(
        self, rules: Sequence[tuple[CustomRule, PlainRule]], read: Sequence[ReadFile], context: QualityContext
    ) -> Iterator[Finding | NotChecked]:
        """Yield the findings of sentences with an exact check, on the lines the change adds."""
        for rule, plain in rules:
            holds = matcher(rule.paths)
            mine = [one for one in read if holds(one.file.path) and one.file.path.endswith(plain.suffixes)]
            if plain.find is not None:
                for each in mine:
                    for start, end, why in plain.find(each):
                        lines = "\n".join(each.head_lines[start - 1 : end])
                        yield _finding(rule, each.file.path, start, end, f"{rule.message}: {why}", None, lines)
            if plain.check is None:
                continue
            texts = [Text(each.file.path, each.head) for each in mine]
            (answer,) = run_checks([(plain.check, rule.paths)], texts, max(1.0, context.deadline.left_s()))
            if answer.why_not is not None:
                yield NotChecked(_name_of(rule), answer.why_not, could_block=True)
            for index, start, end in answer.places:
                if any(start <= line <= end for line in mine[index].file.added):
                    lines = "\n".join(mine[index].head_lines[start - 1 : end])
                    yield _finding(rule, mine[index].file.path, start, end, rule.message, None, lines)

    def _patterns(
        self, rules: Sequence[CustomRule], read: Sequence[ReadFile], context: QualityContext
    ) -> Iterator[Finding | NotChecked]:
        searches = [each for rule in rules for each in _searches(rule, read)]
        queries = [PatternQuery(each.pattern, each.texts) for each in searches]
        found = search(queries, max(1.0, context.deadline.left_s()))
        for wanted, answer in zip(searches, found, strict=True):
            yield from wanted.findings(answer)
            if why := why_unfinished(answer, [path for path, _ in wanted.places]):
                yield NotChecked(f"{self.name}.{wanted.rule.id}", why, could_block=True)

    def _rule_files(
        self, rules: Sequence[CustomRule], read: Sequence[ReadFile], context: QualityContext
    ) -> Iterator[Finding | NotChecked]:
        holds = {rule.id: matcher(rule.paths) for rule in rules}
        texts = {each.file.path: each.head_text or "" for each in read if each.file.added}
        contents = [(path, text.encode("utf-8", "surrogateescape")) for path, text in texts.items()]
        for said in run_rule_files(rules, contents, context.change.in_force, max(1.0, context.deadline.left_s())):
            if isinstance(said, NotChecked):
                is_for_one = holds[said.what.removeprefix(f"{self.name}.")]
                yield replace(said, could_block=any(map(is_for_one, texts)))
                continue
            rule, runner, match = said
            if holds[rule.id](match.path) and _is_added(context.change.by_path[match.path], match):
                message = rule.message if match.message in ("", rule.message) else f"{rule.message} ({match.message})"
                lines = "\n".join(texts[match.path].split("\n")[match.start - 1 : match.end])
                yield _finding(rule, match.path, match.start, match.end, message, runner.name, lines)


def severities_of(config: ValidationConfig) -> dict[str, Severity]:
    """Return the severity of each custom rule by its name in findings."""
    return {f"{RepositoryRules.name}.{rule.id}": rule.severity for rule in map(_as_mapping, config.tier2.custom_rules)}


def custom_text_rules(config: ValidationConfig) -> list[TextRule]:
    """Return the custom rules in words that have no exact check."""
    sentences = [rule for rule in map(_as_mapping, config.tier2.custom_rules) if _is_in_words(rule)]
    return [
        TextRule(
            name=f"{RepositoryRules.name}.{rule.id}",
            label=_name_of(rule),
            text=" ".join(rule.message.split())[:MOST_WORDS],
            message=rule.message,
            paths=rule.paths,
            severity=rule.severity,
            suggestion=rule.suggestion,
        )
        for rule in sentences
        if plain_rule(rule.message) is None
    ]


def _as_mapping(rule: str | CustomRule) -> CustomRule:
    """Return a plain sentence as a rule whose name depends on the sentence only."""
    if isinstance(rule, CustomRule):
        return rule
    digest = hashlib.sha256(rule.encode("utf-8", "surrogatepass")).hexdigest()
    return CustomRule(id=f"{_WORDS}{digest[:8]}", message=rule)


def _is_in_words(rule: CustomRule) -> bool:
    return not (rule.forbid or rule.require or rule.semgrep or rule.ast_grep)


def _name_of(rule: CustomRule) -> str:
    """Return the report name of a rule that was not checked: for a plain sentence, its words."""
    is_sentence = rule.id.startswith(_WORDS)
    return f"repository rule: {shortened(rule.message, 80)}" if is_sentence else f"{RepositoryRules.name}.{rule.id}"


_WORDS = "words-"
_NEEDS_A_MODEL = "a rule in words needs a model, and none is configured"


@dataclass(frozen=True, slots=True)
class _Search:
    """Pattern of a rule, and the texts to search: added blocks for `forbid`, whole files for `require`."""

    rule: CustomRule
    pattern: str
    texts: tuple[str, ...]
    places: tuple[tuple[str, int], ...]
    is_required: bool

    def findings(self, answer: PatternMatches) -> Iterator[Finding]:
        for (path, first), text, matches in zip(self.places, self.texts, answer.matches, strict=True):
            if self.is_required and matches == ():
                yield _finding(self.rule, path, None, None, self.rule.message, None, f"require {self.rule.id}")
            elif not self.is_required:
                for start, end in matches or ():
                    line = first + text.count("\n", 0, start)
                    last = first + text.count("\n", 0, max(start, end - 1))
                    whole = "\n".join(text.split("\n")[line - first : last - first + 1])
                    yield _finding(self.rule, path, line, last, self.rule.message, None, whole)


def _searches(rule: CustomRule, read: Sequence[ReadFile]) -> Iterator[_Search]:
    holds = matcher(rule.paths)
    here = [each for each in read if holds(each.file.path)]
    if rule.forbid is not None:
        blocks = [(each.file.path, hunk) for each in here for hunk in each.file.hunks if hunk.head_lines]
        texts = tuple("\n".join(hunk.head_lines) for _, hunk in blocks)
        places = tuple((path, hunk.head_start) for path, hunk in blocks)
        yield _Search(rule, rule.forbid, texts, places, False)
    if rule.require is not None:
        here = [each for each in here if each.head_text is not None]
        texts = tuple(each.head_text or "" for each in here)
        yield _Search(rule, rule.require, texts, tuple((each.file.path, 1) for each in here), True)


def _finding(
    rule: CustomRule, path: str, line: int | None, end: int | None, message: str, tool: str | None, context: str
) -> Finding:
    return Finding(
        tier=Tier.quality,
        severity=rule.severity,
        rule=f"repository_rules.{rule.id}",
        file=path,
        line=line,
        end_line=end,
        message=message,
        suggestion=rule.suggestion,
        tool=tool,
        context=context,
    )


def _is_added(file: ChangedFile, match: Match) -> bool:
    return any(match.start <= line <= match.end for line in file.added)
