"""A put whose answer gets lost: what the client says of it, and what the store holds. The epoch log reads back because of this."""

import threading
import time
import uuid
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from obstore.exceptions import AlreadyExistsError, GenericError

from servers.s3 import S3
from servers.toxiproxy import Proxy, Toxiproxy
from tests.e2e.objects import client, content, create, holds

pytestmark = pytest.mark.e2e
NEVER_MS = 3_600_000


@pytest.fixture
def way(s3: S3, toxiproxy: Toxiproxy) -> Iterator[Proxy]:
    with toxiproxy.proxy(urlsplit(s3.endpoint).netloc) as proxy:
        yield proxy


@pytest.fixture
def key() -> str:
    return f"lost-{uuid.uuid4().hex}/epoch"


def lose_the_answer(s3: S3, way: Proxy, key: str) -> None:
    """Hold the answer back, until the object is stored; then break the connection, and let everything through again."""
    store = client(s3)
    while not holds(store, key):
        time.sleep(0.01)
    way.cut()
    way.heal()


def test_a_lost_answer_looks_like_a_lost_race_to_a_client_that_tries_again(s3: S3, way: Proxy, key: str) -> None:
    way.add("latency", {"latency": NEVER_MS})
    loser = threading.Thread(target=lose_the_answer, args=(s3, way, key))
    loser.start()
    with pytest.raises(AlreadyExistsError):
        create(client(s3, endpoint=f"http://{way.address}"), key, b"mine")
    loser.join()
    assert content(client(s3), key) == b"mine"


@pytest.mark.parametrize(("kind", "attribute", "value"), [("limit_data", "bytes", 0), ("timeout", "timeout", 200)])
def test_a_lost_answer_is_an_error_though_the_object_is_stored(s3: S3, way: Proxy, key: str, kind: str, attribute: str, value: int) -> None:
    way.add(kind, {attribute: value})
    with pytest.raises(GenericError):
        create(client(s3, endpoint=f"http://{way.address}", max_retries=0), key, b"mine")
    assert content(client(s3), key) == b"mine"


def test_nothing_is_stored_while_the_way_is_cut_and_all_is_well_after_it(s3: S3, way: Proxy, key: str) -> None:
    store = client(s3, endpoint=f"http://{way.address}", max_retries=0)
    way.cut()
    with pytest.raises(GenericError):
        create(store, key, b"lost")
    assert not holds(client(s3), key)
    way.heal()
    create(store, key, b"mine")
    assert content(client(s3), key) == b"mine"
