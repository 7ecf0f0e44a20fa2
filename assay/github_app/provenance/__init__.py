"""Who wrote a change, with which instructions, and in which steps."""
