"""Register `MIGRATIONS`; the order matters."""

from __future__ import annotations

from assay.validators.risk.migrations.alembic import ALEMBIC
from assay.validators.risk.migrations.django import DJANGO
from assay.validators.risk.migrations.javascript import JAVASCRIPT
from assay.validators.risk.migrations.migration import Migration
from assay.validators.risk.migrations.prisma import PRISMA
from assay.validators.risk.migrations.rails import RAILS
from assay.validators.risk.migrations.resource_definitions import RESOURCE_DEFINITIONS
from assay.validators.risk.migrations.sql import SQL

MIGRATIONS: tuple[Migration, ...] = (SQL, ALEMBIC, DJANGO, PRISMA, RAILS, JAVASCRIPT, RESOURCE_DEFINITIONS)
