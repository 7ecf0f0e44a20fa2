"""Where the commands of a project are found: one file for each family of projects, best first.

What a project wrote down itself (scripts, targets) comes before what only follows from its settings.
"""
