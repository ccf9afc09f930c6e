"""The last batch of a query that will get no more rows: as if Spark had planned it, with the watermark far ahead.

Why: Spark lets a window out when rows say that its time has passed, so the last windows of a bounded stream would never come. A query that
starts with a batch planned and not done does that batch with the watermark it was planned with; everything that waits for event time
(windows, joins, timers) ends in it, once. Later batches find nothing left.
Called by: `query`.
"""

import json
import re
from pathlib import Path

FAR_MS = 253_402_300_799_000  # the end of the year 9999, the last that Spark can print
EPOCH = re.compile(r'("epoch":\s*)\d+')


def write(folder: Path, batch: int, epoch: int) -> None:
    """Plan `batch`, whose inputs end at `epoch`, from the batch before it."""
    version, metadata, *offsets = (folder / "offsets" / str(batch - 1)).read_text(encoding="utf-8").split("\n")
    planned = json.dumps(json.loads(metadata) | {"batchWatermarkMs": FAR_MS})
    reached = [EPOCH.sub(rf"\g<1>{epoch}", line) for line in offsets]
    (folder / "offsets" / str(batch)).write_text("\n".join([version, planned, *reached]), encoding="utf-8")
