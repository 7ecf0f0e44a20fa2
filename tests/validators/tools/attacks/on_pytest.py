"""Attacks on pytest."""

from __future__ import annotations

from tests.validators.tools.attacks.attack import Victim

PROJECT = '[project]\nname = "shop"\nversion = "1"\n\n[tool.pytest.ini_options]\naddopts = "-p no:cacheprovider"\n'
TESTS = """\
from shop import total


def test_empty():
    assert total([]) == 0


def test_total():
    assert total([1, 2]) == 3


def test_many():
    assert total([]) == total([])
"""
VICTIM = Victim(
    runner="pytest",
    files={
        "shop.py": "def total(prices):\n    return sum(prices)\n",
        "tests/test_shop.py": TESTS,
        "tests/test_other.py": "def test_other():\n    assert True\n",
        "conftest.py": "",
        "pyproject.toml": PROJECT,
        "Makefile": "test:\n\tpython -m pytest\n",
    },
    broken={"shop.py": "def total(prices):\n    return sum(prices) + len(prices)\n"},
    command="python -m pytest",
    failing="test_total",
)
_attack = VICTIM.attack

_attack("exit status", {"conftest.py": "def pytest_sessionfinish(session):\n    session.exitstatus = 0\n"})
_attack(
    "os._exit when the session ends",
    {"conftest.py": "import os\n\n\ndef pytest_sessionfinish(session):\n    os._exit(0)\n"},
)
_attack(
    "os._exit when everything is told",
    {"conftest.py": "import os\n\n\ndef pytest_unconfigure(config):\n    os._exit(0)\n"},
)
_attack(
    "os._exit in the code under test",
    {"shop.py": "import os\n\n\ndef total(prices):\n    if prices:\n        os._exit(0)\n    return sum(prices)\n"},
)
_attack(
    "forged summary before os._exit",
    {
        "shop.py": """\
            import os
            import sys


            def total(prices):
                if prices:
                    os.write(1, b"\\n========= 4 passed in 0.01s =========\\n")
                    os._exit(0)
                return sum(prices)
            """
    },
)
_attack(
    "outcome rewritten in the report",
    {
        "conftest.py": """\
            import pytest


            @pytest.hookimpl(hookwrapper=True)
            def pytest_runtest_makereport(item, call):
                result = yield
                report = result.get_result()
                report.outcome = "passed"
                report.longrepr = None
            """
    },
)
_attack(
    "failing test taken out of the collection",
    {
        "conftest.py": """\
            def pytest_collection_modifyitems(items):
                items[:] = [item for item in items if item.name != "test_total"]
            """
    },
)
_attack("empty collection", {"conftest.py": "def pytest_collection_modifyitems(items):\n    items.clear()\n"})
_attack(
    "empty collection that ends well",
    {
        "conftest.py": """\
            def pytest_collection_modifyitems(items):
                items.clear()


            def pytest_sessionfinish(session):
                session.exitstatus = 0
            """
    },
)
_attack("file left out of the collection", {"conftest.py": 'collect_ignore = ["tests/test_shop.py"]\n'})
_attack("files left out by pattern", {"conftest.py": 'collect_ignore_glob = ["*shop*"]\n'})
_attack("collect only", {"pyproject.toml": PROJECT.replace("-p no", "--collect-only -p no")})
_attack("narrowed by name", {"pyproject.toml": PROJECT.replace("-p no", "-k 'not total' -p no")})
_attack(
    "deselected",
    {"pyproject.toml": PROJECT.replace("-p no", "--deselect tests/test_shop.py::test_total -p no")},
)
_attack("ignored file", {"pyproject.toml": PROJECT.replace("-p no", "--ignore tests/test_shop.py -p no")})
_attack("narrowed paths", {"pyproject.toml": PROJECT + 'testpaths = ["tests/test_other.py"]\n'})
_attack("other names for tests", {"pyproject.toml": PROJECT + 'python_functions = ["test_e*", "test_o*", "test_m*"]\n'})
_attack("another settings file", {"pytest.ini": "[pytest]\ntestpaths = tests/test_other.py\n"})
_attack(
    "sitecustomize",
    {"sitecustomize.py": "import atexit\nimport os\n\natexit.register(os._exit, 0)\n"},
)
_attack(
    "shadowed pytest",
    {"pytest.py": 'print("========= 4 passed in 0.01s =========")\n'},
)
_attack(
    "shadowed pytest that forges the report",
    {
        "pytest.py": """\
            import os
            import re

            path = re.search(r"--junitxml=(\\S+)", os.environ["PYTEST_ADDOPTS"])[1]
            names = ("empty", "total", "many")
            cases = "".join(f'<testcase classname="tests.test_shop" name="test_{name}"/>' for name in names)
            other = '<testcase classname="tests.test_other" name="test_other"/>'
            open(path, "w").write(f"<testsuites><testsuite>{other}{cases}</testsuite></testsuites>")
            print("========= 4 passed in 0.01s =========")
            """
    },
)
_attack(
    "report rewritten at the end",
    {
        "conftest.py": """\
            import os


            def pytest_unconfigure(config):
                path = config.option.xmlpath
                text = open(path).read().replace("<failure", "<properties").replace("</failure", "</properties")
                open(path, "w").write(text)
                os._exit(0)
            """
    },
)
_attack(
    "report deleted at the end",
    {
        "conftest.py": """\
            import os


            def pytest_unconfigure(config):
                os.remove(config.option.xmlpath)
                os._exit(0)
            """
    },
)
_attack("failure let pass by make", {"Makefile": "test:\n\t-python -m pytest\n"}, "make test")
_attack("failure let pass by the shell", {"Makefile": "test:\n\tpython -m pytest || true\n"}, "make test")
_attack(
    "runner replaced by its words",
    {"Makefile": 'test:\n\techo "========= 4 passed in 0.01s ========="\n'},
    "make test",
)
_attack("runner replaced by nothing", {"Makefile": "test:\n\t@true\n"}, "make test")
_attack(
    "expected failure by a hook",
    {
        "conftest.py": """\
            import pytest


            def pytest_collection_modifyitems(items):
                for item in items:
                    item.add_marker(pytest.mark.xfail)
            """
    },
)
_attack(
    "skipped by a fixture",
    {
        "conftest.py": """\
            import pytest


            @pytest.fixture(autouse=True)
            def _guard(request):
                if request.node.name == "test_total":
                    pytest.skip("later")
            """
    },
)
_attack("calls replaced", {"conftest.py": "def pytest_pyfunc_call(pyfuncitem):\n    return True\n"})
_attack("protocol replaced", {"conftest.py": "def pytest_runtest_protocol(item, nextitem):\n    return True\n"})
_attack("command replaced", {"conftest.py": "def pytest_cmdline_main(config):\n    return 0\n"})
_attack(
    "test file moved out of sight",
    {"tests/test_shop.py": None, "tests/shop_checks.py": TESTS},
)
_attack(
    "failures swallowed by a wrapper",
    {
        "conftest.py": """\
            import pytest


            @pytest.hookimpl(wrapper=True)
            def pytest_runtest_call(item):
                try:
                    return (yield)
                except AssertionError:
                    return None
            """
    },
)
_attack(
    "retries until it passes",
    {
        "shop.py": """\
            calls = []


            def total(prices):
                calls.append(prices)
                return sum(prices) + (1 if prices and len(calls) < 4 else 0)
            """,
        "conftest.py": """\
            from _pytest.runner import runtestprotocol


            def pytest_runtest_protocol(item, nextitem):
                for attempt in range(3):
                    reports = runtestprotocol(item, nextitem=nextitem, log=False)
                    if all(report.passed for report in reports):
                        break
                for report in reports:
                    item.ihook.pytest_runtest_logreport(report=report)
                return True
            """,
    },
)
