"""The command line: one file for each verb. It builds concrete things and hands them to the rooms."""
