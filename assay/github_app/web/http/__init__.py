"""Webhook signatures, request limits and authentication."""
