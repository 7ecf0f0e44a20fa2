"""The Action: one change validated inside a GitHub workflow, with the workflow's own token and no server.

Three steps in three processes (`steps.py`): fetch has the token, validate has none, publish has it again.
"""
