"""Review of a change by a language model: every finding is checked against both trees before it is reported."""
