"""Connections to services that are not trusted."""
