"""One validation, in this process or an isolated one."""
