"""Origin and execution of code."""

from __future__ import annotations

from collections.abc import Iterator

from assay.validators.changes.change import FileKind, SourceTree, decoded, shown
from assay.validators.changes.classify import Nature
from assay.validators.changes.manifest_table import manifests
from assay.validators.io.structured_files import Unreadable
from assay.validators.report.answers import unanswered
from assay.validators.report.model import Statement
from assay.validators.report.unknown import NotChecked, Question
from assay.validators.risk.dependencies.supply_facts.fact import Sides
from assay.validators.risk.dependencies.supply_facts.readers import READERS
from assay.validators.risk.signal import Measure, RiskContext

_APART = frozenset({Nature.test, Nature.docs, Nature.vendored, Nature.generated, Nature.lock})


class SupplyChainSignal:
    """Signal `supply_chain`: facts for reviewers that no rule calls dangerous."""

    name = "supply_chain"
    answers = Question.supply_chain
    covers = manifests("pypi", "npm", "go-module", "maven", "rubygems", "image", "pre-commit")

    def measure(self, context: RiskContext) -> Iterator[Measure]:
        """Yield every fact, and what could not be read."""
        for number, file in enumerate(context.change.files):
            readers = [one for one in READERS if one.claims(file.path)]
            if not readers or file.nature in _APART or file.is_example:
                continue
            if context.deadline.passed:
                yield from unanswered(context.change.files[number:], self.answers, "the tier ran out of time")
                break
            if file.kind is not FileKind.text:
                continue
            try:
                before = _text(context.change.base, file.base_path)
                after = _text(context.change.head, file.path if file.exists else None)
                sides = Sides(context.change, file, before, after)
                for fact in (fact for reader in readers for fact in reader.facts(sides)):
                    yield Statement(fact.kind, fact.text, file.path, fact.line)
            except Unreadable as error:
                yield NotChecked(shown(file.path), str(error), question=self.answers, files=(file.path,))


def _text(tree: SourceTree, path: str | None) -> str:
    content = tree.read(path) if path is not None else b""
    if content is None:
        raise Unreadable("too large, or not a regular file")
    return decoded(content)
