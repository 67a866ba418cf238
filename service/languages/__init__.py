"""The languages in which people read texts of the service: English, in which they are written, and German."""
