"""Topologies on Kubernetes: workers are pods, nodes are the cluster's, and what was decided is done by API calls.

Called by: `levee.serve`.
"""
