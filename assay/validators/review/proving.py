"""Demonstrate a claim by a test: it fails on the head by an assertion, and passes on the base or with the fix.

A test of the old behaviour fails on every intended change. So a demonstrated claim is an error only if its expectation
is quoted from a file of the base that the change does not touch, and none if the change itself edits what states it.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assay.llm import ModelUnavailable
from assay.validators.changes.change import ChangeSet, decoded
from assay.validators.changes.classify import Nature
from assay.validators.report.review import Demonstration, Side
from assay.validators.review.claims import Claim, Dropped, Fix
from assay.validators.review.prompting import prompt
from assay.validators.review.questions.asker import Asker
from assay.validators.review.refuting import claim_text
from assay.validators.review.reviewing import Proof
from assay.validators.review.trees import Trees
from assay.validators.tools.trials import Trial, TrialResult, Trials

TEST: dict[str, Any] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["text", "expectation"],
    "properties": {
        "text": {"type": "string"},
        "expectation": {
            "anyOf": [
                {
                    "type": "object",
                    "additionalProperties": False,
                    "required": ["path", "quote"],
                    "properties": {"path": {"type": "string"}, "quote": {"type": "string"}},
                },
                {"type": "null"},
            ]
        },
    },
}
_UNFAIR = re.compile(
    r"\b(?:subprocess|socket|urllib|requests|httpx|aiohttp|inspect|__file__|getsource|importlib|eval|exec|child_process|"
    r"readFileSync|os\.environ|sys\.modules|git)\b|\bopen\s*\("
)
"""What a test does not need, and what could make its outcome depend on anything but the behaviour of the code."""


@dataclass(frozen=True)
class Prover:
    """Writes, by the model, and runs a test for each claim."""

    ask: Asker
    trials: Trials
    trees: Trees

    def __call__(self, claim: Claim) -> Proof:
        """Return what the test shows; without a test that can be run, nothing."""
        path = self.trials.path_for(claim.place.path, _mark(claim))
        if path is None:
            return Proof()
        facts = f"{claim_text(claim, self.trees)}\n\nThe test becomes the file {path}."
        try:
            answer = self.ask.ask(facts, prompt("test").text, TEST)
        except ModelUnavailable:
            return Proof()
        text = answer.get("text")
        if not isinstance(text, str) or not is_fair(text, claim):
            return Proof()
        return proof_of(claim, path, text, answer.get("expectation"), self.trials, self.trees)


def is_fair(text: str, claim: Claim) -> bool:
    """Return whether a test names the code it is about, and nothing that reads source, runs programs or connects."""
    stem = claim.place.path.rpartition("/")[2].partition(".")[0]
    names = [name for name in (claim.symbol.rpartition(".")[2], stem) if name]
    return bool(text.strip()) and _UNFAIR.search(text) is None and any(name in text for name in names)


def proof_of(claim: Claim, path: str, text: str, expectation: Any, trials: Trials, trees: Trees) -> Proof:
    """Return what a test shows about a claim."""
    head = trials.run("head", path, text)
    if head.trial is Trial.passed:
        return Proof(dropped=Dropped.not_demonstrated)
    if head.trial is not Trial.failed:
        return Proof()
    other = _counterpart(claim, path, text, trials, trees)
    if other.trial is Trial.failed:
        return Proof(dropped=Dropped.not_demonstrated)
    if other.trial is not Trial.passed:
        return Proof()
    if states_intent(trees.change, claim.symbol):
        return Proof(dropped=Dropped.intended)
    return Proof(
        is_demonstrated=True,
        is_expectation_quoted=is_quoted(expectation, trees),
        demonstration=Demonstration("", path, text, head.output),
    )


def _counterpart(claim: Claim, path: str, text: str, trials: Trials, trees: Trees) -> TrialResult:
    """Run the test where it has to pass: on the base, or on the head with the fix if the base lacks the code."""
    base = trials.run("base", path, text)
    if base.trial is not Trial.broke or claim.fix is None:
        return base
    fixed = _fixed(claim.fix, trees)
    return base if fixed is None else trials.run("head", path, text, {claim.fix.path: fixed})


def _fixed(fix: Fix, trees: Trees) -> bytes | None:
    content = trees.change.head.read(fix.path)
    if content is None:
        return None
    lines = decoded(content).split("\n")
    lines[fix.start - 1 : fix.end] = fix.text.split("\n")
    return "\n".join(lines).encode("utf-8", "surrogateescape")


def is_quoted(expectation: Any, trees: Trees) -> bool:
    """Return whether an expectation is a quote from a file of the base that the change does not touch."""
    if not isinstance(expectation, Mapping):
        return False
    path, quote = expectation.get("path"), expectation.get("quote")
    if not isinstance(path, str) or not isinstance(quote, str):
        return False
    touched = {one for file in trees.change.files for one in (file.path, file.base_path)}
    return path not in touched and bool(trees.places(Side.base, path, quote))


def states_intent(change: ChangeSet, symbol: str) -> bool:
    """Return whether the change edits a test or a document that names the symbol: it means what it does."""
    name = symbol.rpartition(".")[2]
    if not name:
        return False
    word = re.compile(rf"(?<![\w$]){re.escape(name)}(?![\w$])")
    for file in change.files:
        if file.nature not in (Nature.test, Nature.docs):
            continue
        removed = any(word.search(line) for line in file.removed.values())
        added = any(word.search(line) for line in file.added.values())
        if removed and added:
            return True
    return False


def _mark(claim: Claim) -> str:
    return hashlib.sha256("\0".join(claim.identity).encode("utf-8", "surrogatepass")).hexdigest()[:8]
