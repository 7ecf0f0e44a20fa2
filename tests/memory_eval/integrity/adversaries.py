"""Everyone who tries to beat the exam: the attacks of `attacks.yaml`, each an agent of its own."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from tests.memory_eval.integrity import against_graders, against_questions
from tests.memory_eval.integrity.adversary import NOTHING_PAYS, Attack
from tests.tables import read_yaml

_TABLE = Path(__file__).with_name("attacks.yaml")


@cache
def attacks() -> dict[str, Attack]:
    """Every attack by its name, those on graders first."""
    table = read_yaml(_TABLE)
    found = [_on_grader(row) for row in table["against_graders"]]
    found += [_on_questions(row) for row in table["against_questions"]]
    assert len({one.name for one in found}) == len(found)
    return {one.name: one for one in found}


def _on_grader(row: dict[str, Any]) -> Attack:
    given = against_graders.saying(row["says"]) if "says" in row else getattr(against_graders, row["does"])
    return Attack(given=given, **_told_of(row))


def _on_questions(row: dict[str, Any]) -> Attack:
    return Attack(learned=getattr(against_questions, row["does"]), **_told_of(row))


def _told_of(row: dict[str, Any]) -> dict[str, Any]:
    kept = {name: row[name] for name in ("name", "exploits", "why")}
    return {**kept, "limit": row.get("limit", NOTHING_PAYS), "is_open": row.get("open", False)}
