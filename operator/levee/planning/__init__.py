"""Pure optimisers: which replicas are active where, what that guarantees and costs, and a verifier beside each."""
