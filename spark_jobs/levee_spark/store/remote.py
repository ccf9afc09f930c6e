"""A bucket as a store, whoever runs it: S3 and what speaks like it, Google Cloud Storage, Azure; and memory, for tests.

Why: obstore would retry by itself, and a put that was carried out before its answer got lost would come back as "exists already", as
one's own success disguised as a lost race. So it is opened without retries (see `address`), every error is passed on as Trouble, and
the roles ask again.
Called by: `address.open_store`.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import obstore
from obstore.exceptions import AlreadyExistsError, BaseError
from obstore.store import ObjectStore

from levee_spark.store.blobs import Blob, Bytes, Trouble
from levee_spark.store.clients import Client

PAGE = 1_000  # most that S3 lists, and deletes, at once
DOCUMENT = re.compile(r"(<\?xml[^>]*>\s*)?<Error\b.*?</Error>", re.DOTALL)
SAID = re.compile(r"<(?:Code|Message)>(.*?)</", re.DOTALL)
RESOLUTION_MS = 1_000  # stores speak of time in HTTP's words, which know no fractions


@dataclass(frozen=True, slots=True)
class RemoteBlobs:
    client: Client
    address: str
    under: str = ""  # the folder in the bucket, with a slash
    stamp_ms: int = RESOLUTION_MS

    @property
    def store(self) -> ObjectStore:
        return self.client.store

    @property
    def where(self) -> str:
        return self.address

    @property
    def resolution_ms(self) -> int:
        return self.stamp_ms

    def get(self, key: str, begin: int = 0, end: int | None = None) -> Blob | None:
        with self.told(f"reading {key}"):
            try:
                if begin == 0 and end is None:
                    result = obstore.get(self.store, self.under + key)
                else:
                    result = obstore.get(
                        self.store, self.under + key, options={"range": {"offset": begin} if end is None else (begin, end)}
                    )
                meta = result.meta
                return Blob(result.bytes().to_bytes(), meta["size"], int(meta["last_modified"].timestamp() * 1_000))
            except FileNotFoundError:
                return None

    def create(self, key: str, data: Bytes) -> bool:
        with self.told(f"writing {key}"):
            try:
                obstore.put(self.store, self.under + key, data, mode="create", use_multipart=False)
            except AlreadyExistsError:
                return False
            return True

    def overwrite(self, key: str, data: Bytes) -> None:
        with self.told(f"writing {key}"):
            obstore.put(self.store, self.under + key, data, mode="overwrite", use_multipart=False)

    def delete(self, key: str) -> None:
        with self.told(f"deleting {key}"):
            try:
                obstore.delete(self.store, self.under + key)
            except FileNotFoundError:
                return

    def names(self, folder: str, after: str, limit: int) -> tuple[str, ...]:
        """One page at most: the store sorts, and begins after `after`."""
        with self.told(f"listing {folder}"):
            within, later = self.under + f"{folder}/" * bool(folder), self.under + after if after else None
            stream = obstore.list(self.store, within or None, offset=later, chunk_size=limit)
            return tuple(one["path"].removeprefix(self.under) for one in next(iter(stream), ()))[:limit]

    def clear(self, folder: str, limit: int) -> int:
        """Many in one request, where the store has such requests."""
        count = 0
        while count < limit and (page := self.names(folder, "", min(limit - count, PAGE))):
            with self.told(f"deleting {folder}"):
                obstore.delete(self.store, [self.under + key for key in page])
            count += len(page)
        return count

    @contextmanager
    def told(self, what: str) -> Iterator[None]:
        try:
            yield
        except (BaseError, OSError, ValueError) as error:
            raise Trouble(f"{what} in {self.address}: {first_lines(error)}") from error


def first_lines(error: Exception) -> str:
    """Without the debug print that obstore adds, and of a document of S3's only what it says: the rest is how a signature is made."""
    text = str(error).partition("\n\nDebug source:")[0].strip() or type(error).__name__
    return DOCUMENT.sub(lambda found: ": ".join(part for part in SAID.findall(found[0])), text)
