"""The store of the topologies that these tests run: that of the test cluster, or the one that LEVEE_E2E_STORE names.

Why: somebody else's cluster has none that both its pods and this machine reach, unless its user names one.
Called by: conftest, which leaves out what has none; trades, and tests that write an address or a Secret themselves.
"""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import pytest

from cluster.layout import CONTROL, S3_PORT
from servers.s3 import ACCESS_KEY, BUCKET, SECRET_KEY

TOLD_BY = "LEVEE_E2E_STORE"
NO_STORE = f'it needs a store that pods and this machine reach, which {TOLD_BY} names (CONTRIBUTING.md, "Tests on a real cluster")'
NEEDED = ("uri", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")
EXAMPLE = json.dumps({"uri": "s3://bucket/prefix"} | dict.fromkeys((*NEEDED[1:], "AWS_ENDPOINT_URL", "AWS_REGION"), "..."))


@dataclass(frozen=True, slots=True)
class Store:
    uri: str  # without a slash at its end
    secret: dict[str, str]  # by the names that clients of S3 have in their environment


TEST_CLUSTERS = Store(
    f"s3://{BUCKET}",
    {
        "AWS_ACCESS_KEY_ID": ACCESS_KEY,
        "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
        "AWS_ENDPOINT_URL": f"http://{CONTROL}:{S3_PORT}",
        "AWS_REGION": "us-east-1",
    },
)


def is_named() -> bool:
    return bool(os.environ.get(TOLD_BY))


def store_of_tests() -> Store:
    return named(os.environ[TOLD_BY]) if is_named() else TEST_CLUSTERS


def named(text: str) -> Store:
    try:
        told = json.loads(text)
    except ValueError as error:
        raise refused(f"is no JSON: {error}") from None
    for wrong in complaints(told):
        raise refused(wrong)
    return Store(told["uri"].rstrip("/"), {name: value for name, value in told.items() if name != "uri"})


def complaints(told: Any) -> Iterator[str]:
    """Names only: what is secret is not printed."""
    if not isinstance(told, dict) or not all(isinstance(value, str) for value in told.values()):
        yield "is no JSON object of texts"
        return
    if missing := [name for name in NEEDED if not told.get(name)]:
        yield f"lacks {', '.join(missing)}"
    if unknown := [name for name in told if name != "uri" and not name.startswith("AWS_")]:
        yield f"has {', '.join(unknown)}, which no client of S3 knows"
    if not told["uri"].startswith("s3://") or not urlsplit(told["uri"]).netloc:
        yield f"names {told['uri']!r}, which is no s3://bucket or s3://bucket/prefix"


def refused(wrong: str) -> pytest.UsageError:
    return pytest.UsageError(f"{TOLD_BY} {wrong}\n  Fix: write it like {EXAMPLE}")
