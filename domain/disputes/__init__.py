"""Disputes: the challenge of one recorded version of a table, its evidence and how arbiters decide it."""
