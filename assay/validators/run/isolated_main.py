"""Validation process for one change: `python -P -m assay.validators.run.isolated_main`, started by `isolated` alone.

It reads the request from standard input and answers with lines of JSON on standard output. It exits when its input
ends, because the parent is dead.
"""

from __future__ import annotations

import json
import os
import resource
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import IO, Any

from assay.validators.changes.change import shown
from assay.validators.configuration.model import ValidationConfig
from assay.validators.errors import ConfigurationError, ObjectMissing, UsageError, ValidatorError
from assay.validators.io import process
from assay.validators.report.model import Tier, ToolsResult
from assay.validators.report.risk_facts import LineCoverage
from assay.validators.run.isolated import MOST_LINES, MOST_REQUEST_BYTES, Commands, ValidationRequest
from assay.validators.run.model_proxy import RelayedModel

REVIEWS_OF_A_PULL, REVIEWS_OF_A_MONTH = 3, 100
"""Budgets of a pull request, and of a repository in a calendar month (UTC), in budgets of one review."""
MOST_FILE_BYTES = 4 * 1024**3


def _main() -> None:
    """Validate the request on standard input, and answer on standard output."""
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    # Stray prints, here or in a library, must not be taken for an answer.
    os.dup2(2, 1)
    request_line = os.fdopen(os.dup(0), "rb").readline(MOST_REQUEST_BYTES)
    data = json.loads(request_line)
    _limited(data.pop("cpu_s"), data.pop("memory_bytes"))
    writer, request = _ProgressWriter(answers), ValidationRequest.from_data(data)
    model = RelayedModel(request.model, writer.say) if request.model is not None else None
    threading.Thread(target=_listen, args=(model,), daemon=True).start()
    writer.say(_answer(request, writer, model))


def _limited(cpu_s: int, memory_bytes: int) -> None:
    """Limit this process and each one it starts; the parent watches their total memory."""
    # RLIMIT_DATA, not RLIMIT_AS: programs reserve far more addresses than they ever use.
    for what, limit in (
        (resource.RLIMIT_CPU, cpu_s),
        (resource.RLIMIT_DATA, memory_bytes),
        (resource.RLIMIT_FSIZE, MOST_FILE_BYTES),
        (resource.RLIMIT_CORE, 0),
    ):
        process.limit_resource(what, limit)


def _listen(model: RelayedModel | None) -> None:
    """Pass the model's replies on from standard input; exit when it closes, because the parent is gone."""
    left = b""
    while data := os.read(0, 65536):
        if model is None:
            continue
        *lines, left = (left + data).split(b"\n")
        for line in lines:
            model.hear(json.loads(line))
    process.stop_all_of_ours()
    os._exit(4)


class _ProgressWriter:
    """Progress lines for the parent; each step of a tier once."""

    def __init__(self, answers: IO[bytes]) -> None:
        self._answers, self._lock = answers, threading.Lock()

    def say(self, what: Mapping[str, Any]) -> None:
        """Write one line of the answer."""
        data = memoryview(json.dumps(what).encode("ascii") + b"\n")
        with self._lock:
            while data:
                data = data[self._answers.write(data) :]

    def began(self, tier: Tier, what: str) -> None:
        """Report that a step of a tier begins."""
        self.say({"progress": f"{tier}: {what}"})

    def ended(self, tier: Tier, what: str, how: str) -> None:
        """Ignore the end: the next step's start implies it."""


def _answer(request: ValidationRequest, writer: _ProgressWriter, model: RelayedModel | None) -> dict[str, Any]:
    try:
        return _report(request, writer, model)
    except ConfigurationError as error:
        problems: Sequence[Any] = [[one.file, one.line, one.message, one.code] for one in error.problems]
        return {"error": {"kind": "configuration", "said": str(error), "problems": problems}}
    except ObjectMissing as error:
        return {"error": {"kind": "missing", "said": error.object_id}}
    except ValidatorError as error:
        return {"error": {"kind": "usage" if isinstance(error, UsageError) else "other", "said": str(error)}}


def _report(request: ValidationRequest, writer: _ProgressWriter, model: RelayedModel | None) -> dict[str, Any]:
    from assay.validators.configuration.loading import load_configuration
    from assay.validators.render import json as format_
    from assay.validators.run.pipeline import Options, known_names, validate, with_tests
    from assay.validators.vcs.missing_contents import MISSING
    from assay.validators.vcs.read_change import read_change
    from assay.validators.vcs.repository import Repository

    with Repository(request.repository) as repository:
        change = read_change(repository, request.base, request.head)
        for file in change.files:
            if file.unreadable == MISSING:  # the App makes its clone again; a user's may be partial
                raise ObjectMissing(file.head_blob or file.base_blob or file.path)
        change = replace(
            change,
            base_name=request.base_name or request.base[:12],
            head_name=request.head_name or request.head[:12],
            branch=request.head_name or None,
            pull_text=request.pull_text,
        )
        asked = request.options
        settings = repository.tree(asked.settings or change.base_sha, request.base_name or None)
        change = replace(change, settings=settings, inherited=request.inherited)
        loaded = load_configuration(settings, known_names(), request.inherited)
        loaded = replace(loaded, config=with_tests(loaded.config, asked.tests))
        options = Options(
            tiers=asked.tiers,
            progress=writer,
            notes=loaded.notes,
            sources=loaded.sources,
            learned_rules=asked.learned_rules,
            past_pulls=asked.past_pulls,
            earlier=asked.earlier,
            review_usd=_left_usd(loaded.config, asked.spent_usd),
            run_tools=_ways_to_run()[asked.commands],
            for_tests=_for_tests(asked.commands),
            model=model,
        )
        report = validate(change, loaded.config, options)
    lines = report.tools.line_coverage if report.tools is not None and asked.lines else None
    return {"report": format_.document(report), "lines": _few_enough(lines)}


def _left_usd(config: ValidationConfig, spent_usd: tuple[float, float]) -> float:
    """Return what is left for a review of the pull request's and the repository's budgets."""
    of_pull, of_month = spent_usd
    one = config.tier2.review.max_usd
    return max(0.0, min(REVIEWS_OF_A_PULL * one - of_pull, REVIEWS_OF_A_MONTH * one - of_month))


def _ways_to_run() -> Mapping[Commands, Callable[..., ToolsResult]]:
    from assay.validators.tools import guarded
    from assay.validators.tools.run import run_tools

    return {
        Commands.none: guarded.without_commands,
        Commands.sandboxed: guarded.run_sandboxed,
        Commands.as_configured: run_tools,
        Commands.alone: partial(run_tools, scanners=False),
    }


def _for_tests(commands: Commands) -> Callable[[ValidationConfig], ValidationConfig] | None:
    """Return the configuration that tests of a model run by; None where no command may run."""
    from assay.validators.tools.guarded import sandboxed

    if commands is Commands.none:
        return None
    return sandboxed if commands is Commands.sandboxed else lambda config: config


def _few_enough(lines: LineCoverage | None) -> dict[str, list[tuple[int, bool]]] | None:
    """Return the lines as the answer carries them, or None if there are none or too many."""
    if lines is None or sum(len(ran) for ran in lines.values()) > MOST_LINES:
        return None
    return {shown(path): sorted(ran.items()) for path, ran in lines.items()}


if __name__ == "__main__":
    _main()
