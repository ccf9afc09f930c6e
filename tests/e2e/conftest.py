"""Real servers as fixtures.

Why: `make e2e` starts them once for all test processes and says in the environment where they are; who runs pytest by hand gets his own.
Called by: pytest.
"""

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import TypeVar

import pytest

from servers.kafka import Kafka, kafka_server
from servers.s3 import S3, s3_server
from servers.stack import KAFKA, S3_KIND, TOXIPROXY
from servers.stack import S3 as S3_ADDRESS
from servers.toxiproxy import Toxiproxy, toxiproxy_server
from servers.trouble import ServerTrouble

Running = TypeVar("Running")


@contextmanager
def or_skip(server: AbstractContextManager[Running]) -> Iterator[Running]:
    """Without its server a test is skipped with the reason; tests/conftest.py makes a failure of that in CI."""
    with ExitStack() as stack:
        try:
            running = stack.enter_context(server)
        except ServerTrouble as trouble:
            pytest.skip(str(trouble))
        yield running


@pytest.fixture(scope="session")
def s3_kind() -> str:
    return os.environ.get(S3_KIND, "versitygw")


@pytest.fixture(scope="session")
def s3(s3_kind: str) -> Iterator[S3]:
    if told := os.environ.get(S3_ADDRESS):
        yield S3.from_json(told)
    else:
        with or_skip(s3_server(s3_kind)) as (address, _):
            yield address


@pytest.fixture(scope="session")
def toxiproxy() -> Iterator[Toxiproxy]:
    if told := os.environ.get(TOXIPROXY):
        yield Toxiproxy(told)
    else:
        with or_skip(toxiproxy_server()) as running:
            yield running


@pytest.fixture(scope="session")
def kafka() -> Iterator[Kafka]:
    if told := os.environ.get(KAFKA):
        yield Kafka.from_json(told)
    else:
        with or_skip(kafka_server()) as (address, _):
            yield address
