"""Queries across tables."""
