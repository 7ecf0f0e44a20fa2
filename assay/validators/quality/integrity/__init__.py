"""Parts of test integrity: each detects one way to make a failing test pass without a fix."""
