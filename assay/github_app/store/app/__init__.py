"""Installations, deliveries, leases, sessions and tokens."""
