"""A bucket through the client that Levee uses.

Why: the tests of S3 and those of lost answers want the same client, with and without repeated requests.
Called by: test_e2e_s3, test_e2e_lost_answers.
"""

from datetime import timedelta
from urllib.parse import urlsplit

import obstore
from obstore.store import S3Store

from servers.s3 import S3


def client(s3: S3, *, endpoint: str | None = None, max_retries: int | None = None) -> S3Store:
    """`max_retries` None: as many as the client makes by itself."""
    return S3Store(
        urlsplit(s3.uri).netloc,
        endpoint=endpoint or s3.endpoint,
        access_key_id=s3.access_key,
        secret_access_key=s3.secret_key,
        region="us-east-1",
        virtual_hosted_style_request=False,
        client_options={"allow_http": True, "timeout": timedelta(seconds=60)},
        retry_config=None if max_retries is None else {"max_retries": max_retries},
    )


def create(store: S3Store, key: str, content: bytes) -> None:
    obstore.put(store, key, content, mode="create", use_multipart=False)


def content(store: S3Store, key: str) -> bytes:
    return bytes(obstore.get(store, key).bytes())


def holds(store: S3Store, key: str) -> bool:
    try:
        obstore.head(store, key)
    except FileNotFoundError:
        return False
    return True
