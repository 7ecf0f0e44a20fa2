"""Experiments that compare prompts: definition, and assignment of tasks to variants."""

from __future__ import annotations

import hashlib
import random
import re
import secrets
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime

from assay.coded_error import CodedError
from assay.github_app.outcomes.experiments.metrics import EXPERIMENT_METRICS
from assay.github_app.outcomes.experiments.prompt_texts import NoVersion, version_named
from assay.github_app.provenance.declarations import TASK_ID
from assay.github_app.store import ExperimentRow, Method, Store, Variant

MOST_VARIANTS = 6
LEAST_SHARE = 0.05
"""Smallest share of a variant; with less, results take too long."""
MOST_TEXT = 1000
_NAME = re.compile(r"[a-z0-9][a-z0-9_.-]{0,59}")
_DRAW = random.SystemRandom()


class NoExperiment(CodedError):
    """Reason why an experiment is invalid, in one line."""

    code = "experiment.invalid"


def create(
    store: Store,
    repository_id: int,
    name: str,
    variants: Sequence[Variant],
    at: datetime,
    *,
    method: Method = Method.hash,
    metric: str = "merged",
    alpha: float = 0.05,
    about: str = "",
    by: str | None = None,
) -> ExperimentRow:
    """Create an experiment; shares are scaled to sum to 1. Raises `NoExperiment`.

    The deciding metric and the error are fixed now, because choosing them after seeing the results makes chance look
    like an effect.
    """
    if not _NAME.fullmatch(name):
        raise NoExperiment("a name has lower-case letters, digits, `_`, `.` and `-`, at most 60")
    if metric not in EXPERIMENT_METRICS:
        raise NoExperiment(f"the metric is one of {', '.join(EXPERIMENT_METRICS)}")
    if not 0.001 <= alpha <= 0.2:
        raise NoExperiment("alpha is from 0.001 to 0.2")
    scaled = _scaled(variants)
    try:
        scaled = tuple(_with_version(store, repository_id, one) for one in scaled)
    except NoVersion as error:
        raise NoExperiment(str(error)) from None
    experiment = ExperimentRow(
        repository_id=repository_id,
        name=name,
        about=about[:MOST_TEXT],
        method=method,
        salt=secrets.token_hex(16),
        variants=scaled,
        metric=metric,
        alpha=alpha,
        created_at=at,
        created_by=by,
        ended_at=None,
        ended_by=None,
        conclusion=None,
    )
    if not store.experiments.create(experiment):
        raise NoExperiment(f"the experiment {name} exists already")
    return experiment


def assign(
    store: Store,
    repository_id: int,
    name: str,
    task_id: str,
    at: datetime,
    *,
    draw: Callable[[], float] = _DRAW.random,
    told_by: str | None = None,
) -> Variant:
    """Return the variant of a task, assigning it on the first call by `told_by`. Raises `NoExperiment`.

    A finished task cannot be assigned, because the variant could then be picked by the result.
    """
    if not re.fullmatch(TASK_ID, task_id):
        raise NoExperiment("a task has letters, digits and _.:/@+=~- , at most 100, a letter or digit first")
    experiment = running(store, repository_id, name)
    known = store.experiments.of_task(repository_id, task_id).get(name)
    if known is None:
        if experiment.ended_at is not None:
            raise NoExperiment(f"the experiment {name} has ended")
        task = store.tasks.get(repository_id, task_id)
        if task is not None and (task.number is not None or task.status is not None):
            raise NoExperiment(
                f"the task {task_id} has a pull request or has ended: it is too late to assign a variant",
                code="experiment.too-late",
            )
        place = hashed(experiment.salt, task_id) if experiment.method is Method.hash else draw()
        try:
            known = store.experiments.assign(repository_id, name, task_id, drawn(experiment.variants, place).name, at)
        except LookupError as error:
            raise NoExperiment(str(error)) from None
    variant = experiment.variant(known)
    if variant is None:
        raise NoExperiment(f"the task {task_id} has the variant {known}, which does not belong to {name}")
    if variant.prompt_version is not None:
        store.tasks.put(repository_id, task_id, at, prompt_version=variant.prompt_version, told_by=told_by)
    return variant


def end(store: Store, repository_id: int, name: str, at: datetime, *, by: str | None, conclusion: str) -> bool:
    """Stop assigning tasks; return False if it had ended. Raises `NoExperiment`."""
    running(store, repository_id, name)
    return store.experiments.end(repository_id, name, at, by=by, conclusion=conclusion[:MOST_TEXT])


def running(store: Store, repository_id: int, name: str) -> ExperimentRow:
    """Return the experiment of this name, ended or not. Raises `NoExperiment`."""
    found = store.experiments.get(repository_id, name)
    if found is None:
        raise NoExperiment(f"there is no experiment {name[:60]}", code="experiment.unknown")
    return found


def hashed(salt: str, task_id: str) -> float:
    """Hash a task id to a number from 0 to 1: the first 53 bits of SHA-256 over the salt and the id."""
    digest = hashlib.sha256(f"{salt}\0{task_id}".encode("utf-8", "surrogatepass")).digest()
    return (int.from_bytes(digest[:8], "big") >> 11) / 2**53


def drawn(variants: Sequence[Variant], place: float) -> Variant:
    """Return the variant whose share contains a number from 0 to 1."""
    end_of_share = 0.0
    for variant in variants:
        end_of_share += variant.share
        if place < end_of_share:
            return variant
    return variants[-1]


def _with_version(store: Store, repository_id: int, variant: Variant) -> Variant:
    """Return the variant with its full prompt version, resolved from a prefix. Raises `NoVersion`."""
    if variant.prompt_version is None:
        return variant
    return replace(variant, prompt_version=version_named(store, repository_id, variant.prompt_version).version)


def _scaled(variants: Sequence[Variant]) -> tuple[Variant, ...]:
    if not 2 <= len(variants) <= MOST_VARIANTS:
        raise NoExperiment(f"an experiment has 2 to {MOST_VARIANTS} variants")
    names = [one.name for one in variants]
    if len(set(names)) < len(names) or not all(_NAME.fullmatch(name) for name in names):
        raise NoExperiment("each variant has a unique name of lower-case letters, digits, `_`, `.` and `-`")
    total = sum(one.share for one in variants)
    if not 0 < total < float("inf") or any(one.share / total < LEAST_SHARE for one in variants):
        raise NoExperiment(f"each variant has a share of at least {LEAST_SHARE:.0%}")
    return tuple(Variant(one.name, one.share / total, one.prompt_version) for one in variants)
