"""How two computations of the same epochs differ: as multisets, column by column.

Called by: running.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path

import pyarrow as pa
from pyarrow import ipc

from levee_spark.check.finding import Finding, Weight

CLOSE = 1e-9  # relative: what the order of a sum is worth
SHOWN = 80  # characters of an example; where it is cut is shown, too

FIX = (
    "compute it from the rows alone: no clock, no chance, no order of rows, of sets or of hashes; "
    "or say `repeatable: false`, and it has standbys instead of active replicas"
)
FLOAT_FIX = "round it, or sum integers or decimals"


def findings_of(operator: str, first: Path, second: Path) -> Iterator[Finding]:
    ones, others = (sorted((folder / operator).glob("*.arrow")) for folder in (first, second))
    if len(ones) != len(others):
        wrong = f"computed {len(ones)} epochs the first time, and {len(others)} the second"
        yield Finding(operator, Weight.DIFFERS, wrong, FIX)
    columns: dict[str, Finding] = {}
    for epoch, (one, other) in enumerate(zip(ones, others, strict=False), start=1):
        for column, finding in compared(operator, epoch, read(one), read(other)):
            columns.setdefault(column, finding)
    yield from columns.values()


def emitted_nothing(operator: str, first: Path) -> bool:
    """Then nothing was compared."""
    return not any(read(file).num_rows for file in (first / operator).glob("*.arrow"))


def read(file: Path) -> pa.Table:
    return ipc.open_stream(pa.py_buffer(file.read_bytes())).read_all()


def compared(operator: str, epoch: int, one: pa.Table, other: pa.Table) -> Iterator[tuple[str, Finding]]:
    if one.schema != other.schema:
        wrong = f"has the columns {columns_of(one)} the first time, and {columns_of(other)} the second"
        yield "", Finding(operator, Weight.WRONG, wrong, "give its columns names and types that do not depend on the run")
        return
    differing = [name for name in one.column_names if Counter(keys(one[name])) != Counter(keys(other[name]))]
    pairs = paired(one, other, [name for name in one.column_names if name not in differing])
    for name in differing:
        yield name, different(operator, epoch, name, one[name], other[name], pairs)
    if not differing and Counter(rows_of(one)) != Counter(rows_of(other)):
        wrong = f"puts other values together in a row (epoch {epoch}), though every column has the same ones"
        yield "", Finding(operator, Weight.DIFFERS, wrong, FIX)


def different(
    operator: str, epoch: int, name: str, one: pa.ChunkedArray, other: pa.ChunkedArray, pairs: Sequence[tuple[int, int]]
) -> Finding:
    if pa.types.is_floating(one.type) and close(one, other):
        wrong = f"column '{name}' differs in its last digits (epoch {epoch}): floating-point sums depend on the order of rows"
        return Finding(operator, Weight.DIFFERS, wrong, FLOAT_FIX)
    return Finding(operator, Weight.DIFFERS, f"column '{name}' differs (epoch {epoch}): {examples(keys(one), keys(other), pairs)}", FIX)


def examples(ones: list[str], others: list[str], pairs: Sequence[tuple[int, int]]) -> str:
    """Two values stand beside each other only if they are of one row."""
    of_a_row = min(((ones[here], others[there]) for here, there in pairs if ones[here] != others[there]), default=None)
    if of_a_row is not None:
        return f"in one row it is {shortened(of_a_row[0])} the first time, {shortened(of_a_row[1])} the second"
    first, second = Counter(ones) - Counter(others), Counter(others) - Counter(ones)
    if max(first.total(), second.total()) <= 1:
        return f"{example(first)} the first time, {example(second)} the second"
    return f"{first.total()} of {len(ones)} rows the first time, {second.total()} of {len(others)} the second"


def paired(one: pa.Table, other: pa.Table, same: Sequence[str]) -> list[tuple[int, int]]:
    """The places of the same row in both, by a key: columns that do not differ, and have each value once. None where there is no key."""
    for names in ([name] for name in same):
        if found := by_key(one, other, names):
            return found
    return by_key(one, other, same) if len(same) > 1 else []


def by_key(one: pa.Table, other: pa.Table, names: Sequence[str]) -> list[tuple[int, int]]:
    here, there = ({row: place for place, row in enumerate(rows_of(table.select(names)))} for table in (one, other))
    if here.keys() != there.keys() or len(here) != one.num_rows or len(there) != other.num_rows:
        return []
    return [(place, there[row]) for row, place in here.items()]


def columns_of(table: pa.Table) -> str:
    return ", ".join(f"{field.name} {field.type}" for field in table.schema)


def keys(column: pa.ChunkedArray) -> list[str]:
    """As texts, which are equal where the values are: even of a map, and of what is no number."""
    return [canonical(value, column.type) for value in column.to_pylist()]


def canonical(value: object, kind: pa.DataType) -> str:
    if isinstance(value, date):  # times are dates, too
        return value.isoformat()
    if isinstance(value, list) and pa.types.is_map(kind):
        return repr(sorted(map(repr, value)))
    return repr(value)


def rows_of(table: pa.Table) -> list[tuple[str, ...]]:
    return list(zip(*(keys(table[name]) for name in table.column_names), strict=True))


def close(one: pa.ChunkedArray, other: pa.ChunkedArray) -> bool:
    ones, others = (sorted(value for value in column.to_pylist() if value is not None) for column in (one, other))
    return len(ones) == len(others) and all(math.isclose(a, b, rel_tol=CLOSE, abs_tol=CLOSE) for a, b in zip(ones, others, strict=True))


def example(values: Counter[str]) -> str:
    return shortened(min(values)) if values else "nothing more"


def shortened(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}..."
