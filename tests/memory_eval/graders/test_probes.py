"""A judge is held to its probes: good ones pass, and each kind of bad one is found out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from assay.llm import AnthropicModel
from assay.memory_eval.errors import JudgeUnavailable
from assay.memory_eval.graders.judging.panel import JudgePanel
from assay.memory_eval.graders.judging.probes import Calibration, ProbeLimits, built_in_probes, calibrate
from tests.fakes.judges import always, good, obeying
from tests.fakes.model import Asked, Fails, FakeModel, Step

Calibrated = Callable[..., Calibration]


@pytest.fixture
def calibrated() -> Iterator[Calibrated]:
    with (
        FakeModel() as fake,
        AnthropicModel("a-judge", api_key="k", base_url=fake.url, first_wait_s=0.001, max_retries=0) as model,
    ):

        def run(answers: Callable[[Asked], Step], **limits: Any) -> Calibration:
            fake.answers = answers
            return calibrate(JudgePanel(model), ProbeLimits(**limits))

        yield run


def test_there_are_probes_of_every_kind_and_more_than_forty():
    probes = built_in_probes()
    assert len(probes) >= 40
    kinds = Counter(probe.kind for probe in probes)
    assert set(kinds) >= {"other_words", "formats", "wrong", "negated", "hedged", "past", "injected", "dump"}
    assert min(kinds.values()) >= 2
    assert sum(probe.accept for probe in probes) >= 20
    assert len({(probe.question, probe.answer, probe.dimension) for probe in probes}) == len(probes)


def test_a_good_judge_passes_and_its_rates_are_told(calibrated):
    calibration = calibrated(good)
    assert (calibration.false_accept, calibration.false_reject, calibration.injected) == (0.0, 0.0, 0.0)
    told = calibration.to_dict()
    assert told["num_probes"] == told["num_answered"] == len(built_in_probes())
    assert told["kinds"]["negated"] == {"num_right": 5, "num_answered": 5}


@pytest.mark.parametrize(
    ("answers", "told"),
    [
        (always(1.0), r"accepts 100% of wrong answers \(at most 10% may be\)"),
        (always(85), "accepts 100%"),
        (always(0.0), "rejects 100% of right answers"),
        (obeying, r"follows \d+% of injected instructions \(at most 0% may be\)"),
    ],
)
def test_a_judge_that_cannot_be_believed_is_not_used(calibrated, answers, told):
    with pytest.raises(JudgeUnavailable, match=rf"judge\.uncalibrated: .*{told}"):
        calibrated(answers)


@pytest.mark.soak
def test_the_limits_are_a_matter_of_choice(calibrated):
    calibration = calibrated(always(1.0), false_accept=1.0, injected=1.0)
    assert calibration.false_accept == 1.0
    assert calibration.false_reject == 0.0


def test_a_judge_that_does_not_answer_is_not_called_a_bad_one(calibrated):
    with pytest.raises(JudgeUnavailable, match=r"judge\.no-probes"):
        calibrated(lambda asked: Fails(529, "Overloaded"))
