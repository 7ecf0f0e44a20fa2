"""Commands that show what the App has recorded: experiments, feedback, insights, metrics, prompts, traces."""
