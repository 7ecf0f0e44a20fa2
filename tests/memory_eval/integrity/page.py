"""The table of docs/memory/integrity.md: what every attack scores, its limit, and why it gets no more.

python -m tests.memory_eval.integrity.page             print it
python -m tests.memory_eval.integrity.page --write     put it into the page
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from tests.conftest import ROOT
from tests.memory_eval.integrity.adversaries import attacks
from tests.memory_eval.integrity.adversary import Attack
from tests.memory_eval.integrity.exams import NUM_QUESTIONS, SEEDS, score_of, sheet_of

PAGE = Path(ROOT) / "docs" / "memory" / "integrity.md"
PAGE_SEEDS = SEEDS[:3]
HEAD = (
    f"| Attack | What it exploits | {' | '.join(f'{num:,}' for num in NUM_QUESTIONS)} | Limit | Why it gets no more |"
)
RULE = f"|---|---|{'---:|' * (len(NUM_QUESTIONS) + 1)}---|"


def print_table() -> bool:
    """Measure and print; return whether every attack over its limit is marked open."""
    measured = {name: scores_of(attack) for name, attack in attacks().items()}
    print("\n".join(rows(measured)))
    over = {name for name, means in measured.items() if max(means) > attacks()[name].limit}
    return all(attacks()[name].is_open for name in over)


def scores_of(attack: Attack) -> list[float]:
    """Return the mean over the seeds' questions, for each size of dialogue."""
    means = []
    for num_turns in NUM_QUESTIONS:
        scores = [score_of(attack, sheet_of(num_turns, seed)) for seed in PAGE_SEEDS]
        num = sum(score.num_questions for score in scores)
        means.append(sum(score.mean * score.num_questions for score in scores) / max(1, num))
    return means


def rows(measured: dict[str, list[float]]) -> Iterator[str]:
    """Yield the table in Markdown: first the attacks that read the gold, then those of agents."""
    for title, of_graders in (("with the gold", True), ("with the dialogue only", False)):
        yield f"\n### Attacks {title}\n\n{HEAD}\n{RULE}"
        for name, attack in attacks().items():
            if (attack.given is not None) is of_graders:
                scores = " | ".join(f"{100 * mean:.1f} %" for mean in measured[name])
                cells = f"{_cell(name)} | {_cell(attack.exploits)} | {scores} | {100 * attack.limit:.0f} %"
                why = f"**still over the limit**; needed: {attack.why}" if attack.is_open else attack.why
                yield f"| {cells} | {_cell(why)} |"


def noted() -> dict[str, tuple[list[float], float]]:
    """Return each attack's scores and its limit from the page, as fractions."""
    found = {}
    for line in PAGE.read_text("utf-8").splitlines():
        cells = [cell.strip() for cell in line.replace("\\|", "¦").split("|")]
        if len(cells) == len(NUM_QUESTIONS) + 6 and cells[3].endswith("%"):
            *scores, limit = (float(cell.removesuffix(" %")) / 100 for cell in cells[3 : 4 + len(NUM_QUESTIONS)])
            found[cells[1]] = (scores, limit)
    return found


def write() -> None:
    """Replace the page's table by the measured one."""
    text = PAGE.read_text("utf-8")
    before, _, rest = text.partition("\n### Attacks with the gold")
    _, mark, after = rest.partition("\n## ")
    measured = {name: scores_of(attack) for name, attack in attacks().items()}
    PAGE.write_text(before + "\n".join(rows(measured)) + "\n" + mark + after, "utf-8")


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    if "--write" in sys.argv:
        write()
    else:
        print_table()
