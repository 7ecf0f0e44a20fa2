"""Rule `design`: dependency direction, cycles, overrides, clients of infrastructure; each with evidence."""
