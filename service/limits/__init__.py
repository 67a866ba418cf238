"""Limits: what one caller may do, counted by all processes together, or by each where Redis does not answer."""
