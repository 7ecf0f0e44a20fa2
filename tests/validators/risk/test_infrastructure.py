"""What a change of infrastructure opens, switches off or deletes: edits of files in tests/cases/infrastructure.yaml."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest

from assay.validators.report.gravity import Gravity
from tests.conftest import ROOT
from tests.examples import one_of_each
from tests.tables import read_yaml
from tests.validators.risk.changes import Changes, assess, said_of


class Edit(NamedTuple):
    """One edit of a file, and what is stated of it; "" for nothing."""

    file: str
    base: str
    head: str
    says: str
    number: str


def _edits() -> Iterator[Edit]:
    for group in read_yaml(ROOT / "tests" / "cases" / "infrastructure.yaml"):
        file, text = group["file"], group["text"]
        for at, (old, new, says, *ways) in enumerate(group["planted"]):
            assert text.count(old) == 1, (file, old)
            head = text.replace(old, new)
            yield Edit(file, text, head, says, f"{at}")
            if not ways:
                yield Edit(file, head, text, "", f"{at} taken back")
        for at, (old, new, *ways) in enumerate(group["fine"]):
            assert old in text, (file, old)
            head = text.replace(old, new)
            yield Edit(file, text, head, "", f"fine {at}")
            if not ways:
                yield Edit(file, head, text, "", f"fine {at} taken back")


ALL = list(_edits())
FIRST_OF_EACH = one_of_each(range(len(ALL)), lambda index: (ALL[index].file, ALL[index].says[:1] != ""))


@pytest.fixture(scope="module")
def changes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Changes]:
    folder = tmp_path_factory.mktemp("infrastructure") / "repository"
    with Changes(folder, [({one.file: one.base}, {one.file: one.head}) for one in ALL]) as made:
        yield made


@pytest.mark.parametrize("index", FIRST_OF_EACH, ids=[f"{one.file} {one.number}" for one in ALL])
def test_an_edit_is_stated_with_its_place_and_resource(changes: Changes, index: int):
    assert ALL[index].says in _one_text(assess(changes.at(index), only="shared_infrastructure"))
    if not ALL[index].says:
        assert _one_text(assess(changes.at(index), only="shared_infrastructure")) == ""


def _one_text(assessment: Any) -> str:
    said = [one for one in said_of(assessment, "shared_infrastructure") if one.gravity is not Gravity.remark]
    assert [one for one in assessment.not_checked if "failed" in one.why or one.question == "infrastructure"] == []
    return "\n".join(f"{one.file}:{one.line} {one.kind} {one.text}" for one in said)
