"""A real Kubernetes of several nodes on one machine, built from package registries; its nodes can be crashed, frozen, cut off.

Why: what the operator does when a node dies must be seen on real kubelets, and neither CI nor everyone's laptop has a container runtime.
Called by: `make cluster-up` and its kin, tests/e2e/cluster, people (`python -m hack.cluster -h`).
"""
