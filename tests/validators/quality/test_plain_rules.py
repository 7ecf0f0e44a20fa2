"""Sentences that are rules: a few are recognized as a whole, and checked on added lines without a model."""

from __future__ import annotations

import pytest

from assay.validators.quality.plain_rules.sentences import PLAIN_RULES, plain_rule
from tests.validators.quality.conftest import Judge

RECOGNIZED = {
    "any": [
        "no any types",
        "No `any` types.",
        "Avoid the any type",
        "Don\u2019t use any",
        "no TypeScript any",
        "use explicit types",
    ],
    "print": [
        "No print statements",
        "never use print()",
        "Use logging instead of print",
        "no prints",
        "no print in Python",
    ],
    "console.log": ["No console.log", "Avoid console.log statements", "do not use `console.log()`"],
    "wildcard imports": ["no wildcard imports", "Forbid star imports"],
    "bare except": ["no bare except", "Avoid bare except clauses"],
    "default exports": ["No default exports"],
    "var": ["no var", "Use const or let, not var"],
    "validated input": [
        "all API handlers must validate input",
        "Every endpoint must validate its input.",
        "Each route should validate inputs",
    ],
}
FOR_A_MODEL = [
    "no any types in tests",
    "no print statements except in scripts",
    "handlers must not log input",
    "no anyhow errors",
    "prefer composition",
    "no",
    "",
    "no prints of secrets",
    "all API handlers must validate input with zod",
]


@pytest.mark.parametrize(("name", "sentence"), [(name, one) for name, every in RECOGNIZED.items() for one in every])
def test_a_sentence_is_recognized(name: str, sentence: str):
    rule = plain_rule(sentence)
    assert rule is not None
    assert rule.name == name


@pytest.mark.parametrize("sentence", FOR_A_MODEL)
def test_any_further_word_needs_a_model(sentence: str):
    assert plain_rule(sentence) is None


def test_every_rule_has_a_recognized_sentence():
    assert {rule.name for rule in PLAIN_RULES} == set(RECOGNIZED)


CASES = [
    (
        "no any types",
        "a.ts",
        "const x: any = 1\nlet y = many.any(2)\ntype T = Array<any>\n// any\nconst s = 'any'\n",
        [1, 3],
    ),
    ("no any types", "a.py", "x: any = 1\n", []),
    ("no print statements", "a.py", "print(1)\nself.print(2)\n# print(3)\ns = 'print(4)'\npprint(5)\n", [1]),
    ("no console.log", "a.js", "console.log(1)\nmy.console.log(2)\nconsole.error(3)\n", [1]),
    ("no wildcard imports", "a.py", "from os import *\nfrom os import path\n", [1]),
    ("no bare except", "a.py", "try:\n    f()\nexcept:\n    pass\n", [3]),
    ("no default exports", "a.ts", "export default 1\nexport const x = 2\n", [1]),
    ("no var", "a.js", "var x = 1\nlet y = 2\nconst variable = 3\n", [1]),
]


@pytest.mark.parametrize(("sentence", "path", "text", "lines"), CASES)
def test_added_lines_that_break_a_sentence_are_found(
    judge: Judge, sentence: str, path: str, text: str, lines: list[int]
):
    judge.only("repository_rules")
    result = judge({"README.md": "x"}, {path: text}, {"tier2": {"customRules": [sentence]}})
    assert [one.line for one in result.findings] == lines
    assert all(one.rule.startswith("repository_rules.words-") for one in result.findings)
    assert not result.not_checked


def test_a_line_that_was_there_before_is_not_reported(judge: Judge):
    judge.only("repository_rules")
    result = judge({"a.py": "print(1)\n"}, {"a.py": "print(1)\nx = 2\n"}, {"tier2": {"customRules": ["no print"]}})
    assert result.findings == ()


FLASK = """
@app.route("/a", methods=["POST"])
def create():
    data = request.json
    return save(data["name"])
"""
EXPRESS = """
router.post('/a', async (req, res) => {
  const user = await save(req.body)
  res.json(user)
})
"""
NAMED = """
const create = async (req, res) => {
  res.json(await save(req.body))
}
router.post('/a', create)
"""
HANDLERS = [
    ("a.py", FLASK, [4]),
    ("a.py", FLASK.replace("return save", "UserSchema().load(data)\n    return save"), []),
    ("a.py", FLASK.replace("request.json", "load()"), []),
    ("a.py", FLASK.replace('@app.route("/a", methods=["POST"])', ""), []),
    ("a.py", FLASK.replace("def create():", "@validate(UserSchema)\ndef create():"), []),
    ("a.ts", EXPRESS, [3]),
    ("a.ts", EXPRESS.replace("save(req.body)", "save(schema.parse(req.body))"), []),
    ("a.ts", EXPRESS.replace("'/a', ", "'/a', validate(userSchema), "), []),
    ("a.js", EXPRESS.replace("req.body", "load()"), []),
    ("a.js", NAMED, [3]),
    ("a.js", NAMED.replace("'/a', create", "'/a', celebrate(body), create"), []),
]


@pytest.mark.parametrize(("path", "text", "lines"), HANDLERS)
def test_a_handler_that_reads_input_and_validates_nothing_is_found(
    judge: Judge, path: str, text: str, lines: list[int]
):
    judge.only("repository_rules")
    rules = {"tier2": {"customRules": ["All API handlers must validate input"]}}
    assert [one.line for one in judge({"README.md": "x"}, {path: text}, rules).findings] == lines


def test_a_handler_that_the_change_does_not_touch_is_not_reported(judge: Judge):
    judge.only("repository_rules")
    rules = {"tier2": {"customRules": ["All API handlers must validate input"]}}
    assert judge({"a.py": FLASK}, {"a.py": FLASK + "\n\nx = 1\n"}, rules).findings == ()


@pytest.mark.parametrize("text", ["router.post('/a', (", "app.get(" * 5000, "@app.get(\n" * 3000, "([{" * 20_000])
def test_broken_code_ends_quickly_and_without_a_finding(judge: Judge, text: str):
    judge.only("repository_rules")
    rules = {"tier2": {"customRules": ["All API handlers must validate input"]}}
    for path in ("a.py", "a.js"):
        assert judge({"README.md": "x"}, {path: text}, rules).findings == ()
