"""Every page, in the order of the menu."""
