"""Tables: the use cases of a match, from the request to the log and to the views."""
