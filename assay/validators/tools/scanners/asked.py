"""Which of the large scanners a change asks for, to install no others."""

from __future__ import annotations

from assay.validators.changes.change import SOURCE_LIMIT, ChangedFile, ChangeSet, FileKind, decoded
from assay.validators.configuration.model import CustomRule, Scanner, ValidationConfig
from assay.validators.tools.scanners.semgrep import semgrep
from assay.validators.tools.scanners.semgrep_rules import has_rules
from assay.validators.tools.scanners.semgrep_words import may_match
from assay.validators.tools.scanners.squawk import squawk
from assay.validators.tools.scanners.zizmor import zizmor


def scanners_asked(change: ChangeSet, config: ValidationConfig) -> set[str]:
    """Return the names of the packages that validate this change: those without whose program no finding is lost."""
    files = [file for file in change.files if file.exists and file.kind is FileKind.text]
    wanted = config.tier1.scanners
    rules = [rule for rule in config.tier2.custom_rules if isinstance(rule, CustomRule)]
    learned = config.tier2.learned_rules in change.in_force
    asked = set()
    if Scanner.zizmor in wanted and any(map(zizmor.wants, files)):
        asked.add("zizmor")
    if Scanner.squawk in wanted and any(map(squawk.wants, files)):
        asked.add("squawk-cli")
    if learned or any(rule.ast_grep for rule in rules):
        asked.add("ast-grep-cli")
    if learned:
        asked.add("ruff")
    if learned or any(rule.semgrep for rule in rules) or (Scanner.semgrep in wanted and _asks_semgrep(change, files)):
        asked.add("semgrep")
    return asked


def _asks_semgrep(change: ChangeSet, files: list[ChangedFile]) -> bool:
    if has_rules(change.in_force):
        return True
    wanted = {file.path: file for file in files if semgrep.wants(file)}
    contents = change.head.read_many(wanted, SOURCE_LIMIT)
    return any(
        content is not None and may_match(wanted[path].typed_path, decoded(content)) for path, content in contents
    )
