"""The GitHub App: web server, durable jobs, commands, learning and dashboard."""
