"""Webhook payloads and API JSON, parsed into typed events."""
