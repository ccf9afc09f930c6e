"""A place for every kind of store: a directory always, a bucket of a real server under `make e2e`.

Called by: pytest.
"""

import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from servers.s3 import S3
from tests.e2e.conftest import s3, s3_kind, toxiproxy
from tests.store.places import Place


@pytest.fixture(params=["directory", pytest.param("bucket", marks=pytest.mark.e2e)])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    if request.param == "directory":
        yield Place((tmp_path / "store").as_uri())
    else:
        yield in_bucket(request.getfixturevalue("s3"), f"store-{uuid.uuid4().hex}")


def in_bucket(s3: S3, prefix: str, *, endpoint: str | None = None) -> Place:
    keys = {"AWS_ACCESS_KEY_ID": s3.access_key, "AWS_SECRET_ACCESS_KEY": s3.secret_key, "AWS_REGION": "us-east-1"}
    return Place(f"{s3.uri}/{prefix}", tuple((keys | {"AWS_ENDPOINT_URL": endpoint or s3.endpoint}).items()))


__all__ = ["place", "s3", "s3_kind", "toxiproxy"]
