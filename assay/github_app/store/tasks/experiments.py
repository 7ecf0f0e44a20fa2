"""Experiments: compared variants, and the variant of each task."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import Column, Float, ForeignKeyConstraint, Row, Table, select, update

from assay.github_app.store.database.columns import BIG, METADATA, Json, UtcTime, Words
from assay.github_app.store.database.database import Database, by_key, insert_new, locked


class Method(StrEnum):
    """Assignment of variants: drawn at the request, or by a hash of the task's id (with a secret of the experiment)."""

    random = "random"
    hash = "hash"


EXPERIMENTS = Table(
    "experiments",
    METADATA,
    Column("repository_id", BIG, primary_key=True, autoincrement=False),
    Column("name", Words, primary_key=True),
    Column("about", Words, nullable=False),
    Column("method", Words, nullable=False),
    Column("salt", Words, nullable=False),
    Column("variants", Json, nullable=False),
    Column("metric", Words, nullable=False),
    Column("alpha", Float(), nullable=False),
    Column("created_at", UtcTime, nullable=False),
    Column("created_by", Words),
    Column("ended_at", UtcTime),
    Column("ended_by", Words),
    Column("conclusion", Words),
    info={"holds": "Experiments: variants with their shares and prompt versions, the deciding metric, and the error."},
)

ASSIGNMENTS = Table(
    "experiment_assignments",
    METADATA,
    Column("repository_id", BIG, primary_key=True, autoincrement=False),
    Column("name", Words, primary_key=True),
    Column("task_id", Words, primary_key=True),
    Column("variant", Words, nullable=False),
    Column("at", UtcTime, nullable=False),
    ForeignKeyConstraint(
        ["repository_id", "name"], ["experiments.repository_id", "experiments.name"], ondelete="CASCADE"
    ),
    info={"holds": "The variant of each task in an experiment; it never changes."},
)


@dataclass(frozen=True, slots=True)
class Variant:
    """One variant: its name, its share of the tasks (all shares are above 0 and add up to 1), and its prompt."""

    name: str
    share: float
    prompt_version: str | None = None


@dataclass(frozen=True, slots=True)
class ExperimentRow:
    """An experiment. The first variant is the control; `metric` decides, at the error `alpha`."""

    repository_id: int
    name: str
    about: str
    method: Method
    salt: str
    variants: tuple[Variant, ...]
    metric: str
    alpha: float
    created_at: datetime
    created_by: str | None
    ended_at: datetime | None
    ended_by: str | None
    conclusion: str | None

    @property
    def control(self) -> Variant:
        return self.variants[0]

    def variant(self, name: str) -> Variant | None:
        """Return the variant of this name."""
        return next((one for one in self.variants if one.name == name), None)


@dataclass(frozen=True, slots=True)
class AssignmentRow:
    """A task's variant."""

    repository_id: int
    name: str
    task_id: str
    variant: str
    at: datetime


class Experiments:
    """The tables `experiments` and `experiment_assignments`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def create(self, experiment: ExperimentRow) -> bool:
        """Insert an experiment; return False if the name exists."""
        variants = [
            {"name": one.name, "share": one.share, "prompt_version": one.prompt_version} for one in experiment.variants
        ]
        values = {column.name: getattr(experiment, column.name) for column in EXPERIMENTS.columns}
        with self._database.write() as connection:
            return insert_new(connection, EXPERIMENTS, {**values, "variants": variants})

    def get(self, repository_id: int, name: str) -> ExperimentRow | None:
        """Return the experiment of this name."""
        key = {"repository_id": repository_id, "name": name}
        with self._database.read() as connection:
            row = connection.execute(by_key(EXPERIMENTS, key)).one_or_none()
        return None if row is None else _experiment(row)

    def of(self, repository_ids: Iterable[int] | None = None) -> tuple[ExperimentRow, ...]:
        """Return the experiments of some repositories (default: all), newest first."""
        wanted = select(EXPERIMENTS).order_by(EXPERIMENTS.c.created_at.desc(), EXPERIMENTS.c.name)
        if repository_ids is not None:
            wanted = wanted.where(EXPERIMENTS.c.repository_id.in_(list(repository_ids)))
        with self._database.read() as connection:
            return tuple(_experiment(row) for row in connection.execute(wanted))

    def assign(self, repository_id: int, name: str, task_id: str, variant: str, at: datetime) -> str:
        """Return the task's variant, assigning this one if it has none. Raises `LookupError` without an experiment."""
        key = {"repository_id": repository_id, "name": name}
        with self._database.write() as connection:
            experiment = locked(connection, EXPERIMENTS, key)
            known = connection.execute(by_key(ASSIGNMENTS, {**key, "task_id": task_id})).one_or_none()
            if known is not None:
                return str(known.variant)
            if experiment is None or experiment.ended_at is not None:
                raise LookupError(f"the experiment {name} is not running")
            insert_new(connection, ASSIGNMENTS, {**key, "task_id": task_id, "variant": variant, "at": at})
            return variant

    def assignments(self, repository_id: int, name: str) -> tuple[AssignmentRow, ...]:
        """Return all tasks of an experiment, in the order they were assigned."""
        key = {"repository_id": repository_id, "name": name}
        wanted = by_key(ASSIGNMENTS, key).order_by(ASSIGNMENTS.c.at, ASSIGNMENTS.c.task_id)
        with self._database.read() as connection:
            return tuple(AssignmentRow(**row._asdict()) for row in connection.execute(wanted))

    def of_task(self, repository_id: int, task_id: str) -> Mapping[str, str]:
        """Return experiment -> variant, for one task."""
        key = {"repository_id": repository_id, "task_id": task_id}
        with self._database.read() as connection:
            return {row.name: row.variant for row in connection.execute(by_key(ASSIGNMENTS, key))}

    def end(self, repository_id: int, name: str, at: datetime, *, by: str | None, conclusion: str) -> bool:
        """End the assignment of tasks; return False if the experiment had ended or does not exist."""
        key = {"repository_id": repository_id, "name": name}
        with self._database.write() as connection:
            row = locked(connection, EXPERIMENTS, key)
            if row is None or row.ended_at is not None:
                return False
            these = (EXPERIMENTS.c[column] == value for column, value in key.items())
            values = {"ended_at": at, "ended_by": by, "conclusion": conclusion}
            connection.execute(update(EXPERIMENTS).where(*these).values(**values))
            return True


def _experiment(row: Row[Any]) -> ExperimentRow:
    values = row._asdict()
    variants = tuple(Variant(**one) for one in values["variants"])
    return ExperimentRow(**{**values, "method": Method(values["method"]), "variants": variants})
