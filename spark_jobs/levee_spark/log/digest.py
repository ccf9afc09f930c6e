"""Rules 1 and 2: what an epoch holds, and whose continuation it is, in a few bytes.

Why: two replicas computed the same if and only if their digests agree; a stream has one author if and only if its lineages chain.
Called by: lanes, for the digest of what they computed; roles, for lineages.
"""

import hashlib
from collections.abc import Iterable

from levee_spark.log.values import Kind

SIZE = 16  # bytes: no two of 2^64 rows meet
MODULUS = 1 << (8 * SIZE)


def multiset_digest(rows: Iterable[bytes], offsets: str | None = None) -> str:
    """Order does not count, multiplicity does; the end offsets of a source do.

    Rows are summed, not xored: two equal rows must not cancel. The sum is hashed with the count, so that a digest is no sum of digests.
    """
    total = count = 0
    for row in rows:
        total += int.from_bytes(hashlib.blake2b(row, digest_size=SIZE).digest(), "big")
        count += 1
    return short_hash("rows", str(total % MODULUS), str(count), "" if offsets is None else f"offsets {offsets}")


def lineage(before: str, digest: str) -> str:
    return short_hash("lineage", before, digest)


def sealed_digest(kind: Kind, offsets: str | None = None) -> str:
    """Of an epoch that carries no rows because it was sealed as skipped or failed."""
    return short_hash("sealed", kind.value, "" if offsets is None else f"offsets {offsets}")


def short_hash(*words: str) -> str:
    """Lengths go in, so that ("ab", "c") is not ("a", "bc")."""
    text = "".join(f"{len(word)}:{word}" for word in words)
    return hashlib.blake2b(text.encode(), digest_size=SIZE).hexdigest()
