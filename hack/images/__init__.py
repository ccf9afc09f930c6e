"""Images without a container runtime: what is in them stands in docker/contents.toml, and is packed here, layer by layer.

Why: tests on a real cluster need images of the code as it is now, in seconds, on machines without Docker.
Called by: cluster (`load-image`, `up`), the Dockerfile, and `python -m hack.images`.
"""
