"""Memory evaluation: dialogue, questions, agents, grading and reports.

    ground_truth = generate_dialogue(num_turns=1000, seed=42)
    questions = generate_questions(ground_truth, num_questions=50)

Modules load on first use, so importing this package is cheap.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.memory_eval.adapters.adapter import AgentAdapter, AgentResponse
    from assay.memory_eval.adapters.child_process import environment_without_secrets
    from assay.memory_eval.adapters.naming import agent_from
    from assay.memory_eval.adapters.options import AgentOptions
    from assay.memory_eval.datasets.build import build_dataset
    from assay.memory_eval.datasets.catalog import download_dataset, list_datasets
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
    from assay.memory_eval.graders.rules import grade
    from assay.memory_eval.questions.choosing import generate_questions
    from assay.memory_eval.questions.oracle import answer_from_evidence
    from assay.memory_eval.render.comparison_text import comparison_json, comparison_markdown, show_comparison
    from assay.memory_eval.render.format import FILES as REPORT_FILES
    from assay.memory_eval.render.register import FORMATS as REPORT_FORMATS
    from assay.memory_eval.render.terminal import show as show_in_terminal
    from assay.memory_eval.report.compare import Comparison, compare_files, compare_reports
    from assay.memory_eval.report.intervals import with_intervals
    from assay.memory_eval.report.merge import merge_reports
    from assay.memory_eval.report.model import CategoryBreakdown, EvalReport, EvalResult
    from assay.memory_eval.report.read import parsed_report, read_report
    from assay.memory_eval.run.grading_choice import grading_by
    from assay.memory_eval.run.offline_answers import grade_answers
    from assay.memory_eval.run.runner import EvalRunner
    from assay.memory_eval.truth import Answer, AnswerType, Dimension, GroundTruth, Question, Turn

_HOMES = {
    "AgentAdapter": "adapters.adapter:AgentAdapter",
    "AgentCallFailed": "errors:AgentCallFailed",
    "AgentFailed": "errors:AgentFailed",
    "AgentOptions": "adapters.options:AgentOptions",
    "AgentResponse": "adapters.adapter:AgentResponse",
    "Answer": "truth:Answer",
    "AnswerType": "truth:AnswerType",
    "CategoryBreakdown": "report.model:CategoryBreakdown",
    "Comparison": "report.compare:Comparison",
    "DEFAULT_JUDGE": "graders.judging.judge:DEFAULT_JUDGE",
    "Dimension": "truth:Dimension",
    "EvalReport": "report.model:EvalReport",
    "EvalResult": "report.model:EvalResult",
    "EvalRunner": "run.runner:EvalRunner",
    "Exam": "exam.folder:Exam",
    "ExamCouldNotRun": "errors:ExamCouldNotRun",
    "ExamUsageError": "errors:ExamUsageError",
    "Grading": "graders.grading:Grading",
    "GroundTruth": "truth:GroundTruth",
    "JudgeUnavailable": "errors:JudgeUnavailable",
    "MemoryEvalError": "errors:MemoryEvalError",
    "Question": "truth:Question",
    "REPORT_FILES": "render.format:FILES",
    "REPORT_FORMATS": "render.register:FORMATS",
    "TooFewQuestions": "errors:TooFewQuestions",
    "Turn": "truth:Turn",
    "UnknownAdapter": "errors:UnknownAdapter",
    "UnknownDataset": "errors:UnknownDataset",
    "WorldUnreadable": "errors:WorldUnreadable",
    "agent_from": "adapters.naming:agent_from",
    "answer_from_evidence": "questions.oracle:answer_from_evidence",
    "build_dataset": "datasets.build:build_dataset",
    "compare_files": "report.compare:compare_files",
    "compare_reports": "report.compare:compare_reports",
    "comparison_json": "render.comparison_text:comparison_json",
    "comparison_markdown": "render.comparison_text:comparison_markdown",
    "download_dataset": "datasets.catalog:download_dataset",
    "environment_without_secrets": "adapters.child_process:environment_without_secrets",
    "generate_dialogue": "exam.dialogue:generate_dialogue",
    "generate_questions": "questions.choosing:generate_questions",
    "grade": "graders.rules:grade",
    "grade_answers": "run.offline_answers:grade_answers",
    "grading_by": "run.grading_choice:grading_by",
    "list_datasets": "datasets.catalog:list_datasets",
    "merge_reports": "report.merge:merge_reports",
    "parsed_report": "report.read:parsed_report",
    "read_answers": "exam.folder:read_answers",
    "read_exam": "exam.folder:read_exam",
    "read_report": "report.read:read_report",
    "show_comparison": "render.comparison_text:show_comparison",
    "show_in_terminal": "render.terminal:show",
    "with_intervals": "report.intervals:with_intervals",
    "write_exam": "exam.folder:write_exam",
}

__all__ = [
    "DEFAULT_JUDGE",
    "REPORT_FILES",
    "REPORT_FORMATS",
    "AgentAdapter",
    "AgentCallFailed",
    "AgentFailed",
    "AgentOptions",
    "AgentResponse",
    "Answer",
    "AnswerType",
    "CategoryBreakdown",
    "Comparison",
    "Dimension",
    "EvalReport",
    "EvalResult",
    "EvalRunner",
    "Exam",
    "ExamCouldNotRun",
    "ExamUsageError",
    "Grading",
    "GroundTruth",
    "JudgeUnavailable",
    "MemoryEvalError",
    "Question",
    "TooFewQuestions",
    "Turn",
    "UnknownAdapter",
    "UnknownDataset",
    "WorldUnreadable",
    "agent_from",
    "answer_from_evidence",
    "build_dataset",
    "compare_files",
    "compare_reports",
    "comparison_json",
    "comparison_markdown",
    "download_dataset",
    "environment_without_secrets",
    "generate_dialogue",
    "generate_questions",
    "grade",
    "grade_answers",
    "grading_by",
    "list_datasets",
    "merge_reports",
    "parsed_report",
    "read_answers",
    "read_exam",
    "read_report",
    "show_comparison",
    "show_in_terminal",
    "with_intervals",
    "write_exam",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, _, inner = _HOMES[name].partition(":")
    return getattr(importlib.import_module(f"{__name__}.{module}"), inner)


def __dir__() -> list[str]:
    return __all__
