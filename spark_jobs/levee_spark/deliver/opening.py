"""From a sink as it is declared to what delivers it, or to a complaint that says what to do.

Why: what cannot work is refused when the worker starts, not when the first rows arrive.
Called by: workers.
"""

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from urllib.parse import unquote, urlsplit

from pyspark.sql import SparkSession

from levee.topology.checks.files import OPTIONS, PATH, SAME
from levee_spark.deliver.batch import Batches
from levee_spark.deliver.console import Console, Show
from levee_spark.deliver.delivery import CannotDeliver, Delivery, Persistence
from levee_spark.deliver.files import Files
from levee_spark.deliver.formats import FORMATS
from levee_spark.deliver.owner import Owner
from levee_spark.store.address import open_store
from levee_spark.store.blobs import Blobs
from levee_spark.store.local import SCRAPS, LocalBlobs, make_folder

OWN = frozenset(FORMATS) | {"console"}  # they need no Spark


def open_delivery(
    owner: Owner,
    form: str,
    options: Mapping[str, str],
    *,
    spark: Callable[[], SparkSession],
    tell: Callable[[str], None],
    show: Show,
) -> Delivery:
    """`spark` is called only if the sink needs it; `tell` hears what went wrong and is tried again; `show` prints rows."""
    if form in FORMATS:
        return open_files(owner, form, options, Persistence(tell))
    if form == "console":
        return Console(owner.sink, show, int(options.get("numRows", "20")))
    return Batches(owner.sink, form, options, spark(), Persistence(tell))


def open_files(owner: Owner, form: str, options: Mapping[str, str], persistence: Persistence) -> Files:
    where = f"sink {owner.sink!r}"
    known = {PATH, *OPTIONS[form]}
    if unknown := sorted(set(options) - known):
        raise CannotDeliver(where, f"has options that {form} files do not know: {', '.join(unknown)}", f"use {', '.join(sorted(known))}")
    if not options.get("path"):
        raise CannotDeliver(where, "has no path", "name a folder or a bucket: options: {path: s3://bucket/folder}")
    try:
        suffix, encode = FORMATS[form](options)
    except ValueError as error:
        raise CannotDeliver(where, str(error), "mend the option") from error
    return Files(owner, open_place(where, options["path"]), suffix, encode, persistence)


def open_place(where: str, path: str) -> Blobs:
    """A folder of this machine, by its path or as file:///, or a bucket by the address that Spark or the store's own tools use."""
    parts = urlsplit(path)
    if parts.scheme not in {"", "file"}:
        return open_store(path.replace(parts.scheme, SAME.get(parts.scheme, parts.scheme), 1))
    root = Path(unquote(parts.path) if parts.scheme else path).absolute()
    try:
        make_folder(root / SCRAPS, durable=True)  # Spark passes over names that begin with a dot
    except OSError as error:
        raise CannotDeliver(where, f"cannot write to {root}: {error.strerror}", "name a folder that can be written") from error
    blobs = LocalBlobs(root)
    blobs.sweep(time.time())  # noqa: TID251  (files are stamped by the wall clock)
    return blobs
