"""Pure rules: games, the table around them, fair deals and the format of recorded events."""
