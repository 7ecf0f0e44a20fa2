"""The HTML pages of a memory in a real browser: they fit a phone, and are accessible."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ViewportSize

from assay.memory_eval import EvalReport, EvalRunner, agent_from, inspect_memory, rendered
from tests.examples import sampled
from tests.fakes.browser import chromium, runs_here
from tests.functional.pages_bed import DESKTOP, PHONE, shot, troubles
from tests.memory_eval.reports import hostile

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    if not runs_here():
        pytest.skip("the tests' browser is for Linux on x86-64")
    with chromium() as found:
        yield found


def measured() -> EvalReport:
    report = EvalRunner(60, 24, None).run(agent_from("baseline:bm25"))
    return replace(report, baselines=[{"name": "nothing", "overall_score": 0.1, "category_scores": {}}])


@pytest.mark.parametrize("size", sampled([DESKTOP, PHONE], 1), ids=["desktop", "phone"])
def test_each_page_fits_the_window_and_is_accessible(browser: Browser, tmp_path: Path, size: ViewportSize):
    kept = tmp_path / "memory.md"
    kept.write_text("# Ada\n" + "".join(f"- Fact {number} {'very' * 40}, my key is {number}\n" for number in range(40)))
    pages = {
        "memory-report": rendered(measured(), "html"),
        "memory-report-hostile": rendered(hostile(), "html"),
        "memory-inspection": rendered(inspect_memory(kept), "html"),
    }
    for name, text in pages.items():
        (tmp_path / "report.html").write_text(text, "utf-8")
        page = browser.new_page(viewport=size)
        page.goto(f"file://{tmp_path / 'report.html'}")
        for summary in page.locator("summary").all():
            summary.click()
        shot(page, f"{name}-{size['width']}")
        assert page.evaluate("document.documentElement.scrollWidth") <= size["width"], name
        heights = page.evaluate("[...document.querySelectorAll('tr')].map(row => row.getBoundingClientRect().height)")
        assert max(heights) < size["height"], name
        assert troubles(page) == [], name
        page.close()
