"""Functions of the rule `design`: added helpers that repeat others, code that nothing can run, and moved files."""

from __future__ import annotations

from typing import Any

import pytest

from assay.validators.graph.import_graph import build_graph
from tests.validators.quality.conftest import Judge
from tests.validators.quality.design_plants import KINDS, Ground, plants
from tests.validators.quality.test_design import DIRECTED, found, parts

CHUNKS = """\
def chunks(items, size):
    out = []
    for start in range(0, len(items), size):
        out.append(items[start : start + size])
    return out
"""
RENAMED = """\
def in_batches(values: list, num: int) -> list:
    \"\"\"Split a list.\"\"\"
    batches: list = []
    for at in range(0, len(values), num):
        batches.append(values[at : at + num])
    return batches
"""
BASE = {"tools/__init__.py": "", "tools/lists.py": CHUNKS, "jobs/__init__.py": "", "jobs/send.py": "x = 1\n"}


def repeated(judge: Judge, base: dict[str, Any], head: dict[str, Any]) -> list[tuple[str, str, int | None]]:
    return [one for one in parts(found(judge, base, head)) if one[0] == "design.repeated-helper"]


def dead(judge: Judge, base: dict[str, Any], head: dict[str, Any]) -> list[tuple[str, int | None]]:
    return [(one[1], one[2]) for one in parts(found(judge, base, head)) if one[0] == "design.dead-code"]


# ------------------------------------------------------------------ repeated helpers


def test_a_helper_that_does_what_another_does_names_it_with_its_place(judge: Judge):
    (finding,) = found(judge, BASE, {"jobs/send.py": f"x = 1\n\n\n{RENAMED}"})
    assert (finding.rule, finding.file, finding.line) == ("design.repeated-helper", "jobs/send.py", 4)
    for text in ("`in_batches`", "`chunks`", "tools/lists.py:1", "with other names"):
        assert text in finding.message


@pytest.mark.parametrize(
    ("base", "head"),
    [
        (BASE, {"jobs/send.py": CHUNKS.replace("size", "num")}),
        (BASE, {"tools/lists.py": f"{CHUNKS}\n\n{RENAMED}"}),
        (
            BASE,
            {
                "jobs/send.py": "class Send:\n    @staticmethod\n"
                + RENAMED.replace("\n", "\n    ").replace("def", "    def", 1)
            },
        ),
    ],
    ids=["same names", "same file", "static method"],
)
def test_the_same_body_is_found_in_these_forms(judge: Judge, base: dict[str, str], head: dict[str, str]):
    assert len(repeated(judge, base, head)) == 1


LONG = "def total(rows):\n    found = {}\n" + "".join(
    f"    found['{name}'] = sum(row['{name}'] * row['num'] for row in rows if row['{name}'] is not None)\n"
    for name in ("net", "tax", "gross", "discount", "shipping", "fee", "refund", "rest")
)


@pytest.mark.parametrize(
    ("base", "head"),
    [
        (BASE, {"jobs/send.py": RENAMED.replace("num)", "num + 1)")}),
        (BASE, {"jobs/send.py": RENAMED.replace("append", "extend")}),
        (BASE, {"jobs/send.py": RENAMED.replace("num: int", "num: int = 3")}),
        (BASE, {"jobs/send.py": RENAMED, "tools/lists.py": "y = 1\n"}),
        (BASE, {"jobs/send.py": CHUNKS, "tools/lists.py": None}),
        (BASE | {"jobs/old.py": CHUNKS}, {"jobs/send.py": RENAMED, "jobs/old.py": None}),
        (BASE, {"tests/test_send.py": RENAMED}),
        (BASE, {"jobs/send.py": f"@cached\n{RENAMED}"}),
        (BASE, {"jobs/send.py": RENAMED.replace("def", "async def")}),
        (BASE | {"jobs/send.py": RENAMED}, {"jobs/send.py": RENAMED.replace("Split", "Cut")}),
        (BASE | {"jobs/pyproject.toml": "[project]\nname = 'jobs'\n"}, {"jobs/send.py": RENAMED}),
        (
            BASE | {"tools/lists.py": "from tools.a import cut\n" + CHUNKS.replace("len(", "cut(")},
            {"jobs/send.py": "from tools.b import cut\n" + RENAMED.replace("len(", "cut(")},
        ),
        (
            {"one.py": "def name(self):\n    return self.first\n"},
            {"two.py": "def title(self):\n    return self.first\n"},
        ),
        (
            {
                "one.py": "class One:\n"
                + CHUNKS.replace("\n", "\n    ").replace("def", "    def", 1).replace("(items", "(self, items")
            },
            {
                "two.py": "class Two:\n"
                + CHUNKS.replace("\n", "\n    ").replace("def", "    def", 1).replace("(items", "(self, items")
            },
        ),
    ],
    ids=[
        "another value",
        "another method",
        "another default",
        "the other goes",
        "moved",
        "one of two moved",
        "a test",
        "decorated",
        "async",
        "there before",
        "another project",
        "another helper of the same name",
        "trivial",
        "methods of the same name",
    ],
)
def test_these_are_no_repeated_helpers(judge: Judge, base: dict[str, Any], head: dict[str, Any]):
    assert repeated(judge, base, head) == []


def test_an_expression_that_is_too_deep_is_left_out(judge: Judge):
    deep = "def total(x):\n    y = x\n    return " + " + ".join(["x.part(y)"] * 700) + "\n"
    assert repeated(judge, {"a.py": deep, "b.py": CHUNKS}, {"c.py": f"{deep}\n\n{RENAMED}"}) == [
        ("design.repeated-helper", "c.py", 6)
    ]


def test_a_function_that_duplication_reports_is_left_to_it(judge: Judge):
    judge.only("design", "duplication")
    result = judge({"a/one.py": LONG, "b/two.py": "x = 1\n"}, {"b/two.py": f"x = 1\n\n\n{LONG}"})
    assert [one.rule for one in result.findings] == ["duplication"]


def test_a_function_inside_a_longer_copied_block_is_left_to_duplication(judge: Judge):
    judge.only("design", "duplication")
    block = f"{CHUNKS}\n\n{LONG}"
    result = judge({"a/one.py": block, "b/two.py": "x = 1\n"}, {"b/two.py": f"x = 1\n\n\n{block}"})
    assert [one.rule for one in result.findings] == ["duplication"]


# ------------------------------------------------------------------ dead code

UNUSED = "def _halve(value):\n    rest = value / 2\n    return rest\n"


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        ({"a.py": UNUSED}, [("a.py", 1)]),
        ({"a.py": "class _Half:\n    size = 2\n"}, [("a.py", 1)]),
        ({"a.py": "class Half:\n    def _cut(self):\n        return 2\n"}, [("a.py", 2)]),
        ({"a.py": "def f(x):\n    return x\n    print(x)\n"}, [("a.py", 3)]),
        ({"a.py": "def f(x):\n    while x:\n        break\n        x += 1\n"}, [("a.py", 4)]),
        ({"a.py": "def _f(n):\n    return n and _f(n - 1)\n"}, [("a.py", 1)]),
    ],
    ids=["function", "class", "method", "after return", "after break", "only itself"],
)
def test_code_that_nothing_can_run_is_found(judge: Judge, head: dict[str, str], expected: list[tuple[str, int]]):
    assert dead(judge, {"b.py": "x = 1\n"}, head) == expected


def test_an_early_return_that_cuts_off_old_code_is_found_at_the_return(judge: Judge):
    base = {"a.py": "def f(x):\n    x += 1\n    return x\n"}
    assert dead(judge, base, {"a.py": "def f(x):\n    return x\n    x += 1\n    return x\n"}) == [("a.py", 2)]


def test_statements_that_were_cut_off_before_are_not_the_changes(judge: Judge):
    base = {"a.py": "def f(x):\n    return x\n    print(x)\n"}
    head = {"a.py": "def g(x):\n    if x:\n        return x + 1\n        print(x)\n"}
    assert dead(judge, base, head) == []


@pytest.mark.parametrize(
    "head",
    [
        {"a.py": f"{UNUSED}\n\nx = _halve(2)\n"},
        {"a.py": UNUSED, "c.py": "from a import _halve\n"},
        {"a.py": UNUSED, "setup.cfg": "run = a:_halve\n"},
        {"a.py": UNUSED, "tests/test_a.py": "import a\n\n\ndef test_it():\n    assert a._halve(2) == 1\n"},
        {"a.py": f"@register\n{UNUSED}"},
        {"a.py": UNUSED.replace("_halve", "_on_start") + "\n\ndef run(name):\n    globals()[f'_on_{name}']()\n"},
        {"a.py": UNUSED.replace("_halve", "_on_start") + "\n\ndef run(name):\n    globals()['_on_' + name]()\n"},
        {"a.py": UNUSED.replace("_halve", "_on_start") + "\n\ndef run(name):\n    globals()['_%s_start' % name]()\n"},
        {
            "a.py": UNUSED.replace("_halve", "_on_start")
            + "\n\ndef run(name):\n    globals()['_' + name + '_start']()\n"
        },
        {"a.py": "class Half(Base):\n    def _cut(self):\n        return 2\n"},
        {"a.py": "def halve(value):\n    return value / 2\n"},
        {"a.py": "def __getattr__(name):\n    return name\n"},
        {"tests/test_a.py": UNUSED},
        {"a.py": "def f():\n    raise NotImplementedError\n    yield\n"},
        {"a.py": "def f(x):\n    if x:\n        return 1\n    return 2\n"},
        {"a.py": "def f(x:\n    return x\n    x\n"},
        {"b.py": UNUSED + "x = 2\n", "a.py": None},
    ],
    ids=[
        "used in the file",
        "used in another",
        "named in settings",
        "used by a test",
        "decorated",
        "built name",
        "added name",
        "formatted name",
        "added end",
        "a method with a parent",
        "public",
        "special",
        "in a test",
        "generator",
        "two ways",
        "broken",
        "moved",
    ],
)
def test_these_are_not_dead(judge: Judge, head: dict[str, Any]):
    base = {"b.py": "x = 1\n"} | ({"a.py": UNUSED} if head.get("a.py", "") is None else {})
    assert dead(judge, base, head) == []


# ------------------------------------------------------------------ moved files


def test_a_renamed_folder_starts_no_direction_and_no_cycle(judge: Judge):
    base = DIRECTED | {"db/other.py": "from web import helpers\n" * 3 + "z = 3\n" * 9}
    base |= {"one.py": "import two\n" + "a = 1\n" * 9, "two.py": "import one\n" + "b = 1\n" * 9}
    moved = {name.replace("db/", "store/"): text for name, text in base.items() if name.startswith("db/")}
    moved |= {
        "pkg/one.py": "from pkg import two\n" + "a = 1\n" * 9,
        "pkg/two.py": "from pkg import one\n" + "b = 1\n" * 9,
    }
    moved |= {name: text.replace("from db", "from store") for name, text in base.items() if name.startswith("web/")}
    gone = {name: None for name in base if name.startswith(("db/", "one", "two"))}
    assert found(judge, base, {**moved, **gone}) == []


def test_a_module_that_becomes_a_package_keeps_its_directions_and_cycles(judge: Judge):
    big = "from pkg import low\n" + "".join(f"def part_{n}():\n    return {n}\n" for n in range(9))
    base = {"pkg/__init__.py": "", "pkg/big.py": big, "pkg/low.py": "from pkg import big\nx = 1\n"}
    head = {
        "pkg/big.py": None,
        "pkg/big/__init__.py": "from pkg.big.parts import part_0\n",
        "pkg/big/parts.py": big,
    }
    assert found(judge, base, head) == []


def test_an_import_for_types_alone_is_no_departure(judge: Judge):
    typed = "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from web import helpers\n"
    assert found(judge, DIRECTED, {"db/models.py": typed}) == []
    assert len(found(judge, DIRECTED, {"db/models.py": f"{typed}else:\n    from web import helpers\n"})) == 1


def test_a_method_that_loses_its_body_is_found(judge: Judge):
    base = {
        "one.py": "class One:\n    def save(self, x):\n        x += 1\n        return x\n",
        "two.py": "from one import One\n\n\nclass Two(One):\n    def save(self, x):\n        return x\n\n"
        "    def load(self):\n        return 1\n",
    }
    head = {"two.py": base["two.py"].replace("        return x\n", "        raise NotImplementedError\n")}
    assert parts(found(judge, base, head)) == [("design.not-implemented", "two.py", 5)]


# ------------------------------------------------------------------ plants

SQUEEZED = """\
def squeezed(text, width):
    words = text.strip().split()
    kept = [word for word in words if len(word) < width]
    return " ".join(kept).lower()


def widened(text, width):
    missing = width - len(text.strip())
    if missing > 0:
        text = text + " " * missing
    return text.rstrip("x")
"""
PART = """\
class Part:
    def run(self, item):
        self.item = item
        return item

    def stop(self, item):
        self.item = None
        return item
"""
CHILD = """\
from service.base import Part


class Child(Part):
    def run(self, item):
        print(item)
        return 1

    def stop(self, item):
        print(item)
        return 2
"""
PLANTABLE = {
    "store/__init__.py": "",
    "store/db.py": '"""Db."""\n\n\ndef connect(name):\n    return name\n',
    "service/__init__.py": "",
    **{
        f"service/part_{n}.py": "import json\n\nfrom store import db\n\n\ndef work(path):\n    found = json.loads(path)"
        f"\n    if len(found) > {n}:\n        return db.connect(found[{n}])\n    return None\n"
        for n in range(6)
    },
    "store/other.py": "x = 1\n",
    "service/text.py": SQUEEZED,
    "service/base.py": PART,
    "service/child.py": CHILD,
}


@pytest.mark.parametrize("kind", KINDS)
def test_two_planted_faults_of_each_kind_are_found(judge: Judge, kind: str):
    judge.only("design")
    with judge.change({}, PLANTABLE) as change:
        made = plants(Ground(build_graph(change.head)), kind, 2)
    assert len(made) == (1 if kind == "infrastructure" else 2)
    for one in made:
        result = judge({**PLANTABLE, **one.base}, one.head)
        assert (f"design.{kind}", one.file) in {(each.rule, each.file) for each in result.findings}
