"""Each of our semgrep rules, run by the real semgrep over what it must find and what it must leave alone: one run."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from assay.validators.io import process
from assay.validators.tools.scanners.bandit import IF_ALONE, TESTS
from assay.validators.tools.scanners.export import Exported
from assay.validators.tools.scanners.secrets import secrets_in
from assay.validators.tools.scanners.semgrep import command
from assay.validators.tools.scanners.semgrep_rules import OUR_RULES, write_rules
from assay.validators.tools.scanners.semgrep_words import WORDS, may_match, rules_that_may_match
from assay.validators.tools.scanners.squawk import RULES as SQUAWK_RULES
from assay.validators.vcs.trees import FolderTree
from tests.conftest import ROOT
from tests.tables import read_yaml

CASES = ROOT / "tests" / "cases" / "semgrep"
SUFFIXES = {"python": ".py", "javascript": ".tsx", "any": ".txt"}
PIECES = {
    (rule, kind, number): (language, piece)
    for language in SUFFIXES
    for rule, kinds in read_yaml(CASES / f"{language}.yaml").items()
    for kind, pieces in kinds.items()
    for number, piece in enumerate(pieces)
}
SPLIT = {
    "python-hardcoded-credential": [
        'api_key = "sk9fK2mQ8" + "vL4xT7zR1"\n',
        'api_key = "sk9fK2mQ8" "vL4xT7zR1"\n',
        'KEY = "sk9fK2mQ8vL4xT7zR1"\nconnect(api_key=KEY)\n',
        'options["api" + "_key"] = "sk9fK2mQ8vL4xT7zR1"\n',
    ],
    "python-hardcoded-password": ['password = "hun" + "ter2!x"\n', "password = 'hun' 'ter2!x'\n"],
    "python-jwt-unverified": ['import jwt\njwt.decode(t, k, algorithms=["no" + "ne"])\n'],
    "javascript-hardcoded-credential": ['const apiKey = "sk9fK2mQ8" + "vL4xT7zR1";\n'],
}
"""Rule -> code with strings in pieces. semgrep joins them, so it may find something in each."""
RULES = {
    rule["id"]: (path.stem, rule) for path in sorted(OUR_RULES.glob("*.yaml")) for rule in read_yaml(path)["rules"]
}


@dataclass(frozen=True)
class Found:
    """Name of each piece -> the rules that found something in it, and the semgrep that ran."""

    rules: dict[str, set[str]]
    version: str


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Found:
    """The one run over all pieces."""
    folder = tmp_path_factory.mktemp("semgrep")
    rules: dict[str, set[str]] = {}
    for (rule, kind, number), (language, piece) in PIECES.items():
        # No file of this project may hold what looks like a secret: the cases are written with a mark in it.
        name = f"{rule}.{kind}.{number}{SUFFIXES[language]}"
        if language == "any":
            file = Exported("head", name, name, piece.replace("~", "").split("\n"))
            rules[name] = {sighting.rule for sighting in secrets_in(file)}
            continue
        path = folder / "pieces" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(piece, "utf-8")
    for rule, pieces in SPLIT.items():
        for number, piece in enumerate(pieces):
            language = rule.partition("-")[0]
            (folder / "pieces" / f"{rule}.split.{number}{SUFFIXES[language]}").write_text(piece, "utf-8")
    (folder / "rules").mkdir()
    rules_files = write_rules(FolderTree("base", str(folder), ()), folder / "rules").files
    words = command(process.semgrep_program(), rules_files, ["pieces"])
    environment = process.clean_environment({"HOME": str(folder)})
    done = process.run(words, cwd=folder, env=environment, timeout_s=120)
    answer: dict[str, Any] = json.loads(done.stdout)
    assert answer["errors"] == []
    rules |= {Path(name).name: set() for name in answer["paths"]["scanned"]}
    for result in answer["results"]:
        rules[Path(result["path"]).name].add(result["check_id"])
    return Found(rules, answer["version"])


@pytest.mark.parametrize(("rule", "kind", "number"), PIECES, ids=str)
def test_a_rule_finds_and_passes_what_it_should(found: Found, rule: str, kind: str, number: int):
    language, piece = PIECES[rule, kind, number]
    rules = found.rules[f"{rule}.{kind}.{number}{SUFFIXES[language]}"]
    assert (rule in rules) is (kind == "finds"), piece
    # A weaker rule, or one that is weaker than the same rule, may speak of the same lines; nothing else may join in.
    stronger = {rule, RULES[rule][1]["metadata"].get("weaker_than")} - {None}
    others = {other for other in rules - {rule} if RULES[other][1]["metadata"].get("weaker_than") not in stronger}
    assert others == set(), piece


def test_every_rule_has_both_kinds_of_cases():
    cases = {(rule, kind) for rule, kind, _ in PIECES}
    assert {rule for rule, _ in cases} == set(RULES)
    assert [rule for rule in RULES if not {(rule, "finds"), (rule, "passes")} <= cases] == []


def test_there_are_enough_rules_for_each_language():
    languages = [language for language, _ in RULES.values()]
    assert languages.count("python") >= 16
    assert languages.count("javascript") >= 15


@pytest.mark.parametrize("name", RULES)
def test_a_rule_says_what_to_do_and_gates_only_for_a_reason(name: str):
    language, rule = RULES[name]
    assert name.startswith(f"{language}-") or language == "any"
    assert rule["metadata"]["suggestion"].endswith(".")
    assert rule["message"].endswith(".")
    assert rule["severity"] in ("ERROR", "WARNING", "INFO")
    assert set(rule["metadata"].get("weaker_than", "").split()) <= set(RULES)
    gates = {"from-request", "credential", "token", "private-key", "jwt", "secret"}
    assert (rule["severity"] != "ERROR") or any(word in name for word in gates)


def test_every_rule_has_its_row_with_its_severity_in_the_documents():
    document = (ROOT / "docs" / "scanners.md").read_text("utf-8")
    rows = re.findall(r"^\| `([a-z-]+)` \| (error|warning|info) \|", document, re.MULTILINE)
    assert dict(rows) == {name: rule["severity"].lower() for name, (_, rule) in RULES.items()}
    mentioned = set(re.findall(r"`([\w-]+)`", document))
    assert {*TESTS, *IF_ALONE, *SQUAWK_RULES} <= mentioned


def test_semgrep_is_new_enough(found: Found):
    """Older ones come along silently where another package pins what semgrep needs new."""
    assert tuple(int(part) for part in re.findall(r"\d+", found.version)[:2]) >= (1, 180)


def test_no_rule_is_left_out_where_it_finds_something():
    ours = {rule for rule, (language, _) in RULES.items() if language != "any"}
    assert set(WORDS) == ours
    missed = []
    for (rule, kind, number), (language, piece) in PIECES.items():
        text = piece.replace("~", "")
        if (kind == "finds" and language != "any") and (
            rule not in rules_that_may_match(language, text) or not may_match(f"a{SUFFIXES[language]}", text)
        ):
            missed.append((rule, number))
    assert missed == []


def test_no_rule_is_left_out_where_semgrep_puts_strings_together(found: Found):
    joined = set()
    for rule, pieces in SPLIT.items():
        language = rule.partition("-")[0]
        for number, piece in enumerate(pieces):
            if rule in found.rules[f"{rule}.split.{number}{SUFFIXES[language]}"]:
                joined.add(rule)
                assert rule in rules_that_may_match(language, piece), piece
    assert joined == set(SPLIT)


def test_most_code_needs_no_semgrep():
    assert not may_match("a.py", "def price(n: int) -> int:\n    return n + 1\n")
    assert not may_match("README.md", "The password of the `request` is 'a-b-c-d-e-f-g-1234'.\n")
    assert not may_match("README.md", "-----BEGIN RSA PRIVATE KEY-----\n" + "A" * 64)


def patterns_of(node: Any) -> Iterator[str]:
    """The patterns that a match has, as far as names stand in them."""
    for key, value in node.items() if isinstance(node, dict) else ((None, one) for one in node):
        if key == "pattern":
            yield value
        elif isinstance(value, dict | list) and key not in ("pattern-sanitizers", "metavariable-pattern"):
            yield from patterns_of(value)


@pytest.mark.parametrize("rule", sorted(WORDS))
def test_each_pattern_that_names_something_has_one_of_the_rules_words(rule: str):
    for pattern in patterns_of(RULES[rule][1]):
        plain = re.sub(
            r"\$[A-Z]+|\"[^\"]*\"|\b(?:const|let|var|def|function|return|new|False|True|false)\b", "", pattern
        )
        if re.search(r"[A-Za-z_]{3,}", plain):
            assert any(re.search(word, pattern) for word in WORDS[rule]), pattern
