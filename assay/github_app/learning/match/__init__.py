"""Review comments compared with rules, and alerts about repeats."""
