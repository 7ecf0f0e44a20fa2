"""Facts about where code comes from and where it runs, with file and line; none has a level of its own."""

from __future__ import annotations

from collections.abc import Iterator

from assay.validators.change import SourceTree, decoded, shown
from assay.validators.classify import Nature
from assay.validators.documents import Unreadable
from assay.validators.language_table import ALL_LANGUAGES
from assay.validators.report import Evidence, NotChecked, RiskFactor, RiskLevel
from assay.validators.risk.signal import Measure, RiskContext
from assay.validators.risk.supply_facts.fact import Sides
from assay.validators.risk.supply_facts.readers import READERS

_APART = frozenset({Nature.test, Nature.docs, Nature.vendored, Nature.generated, Nature.lock})


class SupplyChainSignal:
    """What a reviewer wants to see even where no rule calls it dangerous."""

    name = "supply_chain"
    answers = None
    covers = ALL_LANGUAGES

    def measure(self, context: RiskContext) -> Iterator[Measure]:
        """One factor with every fact as evidence, and what could not be read."""
        found: list[Evidence] = []
        for file in context.change.files:
            readers = [one for one in READERS if one.claims(file.path)]
            if not readers or file.nature in _APART or file.is_example:
                continue
            if context.deadline.passed:
                yield NotChecked("facts of supply chain and infrastructure", "the tier's time was up")
                break
            before = _text(context.change.base, file.base_path)
            sides = Sides(context.change, file, before, _text(context.change.head, file.path if file.exists else None))
            for reader in readers:
                try:
                    found += [Evidence(fact.text, file.path, fact.line) for fact in reader.facts(sides)]
                except Unreadable as error:
                    yield NotChecked(f"facts of {reader.name} in {shown(file.path)}", str(error))
        if found:
            yield RiskFactor(
                signal=self.name,
                level=RiskLevel.low,
                reason=f"low because of a fact to know: {found[0].text}",
                value=len(found),
                threshold=1,
                evidence=tuple(found),
                would_lower=None,
            )


def _text(tree: SourceTree, path: str | None) -> str:
    return decoded(tree.read(path) or b"") if path is not None else ""
