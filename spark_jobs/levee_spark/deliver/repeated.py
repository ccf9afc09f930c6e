"""Whether a file that is there already holds the rows of the one that would have been written.

Why: a file that exists counts as delivered, which is right when its epoch is delivered again, and loses rows where streams that began
anew count their epochs from 1. Bytes may differ even so: after an upgrade of Arrow or zlib, or when an option was edited.
Called by: `files`.
"""

import gzip
import io
import json
import re

import pyarrow.parquet


def same_rows(suffix: str, there: bytes, mine: bytes) -> bool:
    """By what the options of a format do not change, its compression included."""
    if there == mine:
        return True
    try:
        return rows(suffix, there) == rows(suffix, mine) or (suffix.startswith(".csv") and same_but_for_header(suffix, there, mine))
    except (OSError, ValueError, EOFError):  # what is there is no file of this format, or half of one
        return False


def rows(suffix: str, data: bytes) -> list[str]:
    if suffix.endswith(".parquet"):
        return [repr(row) for row in pyarrow.parquet.read_table(io.BytesIO(data)).to_pylist()]  # as text, a NaN equals a NaN
    text = (gzip.decompress(data) if suffix.endswith(".gz") else data).decode()
    if suffix.startswith(".json"):
        return [repr(without_nulls(json.loads(line))) for line in text.splitlines() if line]
    return re.findall(r"\w+", text)  # whatever stands between the columns


def same_but_for_header(suffix: str, there: bytes, mine: bytes) -> bool:
    """One of the two names its columns first."""
    shorter, longer = sorted((rows(suffix, there), rows(suffix, mine)), key=len)
    return 0 < len(shorter) < len(longer) and longer[len(longer) - len(shorter) :] == shorter


def without_nulls(value: object) -> object:
    if isinstance(value, dict):
        return {name: without_nulls(one) for name, one in value.items() if one is not None}
    return [without_nulls(one) for one in value] if isinstance(value, list) else value
