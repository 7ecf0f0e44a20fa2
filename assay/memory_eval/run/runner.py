"""An evaluation from end to end: ingest a dialogue, ask, grade, report.

runner = EvalRunner(num_turns=1000, num_questions=100, seed=42, grader_votes=3)
report = runner.run(agent, grader_model="claude-haiku-5-5")
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from pathlib import Path
from typing import Any

from assay.escape import visible
from assay.llm.prices import price_of
from assay.memory_eval.adapters.adapter import CALL_TIMEOUT_S, RemoteAgent
from assay.memory_eval.adapters.in_process import InProcessAgent
from assay.memory_eval.errors import AgentCallFailed, AgentFailed, ExamUsageError
from assay.memory_eval.exam.folder import Exam
from assay.memory_eval.exam.held_exam import HeldExam, drawn_exam, exam_of
from assay.memory_eval.graders.grading import Grading, GradingMode
from assay.memory_eval.graders.judging.panel import Estimate
from assay.memory_eval.holding.examining import memory_figures
from assay.memory_eval.report.measures import measured, report_of
from assay.memory_eval.report.model import EvalReport
from assay.memory_eval.run.asking import ask, call_failed, not_asked
from assay.memory_eval.run.calls import TOTAL_TIMEOUT_S, FailureBudget, Pace, Progress, silent
from assay.memory_eval.run.grading import grading_by, is_open, marked
from assay.memory_eval.run.hidden_process import hide_process
from assay.memory_eval.run.ingest import ingest
from assay.memory_eval.run.reset_probe import emptied
from assay.memory_eval.run.run_folder import RunFolder, run_folder
from assay.memory_eval.run.segments import Segments

MOST_NAME = 200
"""Characters kept of the name of a memory system or an embedder."""
ISOLATION = (
    "the seed was drawn at random; on Linux the agent cannot read it from the memory of this process, unless it is"
    " root, runs in this process, or is a server that ran before: nothing else isolates it"
)
SEED_BITS = 53
"""Bits of a random seed: too many to try, and exact in every reader of JSON."""


@dataclass(frozen=True)
class EvalRunner:
    """Evaluation of any agent: an `AgentAdapter`, or any object with `learn` and `answer`.

    The exam is generated from `seed`, or is the `world` given. Without both it is secret: `run` draws the seed at
    random, and the report reveals it. `grading` is "deterministic", "hybrid", "judge" (None: hybrid if `run` is given
    a model, deterministic otherwise), or a `Grading`; `grading_mode` is an alias. `parallel_workers` is the number of
    concurrent calls if the agent supports them; `segment_size` is the number of turns between two restarts of an
    agent's process. With `output_dir` every turn and answer of a public exam is on disk before the next, and `resume`
    continues an interrupted run. `skip_learning` asks the agent without ingesting. Time limits, of one call and of
    the whole run, are in seconds. `on_estimate` is called with the judge's expected calls and cost before its first
    call. `agent_model` names the agent's model, for the cost of its tokens. With `measures_memory` false only answers
    are graded.
    """

    num_turns: int = 1000
    num_questions: int = 100
    seed: int | None = 42
    grader_votes: int = 3
    _: KW_ONLY
    grading: Grading | str | None = None
    grading_mode: str | None = None
    world: Exam | None = None
    segment_size: int | None = None
    parallel_workers: int = 1
    output_dir: str | Path | None = None
    resume: bool = False
    skip_learning: bool = False
    timeout_s: float = CALL_TIMEOUT_S
    total_timeout_s: float = TOTAL_TIMEOUT_S
    progress: Progress = silent
    on_estimate: Callable[[Estimate], None] | None = None
    measures_memory: bool = True
    agent_model: str | None = None

    def __post_init__(self) -> None:
        for what, number in (
            ("grader votes", self.grader_votes),
            ("parallel workers", self.parallel_workers),
            ("turns in a segment", 1 if self.segment_size is None else self.segment_size),
            ("seconds for a call", self.timeout_s),
            ("seconds for a run", self.total_timeout_s),
        ):
            if not number > 0:
                raise ExamUsageError(f"{number} {what}: must be at least 1")
        if self.grading is not None and self.grading_mode is not None:
            raise ExamUsageError("`grading` and `grading_mode` are aliases: set only one", code="memory.two-gradings")

    def run(self, agent: Any, grader_model: Any = None) -> EvalReport:
        """Evaluate one agent; the caller closes it.

        `grader_model` is a model's name, or a `LanguageModel`. A run that says nothing about the agent's memory (the
        agent died, hung, learned too little, failed every call, cannot forget) returns with `valid` false, the reason,
        and all answers so far. Raises `ExamUsageError` for an invalid request, and `JudgeUnavailable`.
        """
        is_secret = self.seed is None and self.world is None
        if is_secret:
            self._check_secret()
            hide_process()  # before the seed is drawn
        exam = self._exam()
        examined = agent if isinstance(agent, RemoteAgent) else InProcessAgent(agent, self.timeout_s)
        examined.date_to(exam.ends_at)
        folder_path = None if self.output_dir is None else Path(self.output_dir)
        with (
            grading_by(self.grading or self.grading_mode, grader_model, self.grader_votes) as grading,
            run_folder(
                folder_path,
                self._identity(exam, examined, grading, is_secret=is_secret),
                resume=self.resume,
                is_secret=is_secret,
            ) as folder,
        ):
            left = [one for one in exam.questions if is_open(folder, one) or one.id not in folder.answered]
            if left:
                if self.on_estimate is not None:
                    self.on_estimate(grading.estimate(left))
                # Calibrate first: a judge that fails its probes should stop the run before ingest.
                grading.calibrate(lambda done, out_of: self.progress("calibrating", done, out_of))
            report = _Examination(self, exam, examined, grading, folder).report()
            return replace(report, comparable=True, notes=[*report.notes, ISOLATION]) if is_secret else report

    def _check_secret(self) -> None:
        if self.resume:
            raise ExamUsageError(
                "--resume needs --seed or --world: the seed of a secret exam is kept nowhere",
                code="memory.secret-resume",
            )
        if self.skip_learning:
            raise ExamUsageError(
                "--skip-learning needs the --seed or --world of the dialogue that the memory was taught",
                code="memory.secret-untaught",
            )

    def _exam(self) -> HeldExam:
        if self.world is not None:
            return exam_of(self.world)
        seed = secrets.randbits(SEED_BITS) if self.seed is None else self.seed
        return drawn_exam(self.num_turns, self.num_questions, seed)

    def _identity(self, exam: HeldExam, agent: RemoteAgent, grading: Grading, *, is_secret: bool) -> dict[str, Any]:
        return {
            "seed": None if is_secret else exam.seed,
            "turns": len(exam.lessons),
            "questions": len(exam.questions),
            # A checksum of a secret exam would confirm a guess at it.
            "exam": None if is_secret else exam.fingerprint(),
            "agent": agent.name,
            "the agent's command or memory": agent.fingerprint,
            "learning": not self.skip_learning,
            "grading": str(grading.mode),
            "judge": (grading.report() or {}).get("model"),
            "grader votes": grading.votes,
        }


def _named(stats: Mapping[str, Any], key: str) -> str:
    value = stats.get(key)
    return visible(value, MOST_NAME) if isinstance(value, str) else ""


class _Examination:
    """State of one run."""

    def __init__(
        self, runner: EvalRunner, exam: HeldExam, agent: RemoteAgent, grading: Grading, folder: RunFolder
    ) -> None:
        self._runner = runner
        self._exam = exam
        self._agent = agent
        self._grading = grading
        self._folder = folder
        self._patience = FailureBudget(runner.total_timeout_s)
        num_workers = runner.parallel_workers if agent.parallel_safe else 1
        # Longer than any call may take: only calls of an agent in our threads are not bounded by themselves.
        self._pace = Pace(num_workers, stuck_after_s=2 * runner.timeout_s + 10, progress=runner.progress)
        self._notes = list(exam.notes)
        if runner.parallel_workers > 1 and not agent.parallel_safe:
            self._notes.append(f"--parallel-workers has no effect for {agent.name}: it accepts one call at a time")
        self._stats: Mapping[str, Any] = {}
        self._memory: Mapping[str, Any] | None = None
        self._search_times_s: list[float] = []

    def report(self) -> EvalReport:
        """Run the phases and return the report."""
        why: str | None = None
        asked_s = sum(one.result.answer_time_s or 0.0 for one in self._folder.answered.values())
        began_at_s = time.monotonic()
        try:
            if not all(question.id in self._folder.answered for question in self._exam.questions):
                self._teach()
                began_at_s = time.monotonic()
                ask(self._agent, self._exam.questions, self._folder, self._patience, self._pace)
                self._stats = self._stats_of_agent()
                self._measure(may_call=True)
            else:
                self._measure(may_call=False)
        except AgentFailed as failed:
            why = str(failed)
        asked_s += time.monotonic() - began_at_s
        began_at_s = time.monotonic()
        marked(self._folder, self._exam.questions, self._grading, self._runner.progress)
        return self._reported(why or self._why_invalid(), asked_s, time.monotonic() - began_at_s)

    def _teach(self) -> None:
        if self._runner.skip_learning:
            return
        segments = Segments(self._agent, self._runner.segment_size, self._folder)
        self._notes += [segments.note] if segments.note else []
        try:
            if segments.goes_on():
                self._notes.append(
                    f"resumed after {len(self._folder.told)} ingested turns;"
                    f" not checked: whether {self._agent.name} still remembers them"
                )
            else:
                self._folder.forget_telling()
                self._notes += emptied(self._agent, segments, self._folder)
            ingest(self._agent, self._exam.lessons, segments, self._folder, self._patience, self._pace)
        finally:
            segments.close()

    def _measure(self, *, may_call: bool) -> None:
        """Measure the memory itself, after the last answer: an agent that fails here has been examined all the same."""
        if not self._runner.measures_memory:
            return
        by_rules = self._grading.mode is GradingMode.deterministic
        self._memory, notes = memory_figures(
            self._exam, self._agent, self._search_times_s, may_call=may_call, by_rules=by_rules
        )
        self._notes += notes

    def _stats_of_agent(self) -> Mapping[str, Any]:
        try:
            return self._agent.stats()
        except (AgentCallFailed, AgentFailed) as failed:
            self._notes.append(f"the agent's memory statistics could not be read: {failed}")
            return {}

    def _why_invalid(self) -> str | None:
        errors = [one.result.error for one in self._folder.answered.values()]
        if errors and all(error is not None for error in errors):
            return f"the agent failed every one of {len(errors)} calls; the first: {errors[0]}"
        return None

    def _reported(self, why: str | None, asked_s: float, grading_time_s: float) -> EvalReport:
        folder, exam = self._folder, self._exam
        results = [
            folder.answered[question.id].result if question.id in folder.answered else not_asked(question, why or "")
            for question in exam.questions
        ]
        if why is not None and all(one.result.error is not None for one in folder.answered.values()):
            # Every call failed: that says nothing about the memory, and is not a score of zero.
            results = [one if one.error is None else call_failed(one) for one in results]
        if why is None:
            folder.is_complete([question.id for question in exam.questions])
        num_words = {question_id: one.num_words for question_id, one in folder.answered.items()}
        learn_times_s = [told.took_s for told in folder.told.values() if told.error is None]
        price = price_of(self._runner.agent_model) if self._runner.agent_model else None
        measures = measured(results, num_words, learn_times_s, self._stats, self._search_times_s, price)
        num_missed = None if self._runner.skip_learning else len(exam.lessons) - len(learn_times_s)
        return report_of(
            results,
            {**measures, "num_turns_not_learned": num_missed},
            num_turns=len(exam.lessons),
            total_facts_delivered=exam.num_facts,
            learning_time_s=folder.learning_time_s,
            questioning_time_s=asked_s + grading_time_s,
            grading_time_s=grading_time_s,
            memory_stats=self._stats,
            seed=exam.seed,
            agent=self._agent.name,
            grading=str(self._grading.mode),
            grader_votes=self._grading.votes,
            world_version=exam.world_version,
            valid=why is None,
            why_invalid=why,
            judge=self._grading.report(),
            notes=self._notes,
            reader=self._agent.reader,
            system=_named(self._stats, "system"),
            embedder=_named(self._stats, "embedder"),
            memory=self._memory if why is None else None,
        )
