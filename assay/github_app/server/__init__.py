"""Web application, worker and job engine."""
