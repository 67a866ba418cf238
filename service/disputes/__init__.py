"""Disputes: opened by players, decided by arbiters, with evidence that cannot change."""
