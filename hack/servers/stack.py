"""All servers of a test run, and the words in which tests are told of them.

Why: one set of servers for a whole run, whatever the number of test processes; what a test needs stands in its environment.
Called by: main (`run`).
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from servers.install import USUAL
from servers.kafka import kafka_server
from servers.s3 import s3_server
from servers.toxiproxy import toxiproxy_server

S3, S3_KIND, TOXIPROXY, KAFKA = "LEVEE_TEST_S3", "LEVEE_TEST_S3_KIND", "LEVEE_TEST_TOXIPROXY", "LEVEE_TEST_KAFKA"


def needed(s3_kind: str) -> tuple[str, ...]:
    return tuple(s3_kind if name == "versitygw" else name for name in USUAL)


@contextmanager
def stack(s3_kind: str) -> Iterator[dict[str, str]]:
    with ExitStack() as running:
        s3, _ = running.enter_context(s3_server(s3_kind))
        toxiproxy = running.enter_context(toxiproxy_server())
        kafka, _ = running.enter_context(kafka_server())
        yield {S3: s3.to_json(), S3_KIND: s3_kind, TOXIPROXY: toxiproxy.api, KAFKA: kafka.to_json()}
