"""Random applications and topologies, as the papers describe theirs: reproducible from a seed alone."""
