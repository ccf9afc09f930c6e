"""The evidence for load-adaptive replication: LAAR's evaluation done again (Bellavista et al., section 5), beside its published figures."""
