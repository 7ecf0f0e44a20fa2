"""What rules read: changed texts, definitions, rule files, learned rules, severities."""
