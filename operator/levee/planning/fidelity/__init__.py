"""Plans that promise output fidelity: the model, its verifier, and the optimisers that compete on it."""
