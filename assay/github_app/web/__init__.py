"""Routes of the server: webhook, API, uploads and dashboard, with their limits and authentication."""
