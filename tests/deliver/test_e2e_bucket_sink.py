"""Files in a bucket of a real S3 server."""

import io
import uuid
from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet
import pytest

from levee_spark.deliver.delivery import CannotDeliver
from levee_spark.deliver.opening import open_delivery
from levee_spark.store.address import open_store
from servers.s3 import S3
from tests.deliver.epochs import OWNER, delivered, show

pytestmark = pytest.mark.e2e


def no_spark() -> object:
    raise AssertionError("files need no Spark")


@pytest.mark.parametrize("scheme", ["s3", "s3a"])
def test_two_deliverers_leave_each_epoch_once_in_the_bucket(s3: S3, scheme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"ACCESS_KEY_ID": s3.access_key, "SECRET_ACCESS_KEY": s3.secret_key, "REGION": "us-east-1"}.items():
        monkeypatch.setenv(f"AWS_{name}", value)
    monkeypatch.setenv("AWS_ENDPOINT_URL", s3.endpoint)
    monkeypatch.setenv("AWS_ALLOW_HTTP", "true")
    folder = f"sink-{uuid.uuid4().hex}"
    path = f"{s3.uri}/{folder}".replace("s3", scheme, 1)
    for first in (1, 3):
        sink = open_delivery(OWNER, "parquet", {"path": path}, spark=no_spark, tell=print, show=show)  # type: ignore[arg-type]  # never called
        for epoch in range(first, 6):
            sink.deliver(delivered(epoch, pa.table({"n": [epoch]})))
    bucket = open_store(s3.uri)
    names = bucket.names(folder, "", 100)
    assert names == (f"{folder}/_levee", *(f"{folder}/part-00000-{epoch:012d}.snappy.parquet" for epoch in range(1, 6)))
    found = [bucket.get(name) for name in names[1:]]
    assert [pa.parquet.read_table(io.BytesIO(one.data))["n"].to_pylist() for one in found if one] == [[n] for n in range(1, 6)]
    another = open_delivery(replace(OWNER, uid="u2"), "parquet", {"path": path}, spark=no_spark, tell=print, show=show)  # type: ignore[arg-type]
    with pytest.raises(CannotDeliver, match="holds the output of another run of shop/clicks"):
        another.deliver(delivered(6, pa.table({"n": [6]})))
