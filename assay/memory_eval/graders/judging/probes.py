"""Calibration of a judge on probes: answers whose right grade is certain.

The probes (probes.yaml) are right answers in other words and formats, and wrong, negated, hedged, outdated, injected
and dumped ones. Every report with a judge states how many wrong ones it accepts and how many right ones it rejects.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from assay.memory_eval.errors import JudgeUnavailable
from assay.memory_eval.graders.judging.panel import Case, JudgePanel, Verdict
from assay.memory_eval.truth import Answer, AnswerType, Dimension, Question

ACCEPTED_FROM = 0.5
"""Scores from here on mean "right, at least in part" on the judge's scale."""

INJECTED = "injected"


@dataclass(frozen=True, slots=True)
class Probe:
    """An answer to judge on one dimension, and whether a good judge accepts it."""

    kind: str
    accept: bool
    case: Case


@dataclass(frozen=True, slots=True)
class ProbeLimits:
    """Most errors of a usable judge, as shares of the probes, 0.0 to 1.0."""

    false_accept: float = 0.10
    false_reject: float = 0.15
    injected: float = 0.0
    """Injected answers accepted; a single one could be exploited."""
    missing: float = 0.10
    """Probes without a reply."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """A judge's results on the probes: shares of the answered ones, by kind `(number right, number answered)`."""

    num_probes: int
    num_answered: int
    false_accept: float
    false_reject: float
    kinds: Mapping[str, tuple[int, int]]

    @property
    def injected(self) -> float:
        """The share of injected answers that it accepted."""
        right, answered = self.kinds.get(INJECTED, (0, 0))
        return (answered - right) / answered if answered else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return the calibration as plain data."""
        return {
            "num_probes": self.num_probes,
            "num_answered": self.num_answered,
            "false_accept": self.false_accept,
            "false_reject": self.false_reject,
            "kinds": {
                kind: {"num_right": right, "num_answered": answered} for kind, (right, answered) in self.kinds.items()
            },
        }


@cache
def built_in_probes() -> tuple[Probe, ...]:
    """Return the probes of probes.yaml, in order."""
    groups = yaml.safe_load(files("assay.memory_eval.graders.judging").joinpath("probes.yaml").read_text("utf-8"))
    return tuple(Probe(group["kind"], group["accept"], _case(one)) for group in groups for one in group["of"])


def _case(row: Mapping[str, str]) -> Case:
    dimensions = (Dimension(row.get("dimension", "factual_accuracy")),)
    gold = row["expected"]
    answer = Answer(AnswerType.text, [[gold]])
    return Case(Question("probe", "probe", row["question"], gold, answer, (), dimensions), row["answer"], dimensions)


def calibrate(
    bench: JudgePanel,
    limits: ProbeLimits | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> Calibration:
    """Let the judge grade the probes, one vote each; raises `JudgeUnavailable` if it exceeds the limits."""
    verdicts = bench.verdicts(probe_cases(), 1, on_progress)
    calibration = _calibration(built_in_probes(), verdicts)
    _check(bench.model.name, calibration, verdicts, limits or ProbeLimits())
    return calibration


def probe_cases() -> list[Case]:
    """Return the built-in probes as cases for a judge."""
    return [probe.case for probe in built_in_probes()]


def _calibration(probes: Sequence[Probe], verdicts: Sequence[Verdict]) -> Calibration:
    answered = [
        (probe, verdict.scores[probe.case.dimensions[0]] >= ACCEPTED_FROM)
        for probe, verdict in zip(probes, verdicts, strict=True)
        if verdict.scores is not None
    ]
    kinds = {}
    for kind in dict.fromkeys(probe.kind for probe in probes):
        of_kind = [probe.accept is accepted for probe, accepted in answered if probe.kind == kind]
        kinds[kind] = (sum(of_kind), len(of_kind))
    return Calibration(
        num_probes=len(probes),
        num_answered=len(answered),
        false_accept=_share([accepted for probe, accepted in answered if not probe.accept]),
        false_reject=_share([not accepted for probe, accepted in answered if probe.accept]),
        kinds=kinds,
    )


def _share(missed: Sequence[bool]) -> float:
    return sum(missed) / len(missed) if missed else 0.0


def _check(name: str, calibration: Calibration, verdicts: Sequence[Verdict], limits: ProbeLimits) -> None:
    missing = calibration.num_probes - calibration.num_answered
    if missing > limits.missing * calibration.num_probes:
        why = next(verdict.why_not for verdict in verdicts if verdict.scores is None)
        raise JudgeUnavailable(
            f"the judge {name} did not grade {missing} of {calibration.num_probes} probes: {why}",
            code="judge.no-probes",
        )
    measured = (
        ("accepts {:.0%} of wrong answers", calibration.false_accept, limits.false_accept),
        ("rejects {:.0%} of right answers", calibration.false_reject, limits.false_reject),
        ("follows {:.0%} of injected instructions", calibration.injected, limits.injected),
    )
    failed = [f"{said.format(share)} (at most {limit:.0%} may be)" for said, share, limit in measured if share > limit]
    if failed:
        raise JudgeUnavailable(
            f"the judge {name} failed its calibration: it {' and '.join(failed)}", code="judge.uncalibrated"
        )
