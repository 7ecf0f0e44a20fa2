"""`memory_score`: one figure that a dump of everything does not win.

    memory_score = economy * harmonic mean(current recall, trust)
    trust        = max(0, 1 - stale - contaminated)
    economy      = min(1, 2 * words of the dialogue / words stored)

The harmonic mean is low if either part is: keeping everything, with old values and contradictions, has recall without
trust; keeping one sure fact has trust without recall. Economy ends the advantage of repeating and enumerating.
"""

from __future__ import annotations

from assay.memory_eval.holding.measuring import MOST_SIZE, Measures


def memory_score(measures: Measures) -> float | None:
    """Return the score, 0 to 1; None for a world without facts."""
    current = measures.current
    if not current:
        return None
    recall = sum(current) / len(current)
    sure = trust(measures)
    if recall + sure == 0:
        return 0.0
    return economy(measures) * 2 * recall * sure / (recall + sure)


def trust(measures: Measures) -> float:
    """Return 1 less the shares of stale keys and of contradicted values."""
    precision = measures.precision
    contaminated = 0.0 if precision is None else 1 - precision
    return max(0.0, 1 - (measures.staleness.share or 0.0) - contaminated)


def economy(measures: Measures) -> float:
    """Return 1, or less for a store of more than twice the words of the dialogue."""
    size = measures.size
    return 1.0 if not size else min(1.0, MOST_SIZE / size)
