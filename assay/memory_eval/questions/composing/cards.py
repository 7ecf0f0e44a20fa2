"""Cards: several attributes of one entity requested at once, with a false value to avoid."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from assay.memory_eval.questions.composing.answers import form_of_attribute, label_of
from assay.memory_eval.questions.composing.asking import Asking
from assay.memory_eval.questions.composing.question import Ask


def card(asking: Asking, line: str, entity: str, attributes: list[str], rubric: Mapping[str, Any]) -> Ask:
    """Return a question for these attributes, in the category's wording of this name."""
    labels = asking.listed([label_of(name) for name in attributes])
    text = f"{asking.line(line, entity=entity, labels=labels)} {asking.form_named('file')}"
    return Ask(text, {"op": "on_file", "entity": entity, "attributes": attributes}, rubric)


def poison_of(attribute: str, values: Iterable[Any]) -> dict[str, Any]:
    """Return the rubric entry for values that make an answer wrong wherever they appear."""
    return {"poison": list(values), "poison_type": form_of_attribute(attribute).to_dict()}
