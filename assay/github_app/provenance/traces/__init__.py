"""Traces of agents' sessions, read into neutral steps: OpenTelemetry spans, Claude Code."""
