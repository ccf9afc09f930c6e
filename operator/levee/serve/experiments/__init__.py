"""Experiments as resources: each is refused, waits, runs as a Job, and gets its verdict; deleted, it leaves nothing behind."""
