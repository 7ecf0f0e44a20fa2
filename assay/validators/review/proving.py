"""Demonstrate a claim by a test: it fails on the head by an assertion, and passes on the base or with the fix.

A test of the old behaviour fails on every intended change. So a demonstrated claim is an error only if its expectation
is quoted from lines about the code in a file of the base that the change does not touch, and the change edits no test.
It is dropped if the change edits a test or document that names the code.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
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
NEAR = 10
"""Lines before and after a quoted expectation in which the code may be named."""
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
    """Return whether a test names the code it is about, and nothing that reads source, runs programs or connects.

    Code is named by its definition, its module, or a package around it, which may offer it under its own name.
    """
    names = [*_names(claim), _stem(claim), *claim.place.path.split("/")[:-1]]
    return _UNFAIR.search(text) is None and _word(names).search(text) is not None


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
        is_expectation_quoted=not edits_tests(trees.change) and is_quoted(claim, expectation, trees),
        demonstration=Demonstration("", path, text, head.output),
    )


def _counterpart(claim: Claim, path: str, text: str, trials: Trials, trees: Trees) -> TrialResult:
    """Run the test where it has to pass: on the base, or on the head with the fix if the base lacks the code.

    One that passes on the base has to pass in the head's folder with the base's sources too: a test can tell the two
    folders apart by their paths, their packages or what is left in them.
    """
    base = trials.run("base", path, text)
    if base.trial is Trial.passed:
        same_folder = trials.run("head", path, text, _former_sources(trees.change))
        return base if same_folder.trial is Trial.passed else TrialResult(Trial.broke, "it depends on the folder")
    if base.trial is not Trial.broke or claim.fix is None:
        return base
    fixed = _fixed(claim.fix, trees)
    return base if fixed is None else trials.run("head", path, text, {claim.fix.path: fixed})


def _former_sources(change: ChangeSet) -> dict[str, bytes]:
    """Return the base's content of every file that the change edits, deletes or renames, tests aside."""
    paths = (file.base_path for file in change.files if file.nature is not Nature.test)
    contents = {path: change.base.read(path) for path in paths if path is not None}
    return {path: content for path, content in contents.items() if content is not None}


def _fixed(fix: Fix, trees: Trees) -> bytes | None:
    content = trees.change.head.read(fix.path)
    if content is None:
        return None
    lines = decoded(content).split("\n")
    lines[fix.start - 1 : fix.end] = fix.text.split("\n")
    return "\n".join(lines).encode("utf-8", "surrogateescape")


def is_quoted(claim: Claim, expectation: Any, trees: Trees) -> bool:
    """Return whether an expectation is a quote about the code of a claim, from a base file the change does not touch.

    The code is named in the quoted lines, or in the `NEAR` lines before and after.
    """
    if not isinstance(expectation, Mapping):
        return False
    path, quote = expectation.get("path"), expectation.get("quote")
    if not isinstance(path, str) or not isinstance(quote, str):
        return False
    if path in {one for file in trees.change.files for one in (file.path, file.base_path)}:
        return False
    lines = trees.lines(Side.base, path) or []
    named = _word(_names(claim) or [_stem(claim)])
    places = trees.places(Side.base, path, quote)
    return any(named.search("\n".join(lines[max(0, one.start - 1 - NEAR) : one.end + NEAR])) for one in places)


def _names(claim: Claim) -> list[str]:
    """Return the name of the definition that a claim is in; of `__init__` and the like, of its class."""
    parts = [part for part in claim.symbol.split(".") if part and not re.fullmatch(r"__\w+__", part)]
    return parts[-1:]


def _stem(claim: Claim) -> str:
    """Return the name of a claim's module; of `__init__.py`, of its package."""
    parts = claim.place.path.split("/")
    stem = parts[-1].partition(".")[0]
    return parts[-2] if stem in ("__init__", "index", "mod") and len(parts) > 1 else stem


def _word(names: Sequence[str]) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w$])(?:{'|'.join(map(re.escape, names))})(?![\w$])")


def edits_tests(change: ChangeSet) -> bool:
    """Return whether the change removes or edits lines of existing tests: what they expected is no longer certain."""
    return any(file.nature is Nature.test and file.removed for file in change.files)


def states_intent(change: ChangeSet, symbol: str) -> bool:
    """Return whether the change edits a test or a document that names the symbol: it means what it does."""
    name = symbol.rpartition(".")[2]
    if not name:
        return False
    word = _word([name])
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
