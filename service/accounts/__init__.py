"""Accounts: guests, names, devices and their tokens."""
