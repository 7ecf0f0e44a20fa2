"""Grading of all answers of an exam: by rules, by rules and a judge, or by a judge.

    deterministic   rules only: no key, no cost, the same score every time
    hybrid          a judge for dimensions rules grade poorly (time, sources, confidence) and for missing rubrics
    judge           a judge for everything

Rules override the judge: an answer in which rules find a wrong claim stays wrong in hybrid grading, an answer beyond
its length budget scores 0 in every mode, and a wrong answer scores 0 on every dimension. Prose that the rules cannot
read is left to the judge, and without one is not graded.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from assay.llm import LanguageModel
from assay.memory_eval.errors import JudgeUnavailable
from assay.memory_eval.graders.judging.panel import (
    DEFAULT_VOTES,
    DEFAULT_WORKERS,
    Case,
    Estimate,
    JudgePanel,
    Verdict,
    estimate_of,
)
from assay.memory_eval.graders.judging.probes import Calibration, ProbeLimits, calibrate, probe_cases
from assay.memory_eval.graders.reading.plain_text import num_words
from assay.memory_eval.graders.rules import Grade, dimensions_asked, grade, length_factor, mean_of
from assay.memory_eval.truth import NOT_GIVEN, Dimension, Question

Progress = Callable[[int, int], None]
"""Called with the number of graded answers and the total."""

JUDGED = (Dimension.temporal_awareness, Dimension.source_attribution, Dimension.confidence_calibration)
"""Dimensions that a judge grades better than rules do."""

_ACCURACY = Dimension.factual_accuracy


class GradingMode(StrEnum):
    """The grading modes."""

    deterministic = "deterministic"
    hybrid = "hybrid"
    judge = "judge"


@dataclass(frozen=True, slots=True)
class _Started:
    """A partly graded answer: the rules' grade, the dimensions left to the judge, and the length factor."""

    question: Question
    rules: Grade
    left: tuple[Dimension, ...] = ()
    factor: float = 1.0


class Grading:
    """Grading of answers in one mode. A `judge` model is calibrated before the first answer.

    `votes` per answer, `num_workers` concurrent calls. `why_no_judge` is the reason reported for ungraded dimensions.
    """

    def __init__(
        self,
        mode: GradingMode | str = GradingMode.deterministic,
        judge: LanguageModel | None = None,
        votes: int = DEFAULT_VOTES,
        *,
        why_no_judge: str = "there is no judge",
        limits: ProbeLimits | None = None,
        num_workers: int = DEFAULT_WORKERS,
    ) -> None:
        if votes < 1:
            raise ValueError(f"votes must be at least 1, not {votes}")
        self.mode = GradingMode(mode)
        if self.mode is GradingMode.judge and judge is None:
            raise JudgeUnavailable(f"judge grading was requested, but {why_no_judge}", code="judge.unavailable")
        self.votes = votes
        self.calibration: Calibration | None = None
        self._bench = (
            None if judge is None or self.mode is GradingMode.deterministic else JudgePanel(judge, num_workers)
        )
        self._why_no_judge = why_no_judge
        self._limits = limits
        self._not_graded: Counter[str] = Counter()

    def estimate(self, questions: Sequence[Question]) -> Estimate:
        """Return the most a judge needs for these questions: calls, and US dollars if a price is known."""
        if self._bench is None:
            return Estimate()
        answered = [(question, question.expected_answer) for question in questions]
        cases = [Case(*pair, left) for pair in answered if (left := self._start(*pair).left)]
        probes = probe_cases() if cases and self.calibration is None else []
        return estimate_of(self._bench.model, cases, self.votes, probes)

    def calibrate(self, on_progress: Progress | None = None) -> Calibration | None:
        """Let the judge grade its probes, once; raises `JudgeUnavailable` if it fails them."""
        if self._bench is not None and self.calibration is None:
            self.calibration = calibrate(self._bench, self._limits, on_progress)
        return self.calibration

    def grade_all(
        self,
        pairs: Sequence[tuple[Question, str]],
        on_progress: Progress = lambda _done, _all: None,
        *,
        values: Sequence[Any] | None = None,
    ) -> list[Grade]:
        """Grade `(question, answer)` pairs, in order; `on_progress(done, all)` counts answers.

        `values` has the typed value of each answer, or `NOT_GIVEN`.
        """
        typed = [NOT_GIVEN] * len(pairs) if values is None else values
        started = [self._start(*pair, value) for pair, value in zip(pairs, typed, strict=True)]
        open_places = [place for place, one in enumerate(started) if one.left] if self._bench is not None else []
        num_ready = len(pairs) - len(open_places)
        on_progress(num_ready, len(pairs))
        verdicts: dict[int, Verdict] = {}
        if self._bench is not None and open_places:
            self.calibrate()
            cases = [Case(*_shown(*pairs[place], typed[place]), started[place].left) for place in open_places]
            judged = self._bench.verdicts(cases, self.votes, lambda done, _: on_progress(num_ready + done, len(pairs)))
            verdicts = dict(zip(open_places, judged, strict=True))
        return [self._finish(one, verdicts.get(place)) for place, one in enumerate(started)]

    def report(self) -> dict[str, Any] | None:
        """Return the judge's model, calls, cost and probes for the report; None in deterministic grading."""
        if self.mode is GradingMode.deterministic:
            return None
        asked: dict[str, Any] = {"model": None, "why": self._why_no_judge}
        if self._bench is not None:
            probes = self.calibration
            asked = {
                **self._bench.to_dict(),
                "votes": self.votes,
                "false_accept": probes.false_accept if probes else None,
                "false_reject": probes.false_reject if probes else None,
                "probes": probes.to_dict() if probes else None,
            }
        return {**asked, "not_graded": dict(sorted(self._not_graded.items()))}

    def _start(self, question: Question, answer: str, value: Any = NOT_GIVEN) -> _Started:
        rules = grade(question, answer, value)
        if self.mode is GradingMode.deterministic:
            return _Started(question, rules)
        is_empty = not answer.strip() and value is NOT_GIVEN
        factor = 0.0 if is_empty else length_factor(num_words(answer), question)
        is_wrong = self.mode is GradingMode.hybrid and rules.dimensions.get(_ACCURACY) == 0.0
        is_open = rules.no_claim and self._bench is not None
        if (is_wrong and not is_open) or factor == 0.0:
            nothing = dict.fromkeys(map(str, dimensions_asked(question)), 0.0)
            said = rules.reasoning if is_wrong else "The answer is empty or far beyond its length budget."
            return _Started(question, Grade(0.0, nothing, said))
        left = [
            dimension
            for dimension in dimensions_asked(question)
            if self.mode is GradingMode.judge
            or is_open
            or dimension in JUDGED
            or rules.dimensions.get(dimension) is None
        ]
        return _Started(question, rules, tuple(left), factor)

    def _finish(self, started: _Started, verdict: Verdict | None) -> Grade:
        if not started.left:
            return started.rules
        left = started.left
        judged = verdict.scores if verdict is not None else None
        if judged is None and started.rules.no_claim and self.mode is GradingMode.hybrid:
            return started.rules
        scores: dict[str, float | None] = {
            str(one): None if one in left else started.rules.dimensions.get(one)
            for one in dimensions_asked(started.question)
        }
        if judged is not None and _ACCURACY in judged:
            scores[_ACCURACY] = judged[_ACCURACY] * started.factor
        accuracy = scores.get(_ACCURACY, started.factor)
        if judged is not None and accuracy is not None:
            scores |= {str(one): judged[one] * accuracy for one in left if one is not _ACCURACY}
        missing = [name for name, score in scores.items() if score is None]
        self._not_graded.update(missing)
        return _grade(started, scores, missing, verdict or Verdict(None, why_not=self._why_no_judge))


def _shown(question: Question, answer: str, value: Any) -> tuple[Question, str]:
    """Return a case's question and what the judge reads of the answer: its words and its typed value."""
    typed = "" if value is NOT_GIVEN else f"\nvalue: {json.dumps(value, ensure_ascii=False)}"
    return question, f"{answer}{typed}"


def _grade(started: _Started, scores: dict[str, float | None], missing: Sequence[str], verdict: Verdict) -> Grade:
    score = mean_of(scores)
    why_not = f"{', '.join(missing)} left to a judge, but {verdict.why_not}" if missing else None
    if score is None or _ACCURACY in missing:
        return Grade(None, scores, started.rules.reasoning, why_not or "nothing is graded")
    only_judged = set(dimensions_asked(started.question)) == set(started.left)
    parts = [
        "" if only_judged else started.rules.reasoning,
        f"The judge: {verdict.reasoning}" if verdict.scores is not None else "",
        f"Not graded: {why_not}." if why_not else "",
    ]
    return Grade(score, scores, " ".join(part for part in parts if part))
