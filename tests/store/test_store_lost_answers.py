"""An answer that gets lost on the way back is neither success nor a lost race; reading back tells. (A real server, a real proxy.)"""

import uuid
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from levee_spark.log import commit
from levee_spark.log.requests import Absent, Exists, Found, Get, PutIfAbsent, Unknown, Wait
from levee_spark.store.address import CannotOpen, open_store
from levee_spark.store.driver import StoreDriver
from servers.s3 import S3
from servers.toxiproxy import Proxy, Toxiproxy
from tests.store.conftest import in_bucket
from tests.store.places import Place, epoch_by, key

pytestmark = pytest.mark.e2e
MINE = epoch_by("me", 1)


@pytest.fixture
def prefix() -> str:
    return f"lost-{uuid.uuid4().hex}"


@pytest.fixture
def way(s3: S3, toxiproxy: Toxiproxy) -> Iterator[Proxy]:
    with toxiproxy.proxy(urlsplit(s3.endpoint).netloc) as proxy:
        yield proxy


@pytest.fixture
def through(s3: S3, way: Proxy, prefix: str) -> StoreDriver:
    place = in_bucket(s3, prefix, endpoint=f"http://{way.address}")
    return StoreDriver(open_store(place.uri, secret=dict(place.secret), timeout_ms=2_000))


@pytest.fixture
def direct(s3: S3, prefix: str) -> StoreDriver:
    return StoreDriver(in_bucket(s3, prefix).open())


@pytest.mark.parametrize(("kind", "attributes"), [("limit_data", {"bytes": 0}), ("timeout", {"timeout": 300})])
def test_a_lost_answer_is_unknown_and_reading_back_says_who_has_won(
    through: StoreDriver, direct: StoreDriver, way: Proxy, kind: str, attributes: dict[str, int]
) -> None:
    script = commit.commit(key(1), MINE)
    put = next(script)
    way.add(kind, attributes)
    answer = through.answer(put)
    assert isinstance(answer, Unknown), "neither done, nor exists: that would be one's own success disguised as a lost race"
    assert isinstance(direct.answer(Get(key(1))), Found)
    way.heal()
    with pytest.raises(StopIteration) as end:
        script.send(through.answer(script.send(answer)))
    assert end.value.value.manifest == MINE.manifest
    assert isinstance(through.answer(put), Exists)


def test_a_put_that_never_arrived_is_put_again(through: StoreDriver, direct: StoreDriver, way: Proxy) -> None:
    script = commit.commit(key(1), MINE)
    put = next(script)
    way.cut()
    answer = through.answer(put)
    assert isinstance(answer, Unknown) and isinstance(direct.answer(Get(key(1))), Absent)
    way.heal()
    request = script.send(answer)
    assert isinstance(request, Get) and isinstance(script.send(through.answer(request)), Wait)
    with pytest.raises(StopIteration) as end:
        script.send(through.answer(script.send(answer)))
    assert end.value.value.manifest == MINE.manifest


def test_a_lost_answer_hides_no_other_winner(through: StoreDriver, direct: StoreDriver, way: Proxy) -> None:
    direct.answer(PutIfAbsent(key(1), epoch_by("another", 1)))
    script = commit.commit(key(1), MINE)
    put = next(script)
    way.add("limit_data", {"bytes": 0})
    answer = through.answer(put)
    way.heal()
    with pytest.raises(StopIteration) as end:
        script.send(through.answer(script.send(answer)))
    assert end.value.value.manifest.writer == "another"


# ---- what a server says of what is wrong


def refused(place: Place, **changed: str) -> str:
    with pytest.raises(CannotOpen) as caught:
        open_store(changed.pop("uri", place.uri), secret=dict(place.secret) | changed)
    return str(caught.value)


def test_a_bucket_that_is_not_there_is_refused(s3: S3) -> None:
    assert "create the bucket, or mend its name" in refused(in_bucket(s3, "p"), uri="s3://no-such-bucket/p")


def test_a_wrong_secret_is_refused_and_not_repeated(s3: S3) -> None:
    text = refused(in_bucket(s3, "p"), AWS_SECRET_ACCESS_KEY="hunter2")  # noqa: S106  (it must not work)
    assert "mend the access key and its secret" in text and "hunter2" not in text


def test_an_unknown_key_is_refused(s3: S3) -> None:
    assert "key" in refused(in_bucket(s3, "p"), AWS_ACCESS_KEY_ID="nobody").rpartition("Fix:")[2]
