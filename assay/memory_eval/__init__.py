"""Memory evaluation: dialogue, questions, agents, grading and reports.

    ground_truth = generate_dialogue(num_turns=1000, seed=42)
    questions = generate_questions(ground_truth, num_questions=50)

Modules load on first use, so importing this package is cheap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.lazy_exports import lazy_exports

if TYPE_CHECKING:
    from assay.memory_eval.adapters.adapter import AgentAdapter, AgentOptions, AgentResponse
    from assay.memory_eval.adapters.child.child_process import environment_without_secrets
    from assay.memory_eval.adapters.naming import agent_from, keeps_a_store, takes_a_model
    from assay.memory_eval.adapters.snapshots.health import inspect_memory
    from assay.memory_eval.benchmarks.evaluating import BENCHMARK_FORMATS, benchmark_worlds, evaluate_benchmark
    from assay.memory_eval.datasets import build_dataset, download_dataset, list_datasets
    from assay.memory_eval.drift.comparing import drift_of
    from assay.memory_eval.drift.opening import memory_drift, parsed_drift
    from assay.memory_eval.drift.record import KEY_VARIABLE as DRIFT_KEY_VARIABLE
    from assay.memory_eval.drift.record import read_requests
    from assay.memory_eval.errors import (
        AgentCallFailed,
        AgentFailed,
        ExamCouldNotRun,
        ExamUsageError,
        JudgeUnavailable,
        MemoryEvalError,
        TooFewQuestions,
        UnknownAdapter,
        UnknownDataset,
        WorldUnreadable,
    )
    from assay.memory_eval.exam.dialogue import generate_dialogue
    from assay.memory_eval.exam.folder import Exam, read_answers, read_exam, write_exam
    from assay.memory_eval.graders.grading import Grading
    from assay.memory_eval.graders.judging.judge import DEFAULT_JUDGE
    from assay.memory_eval.graders.judging.panel import Estimate
    from assay.memory_eval.graders.rules import grade
    from assay.memory_eval.questions.choosing import generate_questions
    from assay.memory_eval.questions.oracle import answer_from_evidence
    from assay.memory_eval.render.markdown import markdown_table
    from assay.memory_eval.render.rendering import FILES as REPORT_FILES
    from assay.memory_eval.render.rendering import FORMATS as REPORT_FORMATS
    from assay.memory_eval.render.rendering import rendered
    from assay.memory_eval.render.rendering import show as show_result
    from assay.memory_eval.render.results import signs_table
    from assay.memory_eval.report.compare import Comparison, compare_files, compare_reports
    from assay.memory_eval.report.drift import Drift
    from assay.memory_eval.report.inspection import Inspection
    from assay.memory_eval.report.merge import merge_reports
    from assay.memory_eval.report.model import CategoryBreakdown, EvalReport, EvalResult, least_figures
    from assay.memory_eval.report.read import parsed_report, read_report
    from assay.memory_eval.run.grading import grading_by
    from assay.memory_eval.run.hidden_process import hide_process
    from assay.memory_eval.run.offline_answers import grade_answers
    from assay.memory_eval.run.runner import EvalRunner
    from assay.memory_eval.truth import Answer, AnswerType, Dimension, GroundTruth, Question, Turn


__getattr__, __dir__ = lazy_exports(__name__, __file__)
