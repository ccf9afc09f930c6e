"""What benches on the test cluster share: a namespace with an operator and a topology that is watched, and the gaps in its stream."""
