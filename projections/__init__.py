"""Current answers kept in Redis: views of tables, the lobby, tables of a player, tables waiting for bots."""
