"""Imports, definitions and uses in JavaScript and TypeScript."""
