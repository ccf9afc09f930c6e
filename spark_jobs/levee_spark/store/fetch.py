"""Reads one record with as few requests and bytes as what is wanted of it allows.

Why: a large epoch is in parts, one for each consumer; whoever needs a manifest or one part reads the beginning, which holds the header
and all of any small object, and then, where that was not enough, the one range.
Called by: `driver`.
"""

from levee_spark.log import codec
from levee_spark.log.codec import HEADER_LIMIT, Undecodable
from levee_spark.log.requests import Get, Want
from levee_spark.store.blobs import Blob, Blobs, Bytes
from levee_spark.store.counts import Counting
from levee_spark.store.shared import MANIFEST, Kept

BEGINNING = 64 << 10


def fetch(blobs: Blobs, get: Get, counting: Counting) -> Kept | None:
    """At least what is wanted; None: absent."""
    whole = get.want is Want.RECORD and get.part is None
    first = asked(blobs, counting, get.key, 0, None if whole else BEGINNING)
    if first is None or whole:
        return Kept(codec.decode(first.data, get.key), first.written_ms) if first else None
    if first.size > len(first.data) and b"\n" not in bytes(first.data):
        first = asked(blobs, counting, get.key, 0, HEADER_LIMIT)
    return (all_of(get.key, first) or some_of(blobs, get, counting, first)) if first else None


def all_of(key: str, first: Blob) -> Kept | None:
    """Where the beginning is all there is. A payload that is corrupt is the trouble of who wants it."""
    if first.size > len(first.data):
        return None
    try:
        return Kept(codec.decode(first.data, key), first.written_ms)
    except Undecodable:
        return None


def some_of(blobs: Blobs, get: Get, counting: Counting, first: Blob) -> Kept | None:
    header = codec.header_of(first.data, get.key)
    if get.want is not Want.RECORD:
        return Kept(header.without_payload(), first.written_ms, MANIFEST)
    begin, end = header.span(get.part)
    body: Bytes = memoryview(first.data)[begin:end]
    if end > max(begin, len(first.data)):
        rest = asked(blobs, counting, get.key, begin, end)
        if rest is None:
            return None  # trimmed between the two
        body = rest.data
    return Kept(header.record(body, get.part), first.written_ms, get.part if header.split else None)


def asked(blobs: Blobs, counting: Counting, key: str, begin: int, end: int | None) -> Blob | None:
    blob = blobs.get(key, begin, end)
    counting.asked("get", "found" if blob else "absent", read=len(blob.data) if blob else 0)
    return blob
