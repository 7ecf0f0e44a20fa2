"""Attacks on `python -m unittest`."""

from __future__ import annotations

from tests.validators.tools.attacks.attack import Victim

TESTS = """\
import unittest

from shop import total


class TotalTest(unittest.TestCase):
    def test_empty(self):
        self.assertEqual(total([]), 0)

    def test_total(self):
        self.assertEqual(total([1, 2]), 3)
"""
OTHER = "import unittest\n\n\nclass OtherTest(unittest.TestCase):\n    def test_other(self):\n        pass\n"
VICTIM = Victim(
    runner="unittest",
    files={
        "shop.py": "def total(prices):\n    return sum(prices)\n",
        "tests/__init__.py": "",
        "tests/test_shop.py": TESTS,
        "tests/test_other.py": OTHER,
    },
    broken={"shop.py": "def total(prices):\n    return sum(prices) + len(prices)\n"},
    command="python -m unittest",
    failing="test_total",
)
_attack = VICTIM.attack
_attack("os._exit in the code under test", {
    "shop.py": "import os\n\n\ndef total(prices):\n    return os._exit(0) if prices else 0\n",
})  # fmt: skip
_attack("one test in the place of another", {
    "tests/__init__.py": """\
        import unittest


        def load_tests(loader, found, pattern):
            class More(unittest.TestCase):
                def test_more(self):
                    pass

            return unittest.TestSuite([
                loader.loadTestsFromName("tests.test_other"),
                loader.loadTestsFromName("tests.test_shop.TotalTest.test_empty"),
                More("test_more"),
            ])
        """,
})  # fmt: skip
_attack("skipped by the code under test", {
    "shop.py": """\
        import unittest


        def total(prices):
            if prices:
                raise unittest.SkipTest("later")
            return 0
        """,
})  # fmt: skip
