"""Connections, column types, migrations and write turns."""
