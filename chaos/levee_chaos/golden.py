"""Whether a sink's files are those of a golden run.

Why: the last word on exactly-once has whoever reads the output: every row of an undisturbed run, each once.
Called by: probes.
"""

import gzip
from collections.abc import Iterable, Iterator, Mapping

import pyarrow as pa
import pyarrow.parquet as pq

from levee.topology.wording import count

SHOWN = 5


def files_of(files: Iterable[tuple[str, bytes]]) -> dict[int, list[str]]:
    """The rows of each epoch's file, sorted: their order within an epoch means nothing. Epochs are numbers at the end of names."""
    found: dict[int, list[str]] = {}
    for name, data in sorted(files):
        file = name.rpartition("/")[2]
        number = file.partition(".")[0].rpartition("-")[2]
        if number.isdecimal() and not file.startswith((".", "_")):
            found.setdefault(int(number), []).extend(rows_of(name, data))
    return {epoch: sorted(rows) for epoch, rows in found.items()}


def rows_of(name: str, data: bytes) -> list[str]:
    if name.endswith(".parquet"):
        return [repr(row) for row in pq.read_table(pa.BufferReader(data)).to_pylist()]
    return (gzip.decompress(data) if name.endswith(".gz") else data).decode().splitlines()


def differences(golden: Mapping[int, list[str]], output: Mapping[int, list[str]]) -> Iterator[str]:
    """As far as both have come; what only one has within that is a difference."""
    common = min(max(golden, default=0), max(output, default=0))
    if not common:
        yield "there is no epoch that both have, so nothing could be compared"
    for epoch in sorted(epoch for epoch in golden.keys() | output.keys() if epoch <= common):
        expected, found = golden.get(epoch, []), output.get(epoch, [])
        if expected != found:
            counts = f"{count(len(found), 'row')}, and {count(len(expected), 'row')} in the golden run"
            yield f"epoch {epoch}: {counts}{example(expected, found)}"


def example(expected: list[str], found: list[str]) -> str:
    for name, rows, others in (("only here", found, expected), ("only there", expected, found)):
        if missing := [row for row in rows if rows.count(row) > others.count(row)]:
            return f"; {name}: {missing[0][:120]}"
    return ""
