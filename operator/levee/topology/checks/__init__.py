"""What must hold of a topology besides its shape, by subject; topology.check lists all of it."""
