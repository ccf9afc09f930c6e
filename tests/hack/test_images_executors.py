"""Executors run in the worker's image: what Spark needs to start them is not left out of it."""

import pytest

from images.contents import read_contents

NEEDED = (
    "spark-kubernetes_2.13-4.3.0.jar",
    "kubernetes-client-7.6.1.jar",
    "kubernetes-client-api-7.6.1.jar",
    "kubernetes-httpclient-vertx-7.6.1.jar",
    "kubernetes-model-core-7.6.1.jar",
    "spark-network-shuffle_2.13-4.3.0.jar",
)


@pytest.mark.parametrize("jar", NEEDED)
def test_the_image_of_workers_has_what_starts_executors(jar: str) -> None:
    assert read_contents().layers["spark"].takes(f"pyspark/jars/{jar}")
