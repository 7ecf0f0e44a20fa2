"""squawk on changed PostgreSQL migrations: locked tables, broken clients, lost data."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.validators.changes.change import ChangedFile, shown
from assay.validators.changes.language_table import languages
from assay.validators.io import process
from assay.validators.io.json_parts import dicts, number, text
from assay.validators.report.model import Severity
from assay.validators.report.unknown import NotChecked
from assay.validators.tools.scanners.scanner import Assignment, Scan, Sighting

RULES = frozenset(
    "adding-field-with-default adding-foreign-key-constraint adding-not-nullable-field adding-required-field "
    "adding-serial-primary-key-field ban-alter-domain-with-add-constraint ban-concurrent-index-creation-in-transaction "
    "ban-drop-column ban-drop-database ban-drop-not-null ban-drop-table ban-truncate-cascade "
    "ban-uncommitted-transaction changing-column-type constraint-missing-not-valid disallowed-unique-constraint "
    "renaming-column renaming-table require-concurrent-index-creation require-concurrent-index-deletion "
    "transaction-nesting".split()
)
"""Rules about possible failures; those about style (`prefer-…`) and time limits are left out."""

_FILES = re.compile(
    r"(?:^|/)(?:migrations?|migrate|schema_changes|changesets?|flyway|liquibase|alembic|db/(?:changes|updates|sql))/.*\.sql$"
    r"|(?:^|/)V\d[\d._]*__[^/]*\.sql$|(?:^|/)\d{8,14}[_-][^/]*\.sql$",
    re.IGNORECASE,
)
_WAY_BACK = re.compile(r"(?:^|[._/-])(?:down|rollback|undo|revert)\.sql$|(?:^|/)U\d[\d._]*__[^/]*\.sql$", re.IGNORECASE)
_SETTINGS = ".squawk.toml"
NOT_POSTGRESQL = "squawk reads PostgreSQL, and cannot read this file"


class Squawk:
    """Forward migrations; one that undoes another may drop what it likes."""

    name = "squawk"
    answers = None
    covers = languages("sql")

    def wants(self, file: ChangedFile) -> bool:
        """Return whether a file is SQL in a migration folder or with a migration's name."""
        return _FILES.search(file.path) is not None and not _WAY_BACK.search(file.path)

    def scan(self, assignment: Assignment) -> Scan:
        """Run once, with the base's own settings where it has some."""
        words = [process.own_program("squawk"), "--reporter", "json"]
        settings = assignment.settings(_SETTINGS)
        if settings is not None:
            words += ["--config", str(settings)]
        answer = assignment.answer(self.name, [*words, "--", *assignment.names], list, good=(0, 1))
        unread = {text(entry.get("file")) for entry in dicts(answer) if entry.get("rule_name") == "syntax-error"}
        not_checked = [
            NotChecked(shown(where.path), NOT_POSTGRESQL)
            for name in sorted(unread)
            if (where := assignment.export.at(name)) is not None and where.side == "head"
        ]
        entries = [entry for entry in dicts(answer) if entry.get("file") not in unread]
        return Scan(tuple(_sightings(entries, assignment)), tuple(not_checked), num_unread=len(not_checked))


def _sightings(entries: list[dict[str, object]], assignment: Assignment) -> Iterator[Sighting]:
    for entry in entries:
        where = assignment.export.at(entry.get("file"))
        row, last = number(entry.get("line")), number(entry.get("line_end"))
        rule = text(entry.get("rule_name"))
        if where is not None and row is not None and rule in RULES:
            help_ = text(entry.get("help")) or None
            yield Sighting(where, rule, Severity.warning, text(entry.get("message")), row + 1, (last or row) + 1, help_)


squawk = Squawk()
