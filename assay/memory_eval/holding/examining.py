"""The memory figures of a report: what an agent's store holds and what its retriever finds, with floors and ceiling."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from assay.memory_eval.adapters.extracting.answering import NUM_FOUND, pick
from assay.memory_eval.adapters.extracting.clauses import Passage
from assay.memory_eval.adapters.extracting.retrieval import OURS, Index
from assay.memory_eval.adapters.remote import RemoteAgent
from assay.memory_eval.adapters.snapshots.snapshot import STATES
from assay.memory_eval.errors import AgentCallFailed, AgentFailed, CannotRetrieve
from assay.memory_eval.exam.held_exam import HeldExam
from assay.memory_eval.graders.rules import grade
from assay.memory_eval.holding.evidence import Evidence, Retrieve, evidence_found
from assay.memory_eval.holding.matcher import Matcher
from assay.memory_eval.holding.measuring import Measures, measured_store
from assay.memory_eval.holding.reference import perfect_store, tail_store
from assay.memory_eval.holding.stored import Stored, stored_of
from assay.memory_eval.holding.told import Told, told_of
from assay.memory_eval.report.measures import mean_of_numbers
from assay.memory_eval.truth import Question
from assay.memory_eval.world.attributes import label_of
from assay.seeded_random import Draws
from assay.statistics import bounds_of_rate

NO_RETRIEVE = "the memory itself was not measured: that needs the agent's `retrieve`"
LOOKUP_DEPTH = 20
"""Texts retrieved for each key of the world where a store cannot be read as a whole."""
MOST_LOOKUPS = 5_000
"""Keys looked up; a larger world is measured by its snapshot only."""
MOST_COMPARED = 50_000
"""Facts of a world above which no floors and no ceiling are computed."""


def memory_figures(
    exam: HeldExam, agent: RemoteAgent, search_times_s: list[float], *, may_call: bool, by_rules: bool
) -> tuple[dict[str, Any], list[str]]:
    """Return the memory fields of a report, empty without any, and notes about what could not be measured.

    `may_call` is false if the agent holds nothing to retrieve, as after a resume of a finished run. With `by_rules`
    the answers are graded without a judge, so that those of floors and ceiling can be graded too. The duration of each
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
    turns = exam.turns() if entries is not None or retrieve is not None else ()
    told = told_of(turns)
    if not told.facts:
        return {}, notes
    matcher = Matcher(told)
    stored = None if entries is None else stored_of(entries)
    try:
        if stored is None and retrieve is not None:
            stored = _looked_up(told, retrieve)
        is_whole = entries is not None
        evidence = _evidence(matcher, exam, stored if is_whole else None, (agent.retriever, retrieve))
    except (AgentCallFailed, AgentFailed) as failed:
        return {}, [*notes, f"the memory was not measured: {failed}"]
    if stored is None:
        return {}, [*notes, f"the memory was not measured: more than {MOST_LOOKUPS:,} keys to look up"]
    source = "retrieve" if entries is None else "entries"
    measures = measured_store(matcher, stored)
    found = _retrieval_references(matcher, exam) if evidence else {}
    questions = exam.questions if agent.reader and by_rules else ()
    return _fields(measures, evidence, source, _references(matcher, questions), found), notes


def _retriever(agent: RemoteAgent, times_s: list[float]) -> Retrieve:
    def retrieve(question: str, k: int) -> list[str]:
        began_at_s = time.monotonic()
        texts = [one.text for one in agent.retrieve(question, k)]
        times_s.append(time.monotonic() - began_at_s)
        return texts

    return retrieve


def _looked_up(told: Told, retrieve: Retrieve) -> list[Stored] | None:
    """Return the distinct texts that a look-up of every key finds; None if there are too many keys."""
    keys = list(dict.fromkeys(one.key for one in told.facts))
    if len(keys) > MOST_LOOKUPS:
        return None
    texts: dict[str, None] = {}
    for entity, attribute in keys:
        texts.update(dict.fromkeys(retrieve(f"{label_of(attribute)} of {entity}", LOOKUP_DEPTH)))
    return [Stored(text) for text in texts]


def _evidence(
    matcher: Matcher, exam: HeldExam, stored: Sequence[Stored] | None, named: tuple[str, Retrieve | None]
) -> dict[str, Evidence]:
    """Return the evidence found by each retriever: the agent's own, and Assay's over the entries of its store."""
    name, retrieve = named
    retrievers = {} if retrieve is None else {name: retrieve}
    if stored is not None and OURS not in retrievers:
        retrievers[OURS] = ours([one.text for one in stored if one.state == "live"])
    return {name: evidence_found(matcher, exam.questions, one) for name, one in retrievers.items()}


def ours(texts: Sequence[str]) -> Retrieve:
    """Return Assay's retriever over texts, by words and by meaning."""
    index = Index(texts, "both")
    return lambda question, k: [texts[place] for place, _ in index.search(question, k)]


def _references(matcher: Matcher, questions: Sequence[Question]) -> dict[str, dict[str, float | None]]:
    """Return floors and ceiling on the same facts and questions: an empty store, the tail, and a perfect store."""
    told = matcher.told
    if len(told.facts) > MOST_COMPARED:
        return {}
    stores = {"empty": [], "tail": tail_store(told), "perfect": perfect_store(told)}
    scores = {
        name: _answer_scores(questions, _found_in([one.text for one in stored if not one.is_ended]))
        for name, stored in stores.items()
    }
    # A perfect store of current facts lacks days and sources, which the relevant turns have.
    texts = {turn.turn_number: turn.content for turn in told.turns}
    relevant = _answer_scores(
        questions, lambda question: [Passage(turn, texts[turn]) for turn in question.relevant_turns if turn in texts]
    )
    pairs = zip(scores["perfect"], relevant, strict=True)
    scores["perfect"] = [max((one for one in pair if one is not None), default=None) for pair in pairs]
    return {name: _reference(measured_store(matcher, stores[name]), mean_of_numbers(scores[name])) for name in stores}


def _retrieval_references(matcher: Matcher, exam: HeldExam) -> dict[str, Evidence]:
    """Return floors and ceiling of evidence recall: random turns, the last turns, and the relevant turns themselves."""
    texts = [turn.content for turn in matcher.told.turns]
    if len(matcher.told.facts) > MOST_COMPARED:
        return {}
    draws = Draws(f"random turns:{len(texts)}")
    relevant = {
        one.text: [texts[turn - 1] for turn in one.relevant_turns if turn <= len(texts)] for one in exam.questions
    }
    retrievers: dict[str, Retrieve] = {
        "random": lambda _, k: draws.some(texts, min(k, len(texts))),
        "tail": lambda _, k: texts[: -k - 1 : -1],
        "oracle": lambda question, k: relevant[question][:k],
    }
    return {name: evidence_found(matcher, exam.questions, one) for name, one in retrievers.items()}


def _reference(measures: Measures, answer_score: float | None) -> dict[str, float | None]:
    held = measures.held
    return {
        "answer_score": answer_score,
        "fact_recall": sum(held) / len(held) if held else None,
        "staleness": measures.staleness.share,
        "precision": measures.precision,
    }


Find = Callable[[Question], Sequence[Passage]]


def _answer_scores(questions: Sequence[Question], find: Find) -> list[float | None]:
    """Return the score of the answer that Assay's reader gives from the passages found for each question."""
    return [grade(question, pick(question.text, find(question), "both").answer).score for question in questions]


def _found_in(texts: Sequence[str]) -> Find:
    index = Index(texts, "both")
    return lambda question: [Passage(place, texts[place]) for place, _ in index.search(question.text, NUM_FOUND)]


def _fields(
    measures: Measures,
    evidence: dict[str, Evidence],
    source: str,
    references: dict[str, Any],
    found: dict[str, Evidence],
) -> dict[str, Any]:
    """Return the fields of `EvalReport` that describe the memory."""
    held, current, staleness = measures.held, measures.current, measures.staleness
    forgotten = measures.forgotten
    first = next(iter(evidence.values()), None)
    return {
        "fact_recall": sum(held) / len(held) if held else None,
        "staleness": staleness.share,
        "precision": measures.precision,
        "forgetting": sum(not states for states in forgotten.values()) / len(forgotten) if forgotten else None,
        "evidence_recall_at": {} if first is None else first.recall_at,
        "mrr": None if first is None else first.mrr,
        "memory": {
            "source": source,
            "num_facts": len(held),
            "num_held": sum(held),
            "fact_recall_interval": bounds_of_rate(sum(held), len(held)),
            "num_keys": len({one.key for one in measures.told.facts if one.status == "current"}),
            "num_current": len(current),
            "num_current_held": sum(current),
            "current_recall": sum(current) / len(current) if current else None,
            "current_recall_interval": bounds_of_rate(sum(current), len(current)),
            "words_stored_per_word_told": measures.size,
            "num_entries": measures.contents.num_entries,
            "staleness": {**asdict(staleness), "interval": _stale_interval(measures)},
            "num_supported": measures.num_supported,
            "num_contradicted": measures.num_contradicted,
            "precision_interval": bounds_of_rate(
                measures.num_supported, measures.num_supported + measures.num_contradicted
            ),
            "poisoning": {"planted": len(measures.told.planted), "survived": len(measures.contents.planted)},
            "forgetting": {
                "requests": len(forgotten),
                **{f"in_{state}": sum(state in states for states in forgotten.values()) for state in STATES},
            },
            "evidence": {name: asdict(one) for name, one in evidence.items()},
            "evidence_references": {name: asdict(one) for name, one in found.items()},
            "references": references,
            "facts_digest": measures.told.digest,
            "held": "".join("01"[one] for one in held),
        },
    }


def _stale_interval(measures: Measures) -> list[float] | None:
    kept = measures.staleness
    return bounds_of_rate(kept.stale_only + kept.both, kept.num_keys)
