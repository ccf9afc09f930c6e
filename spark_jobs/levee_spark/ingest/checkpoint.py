"""Spark's checkpoint of an ingestor's query: read for what it says of the source, and made by hand from what another one's said.

Why: an ingestor goes on where the last committed epoch ended, whoever wrote that. Of a checkpoint Spark needs little to do so: the offsets
of one batch, the mark that it is done, and what the source itself keeps (its start, its first offsets, the files it has seen).
Called by: `query`.
"""

import json
import uuid
from pathlib import Path

BATCH = 0  # made by hand, every query begins after a batch 0 that is done
TICK, SOURCE = "tick", "source"  # how our query names its two sources
METADATA = {"batchWatermarkMs": 0, "batchTimestampMs": 0, "conf": {"spark.sql.streaming.queryEvolution.enableSourceEvolution": "true"}}


def make(folder: Path, offset: str | None, notes: dict[str, str]) -> None:
    """A checkpoint whose last batch ended at `offset`; None: the source had nothing yet, then only its notes matter."""
    offsets = [f"{TICK}:{json.dumps({'epoch': BATCH + 1})}"] + ([] if offset is None else [f"{SOURCE}:{offset}"])
    write(folder / "metadata", json.dumps({"id": str(uuid.uuid4())}))  # no two queries of one JVM may share theirs
    write(folder / "offsets" / str(BATCH), "\n".join(["v2", json.dumps(METADATA), *offsets]))
    write(folder / "commits" / str(BATCH), 'v1\n{"nextBatchWatermarkMs":0}')
    for name, text in notes.items():
        write(folder / "sources" / SOURCE / name, text)


def plan(folder: Path, offset: str | None) -> None:
    """After `make`: the next batch, as if Spark had planned it up to `offset` and not done it."""
    offsets = [f"{TICK}:{json.dumps({'epoch': BATCH + 2})}"] + ([] if offset is None else [f"{SOURCE}:{offset}"])
    write(folder / "offsets" / str(BATCH + 1), "\n".join(["v2", json.dumps(METADATA), *offsets]))


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def offset_of(folder: Path, batch: int) -> str | None:
    """Where the source was at the end of a batch; Spark writes it before it begins the batch."""
    lines = (folder / "offsets" / str(batch)).read_text(encoding="utf-8").split("\n")
    assert lines[0] == "v2", f"offsets of version {lines[0]}: the query's sources must have names"
    return next((line.removeprefix(f"{SOURCE}:") for line in lines[2:] if line.startswith(f"{SOURCE}:")), None)


def notes_of(folder: Path) -> dict[str, str]:
    """What the source keeps beside its offset, by name of file."""
    place = folder / "sources" / SOURCE
    if not place.is_dir():
        return {}
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(place.iterdir()) if not path.name.startswith(".")}


def note_of(folder: Path, name: str) -> str | None:
    path = folder / "sources" / SOURCE / name
    return path.read_text(encoding="utf-8") if path.exists() else None
