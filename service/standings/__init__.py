"""Standings: leaderboards and statistics of finished matches."""
