"""The evidence for the data plane: epochs, throughput, requests, density and recovery, beside Spark's own on the same machine."""
