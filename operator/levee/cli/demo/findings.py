"""What the demo's two runs delivered: compared epoch by epoch, row by row.

Why: the output is read as a user would read it, from the files.
Called by: cli.demo.run.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

EPOCH_DIGITS = 12
Rows = Mapping[int, Counter[str]]  # by epoch


@dataclass(frozen=True, slots=True)
class Compared:
    rows: int
    epochs: int  # with rows
    lost: int
    doubled: int

    @property
    def identical(self) -> bool:
        return self.lost == 0 and self.doubled == 0


def delivered(folder: Path) -> Rows:
    """A file's name ends in its epoch; a row is known by its text."""
    from pyarrow import parquet

    found: dict[int, Counter[str]] = {}
    for file in sorted(folder.glob("part-*.parquet")):
        epoch = int(file.name.partition(".")[0][-EPOCH_DIGITS:])  # part-00000-000000000007.snappy.parquet
        found.setdefault(epoch, Counter()).update(map(repr, parquet.read_table(file).to_pylist()))
    return found


def compare(golden: Rows, there: Rows, epochs: int) -> Compared:
    lost = doubled = rows = 0
    for epoch in range(1, epochs + 1):
        wanted, found = golden.get(epoch, Counter()), there.get(epoch, Counter())
        lost += (wanted - found).total()
        doubled += (found - wanted).total()
        rows += wanted.total()
    return Compared(rows, len([epoch for epoch in golden if epoch <= epochs]), lost, doubled)
