"""`kubectl levee`: topologies on a cluster, seen and asked by people who have kubectl and a kubeconfig."""
