"""Who wrote a change, and with which instructions."""
