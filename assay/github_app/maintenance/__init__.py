"""Scheduled work: sweep, daily review, retries, sync."""
