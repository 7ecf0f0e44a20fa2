"""The tables of docs/memory/results.md: real memory systems, examined on this machine without a network or a model.

python -m tests.memory_eval.results_page             examine all and print the tables
python -m tests.memory_eval.results_page --write     put them into the page, and the figures into results.json

Packages and reports go to build/memory-results; reports there are not made again.
"""

from __future__ import annotations

import contextlib
import os
import platform
import subprocess
import sys
from collections.abc import Iterator, Sequence

from pydantic import TypeAdapter

from assay.escape import prose
from assay.memory_eval import Ranking, RankingOrder, rank_reports, ranking_json, read_report
from assay.memory_eval.render.ranking_text import PARTS, exams_in_words, markdown_table, remarks_of, rows_of, titles_of
from tests.conftest import ROOT
from tests.memory_eval.adapters.live.letta_server import PACKAGES as LETTA
from tests.memory_eval.adapters.live.letta_server import letta_server
from tests.memory_eval.adapters.live.systems import (
    BASELINES,
    SYSTEMS,
    environment,
    installed,
    memory_service,
    python_path,
    server_memory,
)

PAGE = ROOT / "docs/memory/results.md"
FIGURES = ROOT / "docs/memory/results.json"
WORK = ROOT / "build/memory-results"
SEEDS = (1, 2, 3)
SIZE = ("--turns", "300", "--questions", "60")
BY: RankingOrder = "answer_score"
BEGIN, END = "\n## Quality\n", "\n## Commands\n"


def measured() -> Ranking:
    """Examine every system that has no reports yet, and rank all."""
    WORK.mkdir(parents=True, exist_ok=True)
    for name, system in BASELINES.items():
        _examine(f"baseline-{name}", system.arguments)
    for name, system in SYSTEMS.items():
        if not _has_reports(name):
            libraries = installed(WORK / "packages" / name, system.packages)
            _examine(name, (*system.arguments, *python_path(libraries)))
    _examine("server-memory", server_memory(WORK))
    _examine("mcp-memory-service", memory_service(WORK))
    if not _has_reports("letta"):
        client = installed(WORK / "packages/letta-client", ("letta-client==1.12.1",))
        home = WORK / "letta-home"
        home.mkdir(exist_ok=True)
        with letta_server(environment(WORK / "environments/letta", LETTA), home) as url:
            _examine("letta", ("--adapter", "letta", "--agent-url", url, *python_path(client)))
    return rank_reports([read_report(path) for path in sorted(WORK.glob("*/seed-*/report.json"))], BY)


def noted() -> Ranking:
    """Return the figures of the last `--write`."""
    data = TypeAdapter(dict).validate_json(FIGURES.read_bytes())
    return TypeAdapter(Ranking).validate_python({key: data[key] for key in data if key != "schema_version"})


def tables(ranking: Ranking) -> Iterator[str]:
    """Yield the lines between `BEGIN` and `END` of the page."""
    for part in PARTS:
        yield f"\n## {part.title}\n"
        yield from markdown_table(part, titles_of(part, ranking), rows_of(part, ranking))
    yield ""
    yield f"{prose(exams_in_words(ranking), 600)}."
    yield ""
    yield from (f"- {prose(line, 300)}" for line in remarks_of(ranking))


def write() -> None:
    """Replace the page's tables by those measured, and note the figures and the machine."""
    ranking = measured()
    FIGURES.write_text(ranking_json(ranking), "utf-8")
    put(ranking)
    print(f"measured on {os.cpu_count()} cores, {platform.platform()}, Python {platform.python_version()}")


def put(ranking: Ranking) -> None:
    """Put the tables of a ranking into the page."""
    before, _, rest = PAGE.read_text("utf-8").partition(BEGIN)
    _, _, after = rest.partition(END)
    PAGE.write_text(before + "\n".join(tables(ranking)) + "\n" + END + after, "utf-8")


def _has_reports(name: str) -> bool:
    return all((WORK / name / f"seed-{seed}/report.json").exists() for seed in SEEDS)


def _examine(name: str, arguments: Sequence[str]) -> None:
    if _has_reports(name):
        return
    seeds = ",".join(map(str, SEEDS))
    command = [sys.executable, "-c", "import sys; from assay.cli.main import main; main()", "memory", "compare"]
    asked = [*command, "--seeds", seeds, *SIZE, *arguments, "--output-dir", str(WORK / name)]
    print(f"{name}: {' '.join(asked[3:])}", file=sys.stderr, flush=True)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with (WORK / f"{name}.log").open("w") as log:
        done = subprocess.run(asked, cwd=WORK, env=environment, stdout=log, stderr=log, check=False)
    if done.returncode:
        with contextlib.suppress(OSError):
            print((WORK / f"{name}.log").read_text("utf-8", "replace")[-1500:], file=sys.stderr)
        raise SystemExit(f"{name}: exit code {done.returncode}")


if __name__ == "__main__":
    if "--write" in sys.argv:
        write()
    else:
        print("\n".join(tables(measured())))
