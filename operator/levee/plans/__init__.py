"""From a topology to a verified plan and what it means: its report, and what is to run of it.

Why: the command line and the operator must plan alike, and say the same about it.
Called by: `levee.cli`, `levee.serve`.
"""
