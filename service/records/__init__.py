"""Records: what proves a match afterwards. Records, audits, signed heads, the transparency log."""
