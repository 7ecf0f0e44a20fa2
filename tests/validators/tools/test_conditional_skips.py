"""Skips whose condition the change may have made true: the base is asked, and what ran there is lost."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assay.validators.changes.change import Hunk
from assay.validators.changes.classify import Nature
from assay.validators.report.model import Counts, Outcome
from assay.validators.tools.comparison.conditional_skips import skipped_by_change
from assay.validators.tools.tool import Ended, Reading
from tests.repositories import RealRepository
from tests.validators.tools.changes import PYTHON_ENVIRONMENT, only, run_on, settings
from tests.validators.tools.test_gates import change, file
from tests.validators.tools.trees import tree_of

IMPORTS = 'fast = pytest.importorskip("shop.fast")\n\n\ndef test_a():\n    assert fast.x\n'
FLAG = "@pytest.mark.skipif(not flags.HAS_SPEED, reason='slow')\ndef test_a():\n    pass\n"
MARKED = "@pytest.mark.skip\ndef test_a():\n    pass\n"
GO = 'func TestA(t *testing.T) {\n\tif !hasSpeed {\n\t\tt.Skip("slow")\n\t}\n}\n'


@pytest.mark.parametrize(
    ("place", "files", "path", "added", "is_asked"),
    [
        ("tests/test_a.py", {"tests/test_a.py": IMPORTS}, "shop/fast.py", "import nothing", True),
        ("tests/test_a.py", {"tests/test_a.py": IMPORTS}, "shop/fast/__init__.py", "import nothing", True),
        ("tests/test_a.py", {"tests/test_a.py": IMPORTS}, "shop/slow.py", "y = 1", False),
        ("tests/test_a.py", {"tests/test_a.py": IMPORTS}, "pyproject.toml", "dependencies = []", True),
        ("tests/test_a.py", {"tests/test_a.py": MARKED}, "pyproject.toml", "dependencies = []", False),
        ("tests/test_a.py", {"tests/test_a.py": FLAG}, "shop/config.py", "HAS_SPEED = False", True),
        ("tests/test_a.py", {"tests/test_a.py": MARKED}, "shop/config.py", "HAS_SPEED = False", False),
        ("tests/test_a.py", {"tests/test_a.py": MARKED, "conftest.py": FLAG}, "shop/flags.py", "x = 1", True),
        ("tests/test_a.py", {"tests/test_a.py": IMPORTS}, "tests/test_a.py", "x = 1", False),
        ("shop", {"shop/shop_test.go": GO}, "shop/shop.go", "var hasSpeed = false", True),
        ("shop", {"shop/shop_test.go": GO}, "shop/shop.go", "var other = false", False),
        ("", {"tests/test_a.py": IMPORTS}, "shop/fast.py", "import nothing", False),
    ],
)
def test_the_base_is_asked_where_a_skip_speaks_of_what_changed(
    place: str, files: dict[str, str], path: str, added: str, is_asked: bool
):
    nature = Nature.test if path.startswith("tests/") else Nature.source
    changed = replace(file(path), hunks=(Hunk(0, (), 1, (added,)),), nature=nature)
    reading = Reading(Counts(1, 0, 1), tests={(place, "test_a"): Ended.skipped, (place, "test_b"): Ended.passed})
    why = skipped_by_change(replace(change(changed), head=tree_of(files)), reading)
    assert (why is not None) is is_asked


@pytest.mark.soak
def test_a_module_that_the_change_breaks_does_not_skip_its_tests_in_silence(repository: RealRepository):
    repository.commit(
        files={
            "shop/fast.py": "x = 1\n",
            "tests/test_a.py": f"import pytest\n\n{IMPORTS}",
            "tests/test_b.py": f"import pytest\n\n{MARKED}",
        }
    )
    repository.commit(files={"shop/fast.py": "import nothing_of_this_name\n\nx = 1\n"})
    run = only(run_on(repository, settings("python -m pytest -p no:cacheprovider", setup=PYTHON_ENVIRONMENT)))
    assert (run.outcome, run.base_outcome, run.gating) == (Outcome.failed, Outcome.passed, True)
    assert "tests/test_a.py::test_a" in (run.reason or "")


@pytest.mark.soak
def test_a_skip_that_was_there_is_no_loss(repository: RealRepository):
    repository.commit(files={"shop/fast.py": "import nothing_here\n", "tests/test_a.py": f"import pytest\n\n{IMPORTS}"})
    repository.commit(files={"shop/fast.py": "import nothing_there\n"})
    run = only(run_on(repository, settings("python -m pytest -p no:cacheprovider", setup=PYTHON_ENVIRONMENT)))
    assert run.gating is False
