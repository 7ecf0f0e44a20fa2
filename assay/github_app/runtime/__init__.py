"""Context, queues and retry policy of job handlers."""
