"""The scanners in the order they run: semgrep first, since bandit leaves out what semgrep has checked."""
