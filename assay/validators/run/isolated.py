"""Validate in a separate process that can be stopped at any moment.

    report = validate_isolated(ValidationRequest("mirror.git", base, head), deadline_s=600, memory_bytes=4 << 30)

The child (`isolated_main`) gets the request on its standard input, and no credential: its environment is the
allow-listed one. It has a separate process group, and everything it starts carries a mark by which it is found and
ended with it. The child exits when its standard input ends, because its parent is dead. It answers with lines of
JSON: progress, questions to a model (`model_proxy`), then the report or the error.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import IO, Any, Protocol

from assay.llm import ConversingModel
from assay.validators.changes.change import path_of
from assay.validators.changes.inherited import Inherited, InheritedFile
from assay.validators.changes.past_pulls import PastPull
from assay.validators.errors import (
    ConfigurationError,
    ConfigurationProblem,
    CouldNotRun,
    ObjectMissing,
    UsageError,
    ValidationEnded,
)
from assay.validators.io import process
from assay.validators.quality.inputs.learned_model import LearnedRule, rule_from
from assay.validators.report.model import Tier, ValidationReport
from assay.validators.report.read import read_report
from assay.validators.review.earlier import EarlierFinding
from assay.validators.run.model_proxy import Answering

MOST_ANSWER_BYTES = 64 * 1024 * 1024
MOST_REQUEST_BYTES = 8 * 1024 * 1024
"""Maximum request size: the most learned rules of one validation at their maximum length."""
MOST_LINES = 2_000_000
"""Maximum lines whose coverage an answer carries; about 30 MB."""
LOOK_EVERY_S = 0.2
"""Interval of the checks for a stop request and for memory use."""
_OUT_OF_MEMORY = ("MemoryError", "Cannot allocate memory", "can't start new thread")
_KEPT_OF_ENVIRONMENT = (
    *("ASSAY_SEMGREP", "ASSAY_NO_CACHE", "XDG_CACHE_HOME"),
    *("ASSAY_OFFLINE", "ASSAY_DEPS_DEV_URL", "ASSAY_OSV_URL", "SSL_CERT_FILE", "SSL_CERT_DIR"),
)
_PROXIES = ("HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy")


class Stop(Protocol):
    """Stop flag, polled during validation; a `threading.Event` fits."""

    def is_set(self) -> bool:
        """Return whether to stop."""


class Commands(StrEnum):
    """How the repository's own commands run; scanners run no code of the repository.

    `none`: they do not run. `sandboxed`: in a sandbox without network, and only where there is one. `as_configured`:
    as `tier1.sandbox` of the repository has it, for a machine that is itself the sandbox. `alone`: the same, without
    the scanners.
    """

    none = "none"
    sandboxed = "sandboxed"
    as_configured = "as_configured"
    alone = "alone"


@dataclass(frozen=True, slots=True)
class ValidationOptions:
    """Scope of one validation, beyond the configuration, from the pull request to the validation process.

    The configuration is the one at the commit `settings`, else at the base. `lines`: return line coverage.
    `learned_rules` apply in addition to those in the base's file. `past_pulls` are those that were recorded, `earlier`
    the review's findings of earlier pushes and dismissed ones, `spent_usd` what reviews cost so far: of the pull
    request, and of the repository this month. `tests` goes before `tier1.tests`, "" leaves
    it.
    """

    tiers: tuple[Tier, ...] = (Tier.tools, Tier.quality, Tier.risk)
    commands: Commands = Commands.none
    settings: str | None = None
    lines: bool = False
    learned_rules: tuple[LearnedRule, ...] = ()
    past_pulls: tuple[PastPull, ...] = ()
    earlier: tuple[EarlierFinding, ...] = ()
    spent_usd: tuple[float, float] = (0.0, 0.0)
    tests: str = ""

    def to_data(self) -> dict[str, Any]:
        """Return the options as plain data."""
        return {**asdict(self), "learned_rules": [rule.to_data() for rule in self.learned_rules]}

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> ValidationOptions:
        """Return the options from plain data."""
        return cls(
            tuple(map(Tier, data["tiers"])),
            Commands(data["commands"]),
            data["settings"],
            data["lines"],
            tuple(map(rule_from, data["learned_rules"])),
            tuple(PastPull(**pull) for pull in data["past_pulls"]),
            tuple(map(EarlierFinding.from_data, data["earlier"])),
            tuple(data["spent_usd"]),
            data["tests"],
        )


@dataclass(frozen=True, slots=True)
class ValidationRequest:
    """Validation request: two commits of a local repository, with their names: `head_name` is the change's branch.

    `pull_text` are the pull request's title and description. The configuration goes over the `inherited` files.
    `model` names the model that may be called.
    """

    repository: str
    base: str
    head: str
    base_name: str = ""
    head_name: str = ""
    pull_text: str = ""
    inherited: Inherited = field(default_factory=Inherited)
    options: ValidationOptions = field(default_factory=ValidationOptions)
    model: str | None = None

    def to_data(self) -> dict[str, Any]:
        """Return the request as plain data."""
        return {**asdict(self), "options": self.options.to_data()}

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> ValidationRequest:
        """Return the request from plain data."""
        inherited = data["inherited"]
        files = tuple(InheritedFile(**file) for file in inherited["files"])
        parts = {
            "inherited": Inherited(inherited["repository"], files),
            "options": ValidationOptions.from_data(data["options"]),
        }
        return cls(**{**data, **parts})


def validate_isolated(
    request: ValidationRequest,
    *,
    deadline_s: float,
    memory_bytes: int,
    on_started: Callable[[int], None] | None = None,
    on_progress: Callable[[str], None] | None = None,
    stop: Stop | None = None,
    model: ConversingModel | None = None,
) -> ValidationReport:
    """Validate a change in another process; `on_started` gets its process id, which is also its group's id.

    The child has neither a key nor a connection, so `model` is called from this process.

    Returns or raises only after the whole process group has ended. Raises `ValidationEnded` if it was stopped, ran out
    of time or memory, or died; else the validation's own errors (`ConfigurationError`, `UnknownRevision` …).
    """
    request = replace(request, model=model.name if model is not None else None)
    with tempfile.TemporaryDirectory(prefix="assay-validating-", ignore_cleanup_errors=True) as folder:
        child = _Child(request, Path(folder), deadline_s, memory_bytes)
        try:
            if on_started is not None:
                on_started(child.pid)
            answer = child.answer(on_progress or _ignored, stop, model)
        finally:
            child.end()
    return _taken(answer)


class _Child:
    """Validation process, as the parent sees it."""

    def __init__(self, request: ValidationRequest, folder: Path, deadline_s: float, memory_bytes: int) -> None:
        self._deadline = time.monotonic() + deadline_s
        self._deadline_s, self._memory_bytes = deadline_s, memory_bytes
        self._mark = process.new_mark()
        self._last_words = folder / "last-words"
        scratch = folder / "tmp"
        scratch.mkdir()
        with self._last_words.open("wb") as errors:
            self._process = process.start(
                process.own_python("assay.validators.run.isolated_main"),
                cwd=scratch,
                env=child_environment(scratch),
                errors=errors.fileno(),
                mark=self._mark,
            )
        self.pid = self._process.pid
        self._answers: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        send, receive = process.pipes(self._process)
        limits = {"cpu_s": int(deadline_s * 4) + 60, "memory_bytes": memory_bytes}
        self._send, self._sending = send, threading.Lock()
        self._reading = threading.Thread(target=self._read, args=(receive,), daemon=True)
        self._reading.start()
        self._tell({**request.to_data(), **limits})

    def answer(
        self, on_progress: Callable[[str], None], stop: Stop | None, model: ConversingModel | None = None
    ) -> Mapping[str, Any]:
        """Return the child's final answer; raise `ValidationEnded` if there is none."""
        answering = Answering(model, self._tell)
        for line in self._lines(stop):
            try:
                said = json.loads(line)
            except (ValueError, RecursionError):
                break
            if not isinstance(said, dict):
                break
            if "ask" in said:
                answering.answer(said["ask"])
                continue
            if "progress" not in said:
                return said
            on_progress(str(said["progress"])[:200])
        raise self._ended("crashed", "the validation process ended without a report")

    def end(self) -> None:
        """Stop it and every process it started."""
        process.stop(self._process, self._mark)
        self._reading.join(timeout=5)

    def _tell(self, what: Mapping[str, Any]) -> None:
        """Send one line to the child; ignore a dead child."""
        with self._sending, contextlib.suppress(OSError, ValueError):
            self._send.write(json.dumps(what).encode() + b"\n")
            self._send.flush()

    def _lines(self, stop: Stop | None) -> Iterator[bytes]:
        looked_at = 0.0
        while True:
            now = time.monotonic()
            if stop is not None and stop.is_set():
                raise self._ended("stopped", "the validation was stopped")
            if now >= self._deadline:
                raise self._ended("deadline", f"the validation took longer than {self._deadline_s:g} s")
            if now - looked_at >= LOOK_EVERY_S * 5:
                looked_at = now
                if process.memory_under(self._mark) > self._memory_bytes:
                    raise self._ended("memory", self._memory_message())
            try:
                line = self._answers.get(timeout=min(LOOK_EVERY_S, max(0.0, self._deadline - now)))
            except queue.Empty:
                continue
            if line is None:
                return
            yield line

    def _read(self, stream: IO[bytes]) -> None:
        """Read lines in a separate thread, since a pipe cannot be polled together with the stop flag."""
        left = MOST_ANSWER_BYTES
        with contextlib.suppress(OSError, ValueError):
            while left > 0:
                line = stream.readline(left)
                if not line.endswith(b"\n"):
                    break
                left -= len(line)
                self._answers.put(line)
        self._answers.put(None)

    def _memory_message(self) -> str:
        return f"the validation used more than {self._memory_bytes // 1024 // 1024} MiB"

    def _ended(self, why: str, said: str) -> ValidationEnded:
        with contextlib.suppress(OSError), self._last_words.open("rb") as file:
            file.seek(max(0, self._last_words.stat().st_size - 8192))
            words = file.read(8192).decode("utf-8", "replace")
            if why == "crashed" and any(sign in words for sign in _OUT_OF_MEMORY):
                why, said = "memory", self._memory_message()
            return ValidationEnded(why, said, incident=uuid.uuid4().hex[:12], last_words=words)
        return ValidationEnded(why, said, incident=uuid.uuid4().hex[:12])


def child_environment(scratch: Path) -> dict[str, str]:
    """Return the child's environment: no token, no key, no setting of the App.

    It has what untrusted commands may see, a folder for files, the paths of the scanners and of the scan cache, and the
    way to public registries.
    """
    kept = {name: os.environ[name] for name in _KEPT_OF_ENVIRONMENT if name in os.environ}
    # A proxy's address with a password in it is a secret.
    kept |= {name: value for name in _PROXIES if "@" not in (value := os.environ.get(name, "@"))}
    return {**process.clean_environment(kept), "TMPDIR": str(scratch), "PYTHONUTF8": "1"}


def _ignored(_: str) -> None:
    """Ignore progress."""


def _taken(answer: Mapping[str, Any]) -> ValidationReport:
    """Return the report, or raise the child's error."""
    if "report" in answer:
        return _with_lines(read_report(answer["report"]), answer.get("lines"))
    error = answer.get("error")
    if not isinstance(error, dict):
        raise CouldNotRun("the validation process returned an invalid answer")
    kind, said = str(error.get("kind")), str(error.get("said"))
    if kind == "configuration":
        problems = [ConfigurationProblem(*problem) for problem in error["problems"]]
        raise ConfigurationError(problems)
    if kind == "missing":
        raise ObjectMissing(said)
    raise UsageError(said) if kind == "usage" else CouldNotRun(said)


def _with_lines(report: ValidationReport, lines: Any) -> ValidationReport:
    """Return the report with its line coverage, which the JSON does not carry."""
    if not lines or report.tools is None:
        return report
    covered = {path_of(path): {int(line): bool(run) for line, run in ran} for path, ran in lines.items()}
    return report.with_tiers(tools=replace(report.tools, line_coverage=covered))
