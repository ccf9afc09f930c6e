"""Real servers for tests: S3, Kafka, Prometheus, and a proxy that breaks connections, installed without root and started on loopback.

Why: a store that is honest in a fake may lie in the world, so what Levee relies on is tested against the real thing.
Called by: `make servers`, `make e2e`, and the fixtures of tests/e2e.
"""
