"""From an address to a store that works, or to a complaint that says what to do.

Why: a store that cannot be used is found out before anything depends on it; the same text goes to the command line and the condition.
Called by: workers, once, at their start; the operator, for each topology; the command line.
"""

import os
import re
import secrets
import time
from collections.abc import Mapping
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from obstore.exceptions import BaseError
from obstore.store import MemoryStore, from_url

from levee.topology.complaint import Complaint
from levee_spark.store.blobs import Blobs, Trouble
from levee_spark.store.clients import Client, shared
from levee_spark.store.local import SCRAPS, LocalBlobs, explained, make_folder
from levee_spark.store.remote import RemoteBlobs, first_lines

TIMEOUT_MS = 10_000  # of one request; far below half of retention, see `blobs.Blob.written_ms`
EXAMPLES = "file:///var/lib/levee, s3://bucket/prefix, gs://bucket/prefix, az://account/container/prefix or memory://"
CLIENT_OPTIONS = {
    *("allow_http", "allow_invalid_certificates", "connect_timeout", "http1_only", "http2_only", "pool_idle_timeout"),
    *("pool_max_idle_per_host", "proxy_ca_certificate", "proxy_excludes", "proxy_url", "timeout", "user_agent"),
}  # of obstore, after the prefix that they bear in the environment: AWS_PROXY_URL


class CannotOpen(Exception):
    """The store cannot be used; why, and what to do."""

    def __init__(self, where: str, wrong: str, fix: str) -> None:
        wrong = wrong.rstrip(".")  # whoever shows it ends the sentence
        super().__init__(f"{where}: {wrong}\n  Fix: {fix}")
        self.complaint = Complaint(where, wrong, fix)


def open_store(
    uri: str,
    *,
    secret: Mapping[str, str] | None = None,
    durable: bool = True,
    timeout_ms: int = TIMEOUT_MS,
    check: bool = True,
    make: bool = True,
    writes: bool = True,
) -> Blobs:
    """`secret`: settings by the names of the environment (AWS_ACCESS_KEY_ID, AWS_ENDPOINT_URL, ...); they go before it.

    `make`: a directory that is not there; workers do not, since whoever runs them has: what is gone meanwhile may come back.
    `writes`: False for those who only read, so that a full or read-only store can be read; of a bucket, reading is tried then and no more.
    `durable`, or `?durable=false` in the address: whether a directory outlives a crash of the machine.
    """
    scheme, _, rest = uri.partition("://")
    match scheme:
        case "file":
            return open_directory(uri, durable=durable and "durable=false" not in urlsplit(uri).query, make=make, writes=writes)
        case "memory":
            return RemoteBlobs(Client(MemoryStore()), "memory://", stamp_ms=1)
        case "s3" | "gs" | "az" if urlsplit(uri).netloc:
            client, under = bucket(uri, secret or {}, timeout_ms)
            blobs = RemoteBlobs(client, uri, under)
            return works(blobs, writes=writes) if check else blobs
        case "s3" | "gs" | "az":
            raise CannotOpen(uri, "names no bucket", f"write {scheme}://bucket/prefix")
        case _ if rest:
            raise CannotOpen(uri, f"{scheme}:// is no kind of store", f"use {EXAMPLES}")
        case _:
            raise CannotOpen(repr(uri), "is no address of a store", f"use {EXAMPLES}")


def open_directory(uri: str, *, durable: bool, make: bool, writes: bool) -> Blobs:
    parts = urlsplit(uri)
    path = Path(unquote(parts.path))
    if parts.netloc not in {"", "localhost"} or not path.is_absolute():
        raise CannotOpen(uri, "names no directory of this machine", f"write file:///{parts.netloc}{parts.path} with three slashes")
    if not make and not path.is_dir():
        raise CannotOpen(uri, "the directory is gone", "bring it back (is it mounted?)")
    if not writes:
        return readable(uri, path, durable=durable)
    try:
        make_folder(path / SCRAPS, durable)
        blobs = LocalBlobs(path, durable)
        blobs.sweep(time.time())  # noqa: TID251  (files are stamped by the wall clock)
        attempt(blobs)
    except OSError as error:
        raise CannotOpen(
            uri, f"the directory cannot be used: {explained(error, existing(path))}", "mend that, or name another directory"
        ) from error
    except Trouble as trouble:
        raise CannotOpen(uri, str(trouble), "mend that, or name another directory, on a file system with room and hard links") from trouble
    return blobs


def readable(uri: str, path: Path, *, durable: bool) -> Blobs:
    """Nothing is tried but to read it."""
    if not path.is_dir():
        raise CannotOpen(uri, "there is no such directory on this machine", "mend the address: it is spec.store.uri of the topology")
    return LocalBlobs(path, durable)


def existing(path: Path) -> Path:
    return next(one for one in (path, *path.parents) if one.exists())


def parted(uri: str) -> tuple[str, str]:
    """The bucket, and the folder in it. What is a bucket of Azure's, its client knows better."""
    scheme, _, rest = uri.partition("://")
    name, _, folder = rest.partition("/")
    if scheme == "az" or not folder.strip("/"):
        return uri, ""
    return f"{scheme}://{name}", f"{unquote(folder).strip('/')}/"


def bucket(uri: str, secret: Mapping[str, str], timeout_ms: int) -> tuple[Client, str]:
    """And the folder in it."""
    root, under = parted(uri)
    endpoint = next((value for name, value in (os.environ | dict(secret)).items() if "ENDPOINT" in name.upper() and value), "")
    settings, client = sorted_out(secret)
    options: dict[str, Any] = {
        "client_options": {"allow_http": endpoint.startswith("http://"), "timeout": timedelta(milliseconds=timeout_ms)} | client,
        "retry_config": {"max_retries": 0},  # a put that is tried again hides a lost answer; whoever asks, asks again
    }
    made_of = root, settings, options, sorted(os.environ.items())
    try:
        return shared(made_of, lambda: from_url(root, config=settings or None, **options)), under  # type: ignore[arg-type]  # any of the three configs
    except (BaseError, ValueError) as error:
        raise CannotOpen(uri, first_lines(error), "see the settings of the store in docs/design/stores.md") from error


def sorted_out(secret: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """What is of the store and what of the client that speaks to it: obstore takes apart what stands side by side in the environment."""
    settings, client = {}, {}
    for name, value in secret.items():
        option = name.lower().partition("_")[2]
        if option in CLIENT_OPTIONS:
            client[option] = value
        else:
            settings[name] = value
    return settings, client


def works(blobs: Blobs, *, writes: bool) -> Blobs:
    """List, write, delete: a missing bucket, wrong keys and missing rights each show in one of them."""
    listed, written = ("listed", partial(blobs.names, "levee-check", "", 1)), ("written to", partial(attempt, blobs))
    for does, act in (listed, written) if writes else (listed,):
        try:
            act()
        except Trouble as trouble:
            raise CannotOpen(blobs.where, f"cannot be {does}: {trouble}", remedy(str(trouble))) from trouble
    return blobs


def attempt(blobs: Blobs) -> None:
    key = f"levee-check/{secrets.token_hex(8)}"
    blobs.create(key, b"may levee write here?\n")
    blobs.delete(key)


REMEDIES: tuple[tuple[tuple[str, ...], str], ...] = (
    (
        ("169.254.169.254", "metadata"),
        "give credentials (AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY): none were given, and this machine has no role",
    ),
    (
        ("InvalidAccessKeyId", "SignatureDoesNotMatch", "Unauth", "401"),
        "mend the access key and its secret: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY",
    ),
    (("NoSuchBucket", "not found", "404"), "create the bucket, or mend its name (some servers say so of an unknown access key, too)"),
    (("denied", "Forbidden", "403"), "allow this key to list, read, write and delete there, or mend the key"),
    (("sending request", "connect", "timed out", "timeout"), "start the server, or mend the endpoint (AWS_ENDPOINT_URL)"),
)


def remedy(text: str) -> str:
    known = (fix for words, fix in REMEDIES if any(says(text, word) for word in words))
    return next(known, "mend that, or name another store")


def says(text: str, word: str) -> bool:
    """As a word, or the beginning of one, but numbers as they are: an answer may quote a signature, and that has any digits in it."""
    return re.search(rf"\b{re.escape(word)}" + (r"\b" if word.isdigit() else ""), text, re.IGNORECASE) is not None
