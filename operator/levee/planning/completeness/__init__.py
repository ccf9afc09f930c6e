"""Plans that promise internal completeness: the model, its verifier, and the optimisers that compete on it."""
