"""A model's claim is kept only if the code confirms every quote in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.validators.report.model import Finding, RiskAssessment, Severity, Tier
from assay.validators.report.review import ReviewQuestion, Side
from assay.validators.review.claims import Claim, Consequence, Dropped, Place
from assay.validators.review.questions.checking import check_answer, without_duplicates
from assay.validators.review.questions.schemas import MOST_CLAIMS
from assay.validators.review.quotes import spans
from assay.validators.review.raising import raised
from assay.validators.review.refuting import Verdict, verdict_of
from assay.validators.review.trees import Trees
from tests.validators.review.conftest import MakeChange

BASE = {
    "shop/cart.py": (
        "def total(items):\n    return sum(item.price for item in items)\n\n\ndef empty(cart):\n    cart.clear()\n"
    ),
    "shop/a.py": "class A:\n    def save(self):\n        self.store.put(self)\n",
    "shop/b.py": "class B:\n    def save(self):\n        self.store.put(self)\n",
    "shop/c.py": "class C:\n    def save(self):\n        self.store.put(self)\n",
}
HEAD = {"shop/cart.py": BASE["shop/cart.py"].replace("in items)", "in items[1:])")}
CHANGED = "    return sum(item.price for item in items[1:])"
SIBLINGS = [{"side": "head", "path": f"shop/{name}.py", "quote": "        self.store.put(self)"} for name in "abc"]


@pytest.fixture
def trees(make_change: MakeChange) -> Trees:
    return Trees(make_change(BASE, HEAD))


def claimed(**other: Any) -> dict[str, Any]:
    """A claim that passes every check."""
    return {
        "aspect": "behaviour",
        "place": placed(),
        "statement": "total() leaves out the first item",
        "input": "total([Item(price=3)])",
        "expected": "3, the sum of all prices, as the callers use it",
        "actual": "0: the slice starts at index 1",
        "consequence": "wrong_result",
        "evidence": [],
        "fix": None,
    } | other


def placed(**other: Any) -> dict[str, Any]:
    return {"side": "head", "path": "shop/cart.py", "quote": CHANGED} | other


def check(trees: Trees, *claims: Any, question: ReviewQuestion = ReviewQuestion.correctness, **options: Any):
    return check_answer(question, {"findings": list(claims)}, trees, **options)


def test_a_claim_whose_quote_is_a_changed_line_is_kept_with_its_place_and_symbol(trees: Trees):
    (claim,) = check(trees, claimed()).claims
    assert (claim.place, claim.symbol) == (Place(Side.head, "shop/cart.py", 2, 2, CHANGED), "total")
    assert [name for name, _ in claim.details] == ["input", "expected", "actual"]


def test_a_quote_may_be_indented_differently_and_nothing_else(trees: Trees):
    assert check(trees, claimed(place=placed(quote=CHANGED.strip()))).claims
    assert check(trees, claimed(place=placed(quote=CHANGED.replace("price", "prize")))).dropped == [
        Dropped.quote_missing
    ]


@pytest.mark.parametrize(
    ("claim", "why"),
    [
        (claimed(place=placed(path="shop/none.py")), Dropped.unknown_file),
        (claimed(place=placed(path="../../etc/passwd")), Dropped.unknown_file),
        (claimed(place=placed(path="shop/a.py", quote="        self.store.put(self)")), Dropped.unknown_file),
        (claimed(place=placed(quote="    cart.clear()")), Dropped.not_changed),
        (claimed(place=placed(quote="    return sum(item.price for item in items)")), Dropped.quote_missing),
        (claimed(place=placed(quote=")")), Dropped.quote_missing),
        (claimed(place=placed(quote="")), Dropped.quote_missing),
        (claimed(place="shop/cart.py:2"), Dropped.invalid),
        (claimed(aspect="style"), Dropped.invalid),
        (claimed(consequence="terrible"), Dropped.invalid),
        (claimed(input=""), Dropped.invalid),
        (claimed(actual=None), Dropped.invalid),
        (claimed(statement="total() might leave out an item"), Dropped.hedged),
        (claimed(statement="This could leave out `items[0]`"), Dropped.hedged),
        (claimed(statement="The docstring says that it sums, and it seems to skip one"), Dropped.hedged),
        (claimed(statement="Consider including the first item"), Dropped.hedged),
        (claimed(statement="The first item is lost. Please verify that it is not"), Dropped.hedged),
        (claimed(evidence=[placed(path="shop/a.py", quote="        self.store.pop(self)")]), Dropped.evidence_missing),
        (claimed(evidence="shop/a.py"), Dropped.invalid),
        ("total() is wrong", Dropped.invalid),
        (None, Dropped.invalid),
    ],
)
def test_a_claim_that_the_code_does_not_confirm_is_dropped(trees: Trees, claim: Any, why: Dropped):
    checked = check(trees, claim)
    assert (checked.claims, checked.dropped) == ([], [why])


TRUE = [
    "the query parameter next, e.g. next=https://evil.test",
    "the name, with the value <img src=x onerror=alert(1)>",
    "handlers[name](request) raises KeyError for an unknown name",
    "a form with the field data: None",
    "The new loop does not consider negative offsets, so seek(-1) returns the first line",
    "the docstring says that the value might be None, and the head calls len(value)",
    "tests/test_api.py verify that status is 200 for an empty body",
    "total() divides by a count that may be 0, and the cart of a guest could be None",
    "the comment `might be empty` is lost, and so is “it could be None”",
    "the callers' message 'this may fail' becomes \"it probably failed\"",
]


@pytest.mark.parametrize("text", TRUE)
def test_no_claim_is_dropped_for_the_form_of_its_text(trees: Trees, text: str):
    (claim,) = check(trees, claimed(statement=text, input=text, expected=text, actual=text)).claims
    assert claim.statement == text
    assert {said for _, said in claim.details} == {text}


def test_details_may_doubt(trees: Trees):
    assert check(trees, claimed(actual="It might be 0, or perhaps None: the callers see both")).claims


def test_a_removed_line_can_be_quoted_from_the_base(trees: Trees):
    removed = placed(side="base", quote="    return sum(item.price for item in items)")
    (claim,) = check(trees, claimed(place=removed)).claims
    assert (claim.place.side, claim.place.start) == (Side.base, 2)


def test_a_design_claim_needs_three_siblings_elsewhere(trees: Trees):
    claim = {"aspect": "pattern", "what_breaks": "the store is not told"}
    two = check(trees, claimed(**claim, evidence=SIBLINGS[:2]), question=ReviewQuestion.design)
    same = check(trees, claimed(**claim, evidence=[*SIBLINGS[:2], SIBLINGS[0]]), question=ReviewQuestion.design)
    assert (two.dropped, same.dropped) == ([Dropped.few_siblings], [Dropped.few_siblings])
    assert check(trees, claimed(**claim, evidence=SIBLINGS), question=ReviewQuestion.design).claims


def test_a_contract_claim_needs_a_place_besides_its_own(trees: Trees):
    claim = claimed(aspect="caller", left_behind="the shop", what_breaks="its sum")
    alone = check(trees, claim | {"evidence": [claim["place"]]}, question=ReviewQuestion.contract)
    assert alone.dropped == [Dropped.evidence_missing]
    assert check(trees, claim | {"evidence": SIBLINGS[:1]}, question=ReviewQuestion.contract).claims


@pytest.mark.parametrize(
    ("finding", "is_same"),
    [
        ({"rule": "arg-type", "tool": "mypy", "severity": Severity.error}, True),
        ({"rule": "contracts.call-arguments"}, True),
        ({"rule": "learned_rules.0123456789ab", "tool": "model", "line": 1, "end_line": 2}, True),
        ({"rule": "contracts.call-arguments", "severity": Severity.info}, False),
        ({"rule": "design.direction"}, False),
        ({"rule": "E501", "tool": "ruff", "severity": Severity.error}, False),
        ({"rule": "repository_rules.names", "tool": "model", "message": "Names say it: i says nothing"}, False),
        ({"rule": "contracts.call-arguments", "line": 1}, False),
        ({"rule": "contracts.call-arguments", "file": "shop/a.py"}, False),
    ],
    ids=str,
)
def test_a_finding_removes_a_claim_of_its_kind_alone(trees: Trees, finding: dict[str, Any], is_same: bool):
    said = "Sums are whole (asked for before: #3 by ann): total() leaves out the first item"
    same = {"message": said} if finding["rule"].startswith("learned_rules") else {"message": "a call fails"}
    given: dict[str, Any] = {"severity": Severity.warning, "file": "shop/cart.py", "line": 2} | same | finding
    checked = check(trees, claimed(consequence="crash"), reported=[Finding(Tier.quality, **given)])
    assert checked.dropped == [Dropped.already_reported] * is_same
    assert len(checked.claims) == (not is_same)


def test_an_answer_has_a_maximum_of_claims(trees: Trees):
    checked = check(trees, *[claimed()] * 200)
    assert (len(checked.claims), checked.dropped.count(Dropped.over_limit)) == (MOST_CLAIMS, 200 - MOST_CLAIMS)


@pytest.mark.parametrize("value", [None, [], {"findings": {}}, {"findings": None}, {}, "none"])
def test_an_answer_of_another_form_is_one_dropped_claim(trees: Trees, value: Any):
    assert check_answer(ReviewQuestion.correctness, value, trees).dropped == [Dropped.invalid]


def test_a_local_fix_is_kept_with_its_lines_and_any_other_is_left_out(trees: Trees):
    def fix(old: str, new: str, **other: Any):
        (claim,) = check(trees, claimed(fix={"old": old, "new": new}, **other)).claims
        return claim.fix

    kept = fix(CHANGED, "    return sum(item.price for item in items)")
    assert kept is not None
    assert (kept.path, kept.start, kept.end, kept.text) == (
        "shop/cart.py",
        2,
        2,
        "    return sum(item.price for item in items)",
    )
    assert fix(CHANGED.strip(), "return 0") is None  # not the lines' own indentation
    assert fix("def total(items):", "def total(items: list):") is not None
    assert fix("    cart.clear()", "    pass") is None  # four lines away
    assert fix(CHANGED, CHANGED) is None
    assert fix(CHANGED, "\n".join(["    x = 1"] * 30)) is None
    assert fix("    nowhere", "    pass") is None


def test_two_claims_about_one_place_become_the_worse_one(trees: Trees):
    milder = claimed(consequence="maintenance", statement="total() has an odd slice")
    kept, dropped = without_duplicates(check(trees, milder, claimed()).claims)
    assert [one.consequence for one in kept] == [Consequence.wrong_result]
    assert [one.consequence for one in dropped] == [Consequence.maintenance]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=12,
)


@given(
    fields=st.dictionaries(st.sampled_from(sorted(claimed())), JSON, max_size=4),
    question=st.sampled_from(ReviewQuestion),
)
def test_no_answer_raises_and_every_claim_is_kept_or_counted(fields: Mapping[str, Any], question: ReviewQuestion):
    checked = check_answer(question, {"findings": [claimed(**fields)]}, _NO_TREES)
    assert len(checked.claims) + len(checked.dropped) == 1


@pytest.mark.parametrize("value", [[], {}, ["head"]], ids=str)
def test_a_list_or_an_object_in_place_of_a_word_is_no_answer(value: Any):
    assert not check_answer(ReviewQuestion.correctness, {"findings": [claimed(consequence=value)]}, _NO_TREES).claims
    place = {"side": value, "path": "a.py", "quote": "x"}
    assert not check_answer(ReviewQuestion.correctness, {"findings": [claimed(place=place)]}, _NO_TREES).claims
    assert verdict_of({"verdict": value}, _NO_TREES) is Verdict.cannot_tell
    assert verdict_of({"verdict": "stands", "evidence": [place]}, _NO_TREES) is Verdict.cannot_tell
    factor = {"kind": "data", "level": value, "path": "a.py", "quote": "x", "scenario": "s"}
    assert raised(RiskAssessment(), {"factors": [factor]}, _NO_TREES).num_dropped == 1


class _Empty:
    files = ()

    class base:  # noqa: N801 - the field of a change
        @staticmethod
        def read(path: str, limit: int) -> None: ...

    head = base


_NO_TREES = Trees(_Empty())  # type: ignore[arg-type]  # a change without files


@given(lines=st.lists(st.text(alphabet="ab \t(", max_size=6), max_size=12), data=st.data())
def test_every_span_holds_the_quoted_lines(lines: list[str], data: st.DataObject):
    start = data.draw(st.integers(0, max(0, len(lines) - 1)))
    quote = "\n".join(lines[start : start + 3])
    wanted = [line.strip() for line in quote.strip("\n").split("\n")]
    for first, last in spans(lines, quote):
        found = [line.strip() for line in lines[first - 1 : last]]
        assert "\n".join(found).strip("\n") == "\n".join(wanted).strip("\n") or wanted[0] in found[0]


def test_a_claim_keeps_its_identity_over_indentation_and_shifted_lines(trees: Trees):
    (claim,) = check(trees, claimed()).claims
    moved = Claim(**{name: getattr(claim, name) for name in claim.__slots__} | {"place": _moved(claim.place)})
    assert moved.identity == claim.identity


def _moved(place: Place) -> Place:
    return Place(place.side, place.path, place.start + 7, place.end + 7, "\t" + place.text)
