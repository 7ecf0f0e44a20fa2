"""Migrations of the tables, one step per file, run by `alembic`."""
