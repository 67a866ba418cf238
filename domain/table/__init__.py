"""The table around a game: seats, host, lobby, the running match and its end."""
