"""Who wrote a change, and under which instructions."""
