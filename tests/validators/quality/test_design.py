"""Structure that departs from the tree's own: directions, cycles, overrides, and clients of infrastructure."""

from __future__ import annotations

from typing import Any

import pytest

from assay.validators.report.model import Finding, Severity
from tests.validators.quality.conftest import Judge

DIRECTED = {
    "db/__init__.py": "",
    "db/models.py": "x = 1\n",
    "web/__init__.py": "",
    **{f"web/page_{number}.py": "from db import models\n" for number in range(6)},
    "web/helpers.py": "y = 1\n",
}


def found(judge: Judge, base: dict[str, Any], head: dict[str, Any]) -> list[Finding]:
    judge.only("design")
    result = judge(base, head)
    assert not result.not_checked
    assert {one.severity for one in result.findings} <= {Severity.warning}
    return list(result.findings)


def parts(findings: list[Finding]) -> list[tuple[str, str, int | None]]:
    return [(one.rule, one.file, one.line) for one in findings]


# ------------------------------------------------------------------ direction


def test_the_first_import_against_a_held_direction_names_the_imports_the_other_way(judge: Judge):
    (finding,) = found(judge, DIRECTED, {"db/models.py": "x = 1\nfrom web import helpers\n"})
    assert (finding.rule, finding.file, finding.line) == ("design.direction", "db/models.py", 2)
    assert "6 files import the other way" in finding.message
    assert "web/page_0.py:1" in finding.message


@pytest.mark.parametrize(
    ("base", "head"),
    [
        ({name: DIRECTED[name] for name in list(DIRECTED)[:7]}, {"db/models.py": "from web import page_0\n"}),
        (DIRECTED | {"db/old.py": "from web import helpers\n"}, {"db/models.py": "from web import helpers\n"}),
        (DIRECTED, {"db/models.py": "x = 1\nimport json\n"}),
        (
            DIRECTED,
            {"db/models.py": "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from web import helpers\n"},
        ),
        (DIRECTED, {"tests/test_models.py": "from web import helpers\n"}),
        (DIRECTED, {"web/page_9.py": "from db import models\n"}),
        (
            {"a/__init__.py": "", "a/b/__init__.py": "", "a/top.py": "", "a/b/low.py": ""}
            | {f"a/b/m{number}.py": "from a import top\n" for number in range(6)},
            {"a/top.py": "from a.b import low\n"},
        ),
    ],
    ids=[
        "fewer than five",
        "not the first",
        "another import",
        "for types",
        "a test",
        "with the direction",
        "nested folders",
    ],
)
def test_other_imports_have_no_direction_to_break(judge: Judge, base: dict[str, Any], head: dict[str, Any]):
    assert [one for one in found(judge, base, head) if one.rule == "design.direction"] == []


# ------------------------------------------------------------------ cycles


def test_a_new_cycle_of_imports_that_run_is_found_with_its_files(judge: Judge):
    base = {"one.py": "import two\n", "two.py": "import three\n", "three.py": "x = 1\n"}
    (finding,) = found(judge, base, {"three.py": "import one\nx = 1\n"})
    assert (finding.rule, finding.file, finding.line) == ("design.cycle", "three.py", 1)
    assert "three.py -> one.py -> two.py -> three.py" in finding.message


@pytest.mark.parametrize(
    "line",
    [
        "def f():\n    import one\n",
        "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    import one\n",
        "x = 1\n# import one\n",
    ],
)
def test_an_import_that_does_not_run_closes_no_cycle(judge: Judge, line: str):
    assert found(judge, {"one.py": "import two\n", "two.py": "x = 1\n"}, {"two.py": line}) == []


def test_an_import_below_the_definitions_closes_no_cycle(judge: Judge):
    base = {"one.py": "import two\n", "two.py": "x = 1\n"}
    late = "class Two:\n    pass\n\n\nimport one\n"
    assert found(judge, base, {"two.py": late}) == []
    assert len(found(judge, base, {"two.py": f"import one\n{late}"})) == 1


def test_several_imports_of_one_file_into_a_cycle_are_one_finding(judge: Judge):
    base = {"one.py": "import three\n", "two.py": "import three\n", "three.py": "x = 1\n"}
    (finding,) = found(judge, base, {"three.py": "import one\nimport two\nx = 1\n"})
    assert finding.line == 1


def test_a_cycle_that_was_there_or_goes_through_its_package_is_not_reported(judge: Judge):
    circle = {"one.py": "import two\n", "two.py": "import one\n", "three.py": "x = 1\n"}
    assert found(judge, circle, {"two.py": "import one\nimport one as again\n"}) == []
    package = {"pkg/__init__.py": "from pkg import a\n", "pkg/a.py": "x = 1\n", "pkg/b.py": "y = 1\n"}
    assert found(judge, package, {"pkg/a.py": "from pkg import b\nx = 1\n"}) == []


# ------------------------------------------------------------------ overrides

PARENT = """\
class Store:
    def save(self, item):
        self.items.append(item)

    def load(self, key, default=None):
        return default

    def close(self):
        raise NotImplementedError
"""


NOT = "        raise NotImplementedError\n"


def child(body: str) -> dict[str, str]:
    return {"child.py": f"from parent import Store\n\n\nclass FileStore(Store):\n{body}"}


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("    def save(self, item, path):\n        open(path)\n", ["design.override"]),
        ("    def load(self, key, *, mode):\n        return mode\n", ["design.override"]),
        (
            f"    def save(self, item):\n{NOT}\n    def load(self, key, default=None):\n        return 1\n",
            ["design.not-implemented"],
        ),
        ("    def save(self, item, path=None):\n        open(path)\n", []),
        ("    def save(self, item, *paths):\n        open(paths[0])\n", []),
        ("    def save(self, item):\n        raise NotImplementedError\n", []),
        (
            "    def close(self):\n        raise NotImplementedError\n\n    def save(self, item):\n        return 1\n",
            [],
        ),
        ("    def __init__(self, path):\n        self.path = path\n", []),
        ("    def extra(self, one, two):\n        return one\n", []),
        ("    @property\n    def save(self):\n        return 1\n", []),
        ("    @staticmethod\n    def save(item, path):\n        return 1\n", []),
        ("    def save(self, item, path:\n", []),
    ],
)
def test_overrides_that_callers_of_the_parent_cannot_use_are_found(judge: Judge, body: str, expected: list[str]):
    findings = found(judge, {"parent.py": PARENT}, child(body))
    assert [one.rule for one in findings] == expected
    assert all("parent.py:" in one.message for one in findings)


def test_an_override_that_was_wrong_before_is_not_the_changes(judge: Judge):
    wrong = "    def save(self, item, path):\n        open(path)\n"
    base = {"parent.py": PARENT, **child(wrong)}
    assert found(judge, base, child(wrong + "        print(item)\n")) == []


# ------------------------------------------------------------------ infrastructure

CLIENT = 'import { DynamoDB } from "@aws-sdk/client-dynamodb"\n'
TYPESCRIPT = {
    "src/repositories/table.ts": f"{CLIENT}export const table = new DynamoDB({{}})\n",
    **{
        f"src/services/{name}-service.ts": 'import { table } from "../repositories/table"\nexport const a = table\n'
        for name in ("order", "cart", "item")
    },
}
USER = f"{CLIENT}export class UserService {{\n  db = new DynamoDB({{}})\n}}\n"


def test_a_service_that_queries_dynamodb_directly_is_found_with_its_siblings(judge: Judge):
    (finding,) = found(judge, TYPESCRIPT, {"src/services/user-service.ts": USER})
    assert (finding.rule, finding.file, finding.line) == ("design.infrastructure", "src/services/user-service.ts", 1)
    for place in ("src/services/order-service.ts:1", "src/repositories", "src/repositories/table.ts", "DynamoDB"):
        assert place in finding.message


PYTHON = {
    "store/__init__.py": "",
    "store/users.py": "import psycopg\n",
    "services/__init__.py": "",
    **{f"services/{name}.py": "from store import users\n" for name in ("order", "cart", "item")},
}


@pytest.mark.parametrize(
    ("base", "path", "text"),
    [
        (PYTHON, "services/user.py", "import psycopg\n"),
        (PYTHON, "services/user.py", "from psycopg.rows import dict_row\n"),
    ],
)
def test_the_same_in_python(judge: Judge, base: dict[str, str], path: str, text: str):
    findings = found(judge, base, {path: text})
    assert [one.rule for one in findings] == ["design.infrastructure"]


@pytest.mark.parametrize(
    ("base", "head"),
    [
        (PYTHON, {"services/user.py": "from psycopg.errors import UniqueViolation\n"}),
        (PYTHON | {"jobs/nightly.py": "import psycopg\n"}, {"services/user.py": "import psycopg\n"}),
        (PYTHON, {"services/user.py": "import redis\n"}),
        (PYTHON, {"store/carts.py": "import psycopg\n"}),
        (PYTHON, {"tests/test_user.py": "import psycopg\n"}),
        (PYTHON | {"services/item.py": "import psycopg\n"}, {"services/user.py": "import psycopg\n"}),
        ({name: text for name, text in PYTHON.items() if "item" not in name}, {"services/user.py": "import psycopg\n"}),
        (PYTHON | {"services/user.py": "import psycopg\n"}, {"services/user.py": "import psycopg\nx = 1\n"}),
    ],
    ids=[
        "errors alone",
        "another folder too",
        "another service",
        "inside the abstraction",
        "a test",
        "a sibling does it too",
        "two siblings",
        "there before",
    ],
)
def test_a_client_without_such_siblings_is_no_departure(judge: Judge, base: dict[str, str], head: dict[str, str]):
    assert parts(found(judge, base, head)) == []


def test_a_part_can_be_switched_off(judge: Judge):
    judge.only("design")
    off = {"tier2": {"severities": {"design.direction": "off"}}}
    assert judge(DIRECTED, {"db/models.py": "from web import helpers\n"}, off).findings == ()
