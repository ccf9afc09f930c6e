"""Levee: Spark streaming topologies with exactly as much fault tolerance as they need.

Why: the version stands here once; pyproject.toml, the CLI and every written plan read it from here.
Called by: whoever imports `levee`; the parts are imported by their own names (`levee.topology`, `levee.planning`).
"""

__version__ = "0.1.0"
