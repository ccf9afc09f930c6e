"""What a user declares, as values: the graph, its descriptor, the nodes it runs on."""
