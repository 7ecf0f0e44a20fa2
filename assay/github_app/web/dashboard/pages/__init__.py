"""Pages of the dashboard."""
