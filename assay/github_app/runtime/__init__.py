"""What job handlers use: context, queues, retry policy."""
