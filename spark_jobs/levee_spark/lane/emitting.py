"""What a stream's rows look like, kept with the state: a function that emits other columns under the same name is refused.

Why: consumers read what was committed, and a task that changes its columns in passing stops them all after the fact. Under another
name it is an edit: people have said so, it begins at one epoch for all replicas, and the consumers can be edited with it.
Called by: query, when it starts; worker.assembly, for a stream that has no checkpoint yet.
"""

import base64
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyarrow import ipc

from levee_spark.lane.rows import HASHES
from levee_spark.lane.trouble import Failed

Columns = dict[str, str]
MAY_BE_NULL = re.compile(r" not null\b")  # whether values may be missing changes with how they are computed, and nobody minds


@dataclass(frozen=True, slots=True)
class Emitted:
    """By whom, and what."""

    function: str
    schema: pa.Schema

    @classmethod
    def read(cls, told: dict[str, str] | None) -> "Emitted | None":
        if told is None:
            return None
        return cls(told["function"], ipc.read_schema(pa.py_buffer(base64.b64decode(told["schema"]))))

    def told(self) -> dict[str, Any]:
        return {"function": self.function, "schema": base64.b64encode(self.schema.serialize().to_pybytes()).decode()}


def without_hashes(schema: pa.Schema) -> pa.Schema:
    return pa.schema([field for field in schema if field.name not in HASHES])


def check_names(names: Sequence[str], place: str) -> None:
    """Files, tables and whoever reads a row by name would keep one of two columns, or none."""
    times = Counter(name.lower() for name in names)  # Spark does not tell `k` from `K`
    doubled = [f"'{name}'" for name in names if times[name.lower()] > 1]
    if doubled:
        wrong = f"it emits {len(doubled)} columns that have a name in common: {', '.join(doubled)} (Spark does not tell capitals apart)."
        raise Failed(f"{wrong}\nDrop all but one, or give each a name of its own: `.withColumnRenamed` or `.alias`.{place}")


def check(before: Emitted | None, after: Emitted, place: str) -> None:
    """Before anything is computed. What another function has emitted says nothing about this one, and who has no name is only tried."""
    if before is None or not after.function or before.function != after.function:
        return
    old, new = columns(before.schema), columns(after.schema)
    if list(old.items()) == list(new.items()):
        return
    raise Failed(
        f"it emits other columns than it did before: {changes(old, new)}.\n"
        f"Whoever reads this stream expects\n  {shown(old)}\nand would get\n  {shown(new)}\n"
        "Nothing was committed. Emit the same columns again; or, if that is what you want, give the function another name, "
        f"and change its consumers with it where they must.{place}"
    )


def columns(schema: pa.Schema) -> Columns:
    return {field.name: MAY_BE_NULL.sub("", str(field.type)) for field in schema}


def changes(old: Columns, new: Columns) -> str:
    missing = [f"'{name}' is missing" for name in old if name not in new]
    added = [f"'{name}' is new" for name in new if name not in old]
    other = [f"'{name}' was {old[name]} and is {new[name]}" for name in old if name in new and old[name] != new[name]]
    return ", ".join(missing + added + other) or "their order is another"


def shown(of: Columns) -> str:
    return ", ".join(f"{name} {kind}" for name, kind in of.items())
