"""The memory rows of a report: what an agent's store holds and what its retriever finds, with floor and ceiling."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any

from assay.memory_eval.adapters.adapter import RemoteAgent
from assay.memory_eval.adapters.extracting.reader import NUM_FOUND, Passage, pick
from assay.memory_eval.adapters.extracting.retrieval import Index
from assay.memory_eval.errors import AgentCallFailed, AgentFailed, CannotRetrieve
from assay.memory_eval.exam.held_exam import HeldExam
from assay.memory_eval.graders.rules import grade
from assay.memory_eval.holding.evidence import Evidence, Retrieve, evidence_found
from assay.memory_eval.holding.matcher import Matcher
from assay.memory_eval.holding.measuring import Measures, measured_store
from assay.memory_eval.holding.told import perfect_store, stored_of, tail_store, told_of
from assay.memory_eval.report.measures import mean_of_numbers
from assay.memory_eval.truth import Question
from assay.statistics import bounds_of_rate

NO_RETRIEVE = "the memory itself was not measured: that needs the agent's `retrieve`"
MOST_EXAMPLES = 3

Row = dict[str, Any]
"""`{value, low, high, floor, ceiling, n}`: `value` from 0 to 1, higher is better; None where nothing was measured."""


def memory_figures(
    exam: HeldExam, agent: RemoteAgent, search_times_s: list[float], *, may_call: bool, by_rules: bool
) -> tuple[dict[str, Any] | None, list[str]]:
    """Return the memory of a report, None without any, and notes about what could not be measured.

    `may_call` is false if the agent holds nothing to retrieve, as after a resume of a finished run. With `by_rules`
    the answers are graded without a judge, so that those of floor and ceiling can be graded too. The duration of each
    successful retrieval is added to `search_times_s`.
    """
    entries = agent.entries()
    retrieve = _retriever(agent, search_times_s) if may_call else None
    notes: list[str] = []
    try:
        if retrieve is not None:
            retrieve("What do you remember?", 1)
    except (AgentCallFailed, AgentFailed) as failed:
        if not isinstance(failed, CannotRetrieve):
            notes.append(f"evidence recall was not measured: {failed}")
        elif entries is None:
            notes.append(NO_RETRIEVE)
        retrieve = None
    told = told_of(exam.turns() if entries is not None or retrieve is not None else ())
    if not told.facts:
        return None, notes
    matcher = Matcher(told)
    stored = None if entries is None else stored_of(entries)
    if retrieve is None and stored is not None:
        retrieve = found_in_texts([one.text for one in stored if one.state == "live"])
    try:
        evidence = None if retrieve is None else evidence_found(matcher, exam.questions, retrieve)
    except (AgentCallFailed, AgentFailed) as failed:
        return None, [*notes, f"the memory was not measured: {failed}"]
    measures = None if stored is None else measured_store(matcher, stored)
    rows: dict[str, Any] = {} if measures is None else _store_rows(matcher, measures)
    if evidence is not None:
        rows["found"] = _found_row(evidence, *_found_references(matcher, exam))
    if agent.reader and by_rules:
        rows["answers"] = _answer_references(matcher, exam.questions)
    return {"source": "retrieve" if entries is None else "entries", **rows}, notes


def _retriever(agent: RemoteAgent, times_s: list[float]) -> Retrieve:
    def retrieve(question: str, k: int) -> list[str]:
        began_at_s = time.monotonic()
        texts = [one.text for one in agent.retrieve(question, k)]
        times_s.append(time.monotonic() - began_at_s)
        return texts

    return retrieve


def found_in_texts(texts: Sequence[str]) -> Retrieve:
    """Return Assay's retriever over texts, by words and by meaning."""
    index = Index(texts, "both")
    return lambda question, k: [texts[place] for place, _ in index.search(question, k)]


def counts_of(one: Measures) -> dict[str, tuple[int, int]]:
    """Return each row of a store as (right, of all)."""
    return {
        "kept": (sum(one.held), len(one.held)),
        "current": (len(one.changed_held) - len(one.misleading), len(one.changed_held)),
        "clean": (max(0, one.num_statements - one.num_false), one.num_statements),
        "forgot": (sum(not states for states in one.forgotten.values()), len(one.forgotten)),
    }


def _store_rows(matcher: Matcher, measures: Measures) -> dict[str, Any]:
    references = (store(matcher.told) for store in (tail_store, perfect_store))
    least, most = (counts_of(measured_store(matcher, entries)) for entries in references)
    rows: dict[str, Any] = {}
    for name, (num, of) in counts_of(measures).items():
        low, high = bounds_of_rate(num, of) or (None, None)
        rows[name] = _row((_share((num, of)), low, high), _share(least[name]), _share(most[name]), of)
    return {
        **rows,
        "num_entries": measures.num_entries,
        "num_judged": measures.num_judged,
        "planted": len(measures.told.planted),
        "planted_kept": len(measures.planted),
        "examples": list(islice(measures.examples(), MOST_EXAMPLES)),
        "facts_digest": measures.told.digest,
        "held": "".join("01"[one] for one in measures.held),
    }


def _found_row(one: Evidence, floor: Evidence, ceiling: Evidence) -> Row:
    return {**_row((one.share, one.low, one.high), floor.share, ceiling.share, one.num_questions), "mrr": one.mrr}


def _row(measured: Sequence[float | None], floor: float | None, ceiling: float | None, num: int) -> Row:
    value, low, high = measured
    return {"value": value, "low": low, "high": high, "floor": floor, "ceiling": ceiling, "n": num}


def _share(count: tuple[int, int]) -> float | None:
    return count[0] / count[1] if count[1] else None


def _found_references(matcher: Matcher, exam: HeldExam) -> tuple[Evidence, Evidence]:
    """Return floor and ceiling of the evidence: the last turns, and the relevant turns themselves."""
    texts = [turn.content for turn in matcher.told.turns]
    relevant = {
        one.text: [texts[turn - 1] for turn in one.relevant_turns if turn <= len(texts)] for one in exam.questions
    }
    floor = evidence_found(matcher, exam.questions, lambda _, k: texts[: -k - 1 : -1])
    return floor, evidence_found(matcher, exam.questions, lambda question, k: relevant[question][:k])


def _answer_references(matcher: Matcher, questions: Sequence[Question]) -> dict[str, float | None]:
    """Return the answers of Assay's reader from the last quarter, and from a perfect store or the relevant turns."""
    told = matcher.told
    floor = _answer_scores(questions, _found_in([one.text for one in tail_store(told)]))
    perfect = _answer_scores(questions, _found_in([one.text for one in perfect_store(told) if not one.is_ended]))
    # A perfect store of current facts lacks days and sources, which the relevant turns have.
    texts = {turn.turn_number: turn.content for turn in told.turns}
    relevant = _answer_scores(
        questions, lambda question: [Passage(turn, texts[turn]) for turn in question.relevant_turns if turn in texts]
    )
    best = [max((one for one in pair if one is not None), default=None) for pair in zip(perfect, relevant, strict=True)]
    return {"floor": mean_of_numbers(floor), "ceiling": mean_of_numbers(best)}


Find = Callable[[Question], Sequence[Passage]]


def _answer_scores(questions: Sequence[Question], find: Find) -> list[float | None]:
    """Return the score of the answer that Assay's reader gives from the passages found for each question."""
    return [grade(question, pick(question.text, find(question), "both").answer).score for question in questions]


def _found_in(texts: Sequence[str]) -> Find:
    index = Index(texts, "both")
    return lambda question: [Passage(place, texts[place]) for place, _ in index.search(question.text, NUM_FOUND)]
