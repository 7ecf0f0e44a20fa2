"""Insights from recorded tasks."""
