"""Register `MIGRATIONS`; the order matters."""

from __future__ import annotations

from assay.validators.risk.migrations.alembic import Alembic
from assay.validators.risk.migrations.django import Django
from assay.validators.risk.migrations.javascript import JavaScript
from assay.validators.risk.migrations.migration import Migration
from assay.validators.risk.migrations.prisma import Prisma
from assay.validators.risk.migrations.rails import Rails
from assay.validators.risk.migrations.sql import Sql

MIGRATIONS: tuple[Migration, ...] = (
    Sql(),
    Alembic(),
    Django(),
    Prisma(),
    Rails(),
    JavaScript(),
)
