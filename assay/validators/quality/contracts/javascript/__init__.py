"""Contracts of JavaScript and TypeScript modules."""
