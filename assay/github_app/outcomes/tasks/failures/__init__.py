"""Why tasks fail: one file for each category, each with the evidence it rests on."""
