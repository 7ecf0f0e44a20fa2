"""Experiments: compared variants, and the variant of each task."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ForeignKeyConstraint, select, update
from sqlalchemy.orm import Mapped, mapped_column

from assay.github_app.store.database.columns import BigKey, JsonAs, Kept, Key, StoredRow, described
from assay.github_app.store.database.database import Tables, insert_new, locked, one


@dataclass(frozen=True, slots=True)
class Variant:
    """One variant: its name, its share of the tasks (all shares are above 0 and add up to 1), and its prompt."""

    name: str
    share: float
    prompt_version: str | None = None


def _variants(stored: Iterable[Mapping[str, Any]]) -> tuple[Variant, ...]:
    return tuple(Variant(**one) for one in stored)


class ExperimentRow(StoredRow):
    """An experiment. The first variant is the control; `metric` decides."""

    __tablename__ = "experiments"
    __table_args__ = described(
        "Experiments: variants with their shares and prompt versions, and the deciding metric.",
        Kept.history_days,
    )

    repository_id: Mapped[BigKey]
    name: Mapped[Key]
    about: Mapped[str]
    salt: Mapped[str]
    variants: Mapped[tuple[Variant, ...]] = mapped_column(JsonAs(_variants))
    metric: Mapped[str]
    created_at: Mapped[datetime]
    created_by: Mapped[str | None]
    ended_at: Mapped[datetime | None]
    ended_by: Mapped[str | None]
    conclusion: Mapped[str | None]

    @property
    def control(self) -> Variant:
        return self.variants[0]

    def variant(self, name: str) -> Variant | None:
        """Return the variant of this name."""
        return next((one for one in self.variants if one.name == name), None)


class AssignmentRow(StoredRow):
    """A task's variant."""

    __tablename__ = "experiment_assignments"
    __table_args__ = (
        ForeignKeyConstraint(
            ["repository_id", "name"], ["experiments.repository_id", "experiments.name"], ondelete="CASCADE"
        ),
        described("The variant of each task in an experiment; it never changes.", Kept.history_days),
    )

    repository_id: Mapped[BigKey]
    name: Mapped[Key]
    task_id: Mapped[Key]
    variant: Mapped[str]
    at: Mapped[datetime]


class Experiments(Tables):
    """The tables `experiments` and `experiment_assignments`."""

    def create(self, experiment: ExperimentRow) -> bool:
        """Insert an experiment; return False if the name exists."""
        with self._database.write() as connection:
            return insert_new(connection, ExperimentRow, asdict(experiment))

    def get(self, repository_id: int, name: str) -> ExperimentRow | None:
        """Return the experiment of this name."""
        return self._database.one(select(ExperimentRow).filter_by(repository_id=repository_id, name=name))

    def of(self, repository_ids: Iterable[int] | None = None) -> tuple[ExperimentRow, ...]:
        """Return the experiments of some repositories (default: all), newest first."""
        wanted = select(ExperimentRow).order_by(ExperimentRow.created_at.desc(), ExperimentRow.name)
        if repository_ids is not None:
            wanted = wanted.where(ExperimentRow.repository_id.in_(list(repository_ids)))
        return self._database.rows(wanted)

    def assign(self, repository_id: int, name: str, task_id: str, variant: str, at: datetime) -> str:
        """Return the task's variant, assigning this one if it has none. Raises `LookupError` without an experiment."""
        key = {"repository_id": repository_id, "name": name}
        with self._database.write() as connection:
            experiment = locked(connection, ExperimentRow, key)
            known = one(connection, select(AssignmentRow).filter_by(**key, task_id=task_id))
            if known is not None:
                return known.variant
            if experiment is None or experiment.ended_at is not None:
                raise LookupError(f"the experiment {name} is not running")
            insert_new(connection, AssignmentRow, {**key, "task_id": task_id, "variant": variant, "at": at})
            return variant

    def assignments(self, repository_id: int, name: str) -> tuple[AssignmentRow, ...]:
        """Return all tasks of an experiment, in the order they were assigned."""
        wanted = select(AssignmentRow).filter_by(repository_id=repository_id, name=name)
        return self._database.rows(wanted.order_by(AssignmentRow.at, AssignmentRow.task_id))

    def of_task(self, repository_id: int, task_id: str) -> Mapping[str, str]:
        """Return experiment -> variant, for one task."""
        assigned = self._database.rows(select(AssignmentRow).filter_by(repository_id=repository_id, task_id=task_id))
        return {row.name: row.variant for row in assigned}

    def end(self, repository_id: int, name: str, at: datetime, *, by: str | None, conclusion: str) -> bool:
        """End the assignment of tasks; return False if the experiment had ended or does not exist."""
        running = update(ExperimentRow).filter_by(repository_id=repository_id, name=name, ended_at=None)
        return self._database.execute(running.values(ended_at=at, ended_by=by, conclusion=conclusion)) > 0
