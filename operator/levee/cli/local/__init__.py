"""A run on this machine, seen from the command line: start it, show it, find it again, read its streams."""
