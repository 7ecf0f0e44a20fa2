"""Validation of a change, in this process or an isolated one."""
