"""What the epoch log asks of an S3 store, asked of a real one."""

import threading
import uuid
from concurrent.futures import ThreadPoolExecutor

import obstore
import pytest
from obstore.exceptions import AlreadyExistsError, BaseError, PreconditionError
from obstore.store import S3Store

from servers.process import Server
from servers.s3 import S3, s3_server
from tests.e2e.objects import client, content, create

pytestmark = pytest.mark.e2e
WRITERS = 16
WANTED = 400  # acknowledged puts, before the server is killed


@pytest.fixture
def folder() -> str:
    return f"s3-{uuid.uuid4().hex}"


def test_what_exists_cannot_be_created_again(s3: S3, folder: str) -> None:
    store = client(s3)
    create(store, f"{folder}/epoch", b"first")
    with pytest.raises(AlreadyExistsError):
        create(store, f"{folder}/epoch", b"second")
    assert content(store, f"{folder}/epoch") == b"first"


def test_an_update_of_an_old_state_is_refused(s3: S3, folder: str) -> None:
    store = client(s3)
    old = obstore.put(store, f"{folder}/head", b"1", use_multipart=False)
    obstore.put(store, f"{folder}/head", b"2", mode={"e_tag": old["e_tag"]}, use_multipart=False)
    with pytest.raises(PreconditionError):
        obstore.put(store, f"{folder}/head", b"3", mode={"e_tag": old["e_tag"]}, use_multipart=False)
    assert content(store, f"{folder}/head") == b"2"


def test_of_many_writers_of_one_object_exactly_one_wins(s3: S3, folder: str) -> None:
    keys = [f"{folder}/{number:03d}" for number in range(60)]
    start = threading.Barrier(WRITERS)

    def race(writer: int) -> list[tuple[str, bytes]]:
        store, mine = client(s3), f"writer {writer} ".encode() * 500
        start.wait()
        return [(key, mine) for key in keys if wins(store, key, mine)]

    with ThreadPoolExecutor(WRITERS) as pool:
        won = [win for wins_of_one in pool.map(race, range(WRITERS)) for win in wins_of_one]
    store = client(s3)
    assert sorted(won) == [(key, content(store, key)) for key in keys]


def wins(store: S3Store, key: str, mine: bytes) -> bool:
    try:
        create(store, key, mine)
    except AlreadyExistsError:
        return False
    return True


def test_kill_9_of_the_server_loses_no_acknowledged_put(s3_kind: str) -> None:
    with s3_server(s3_kind) as (s3, server):
        acknowledged = write_until_killed(s3, server)
        server.restart()
        store = client(s3)
        assert len(acknowledged) >= WANTED
        assert [key for key in acknowledged if content(store, key) != body(key)] == []


def write_until_killed(s3: S3, server: Server) -> list[str]:
    acknowledged: list[str] = []
    enough = threading.Event()

    def write(writer: int) -> None:
        store = client(s3, max_retries=0)
        try:
            for number in range(100 * WANTED):
                create(store, f"put/{writer}-{number}", body(f"put/{writer}-{number}"))
                acknowledged.append(f"put/{writer}-{number}")
                if len(acknowledged) >= WANTED:
                    enough.set()
        except BaseError:  # the server is gone, as it should be
            enough.set()

    with ThreadPoolExecutor(8) as pool:
        for writer in range(8):
            pool.submit(write, writer)
        enough.wait()
        server.kill()
    return acknowledged


def body(key: str) -> bytes:
    return key.encode() * 1000
