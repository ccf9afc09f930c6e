"""What must hold of an experiment besides its shape: in itself, of the topology that it names, and of the cluster that it would run on."""
