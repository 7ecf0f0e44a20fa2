"""Discovery of a project's commands: one file for each ecosystem, best first.

Scripts and targets the project defines come before commands inferred from its settings.
"""
