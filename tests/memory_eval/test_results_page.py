"""The page of results has the figures that were measured, of enough systems, within floors and ceiling."""

from __future__ import annotations

import json

import jsonschema

from assay.cli.schema import schema_text
from tests.memory_eval.results_page import BEGIN, END, FIGURES, PAGE, noted, tables


def test_the_tables_are_those_of_the_figures():
    page = PAGE.read_text("utf-8")
    between = page[page.index(BEGIN) : page.index(END)]
    assert between.strip() == "\n".join(tables(noted())).strip()
    jsonschema.Draft202012Validator(json.loads(schema_text("memory-ranking"))).validate(
        json.loads(FIGURES.read_bytes())
    )


def test_at_least_five_systems_stand_between_floors_and_ceiling():
    ranking = noted()
    systems = [row for row in ranking.rows if not row.agent.startswith("baseline:")]
    assert len({row.system for row in systems}) >= 5
    assert all(row.num_runs == len(ranking.exams) == 3 for row in ranking.rows)
    assert {row.agent for row in ranking.references} == {
        "empty store",
        "random turns",
        "last quarter of the dialogue",
        "perfect store",
    }
    ceiling = max(row.evidence_recall_at_10 or 0 for row in ranking.references)
    assert all(0 < (row.evidence_recall_at_10 or 0) < ceiling for row in systems)
