"""A batch keeps what it is about to read: a registration beside the stream, as whoever imports it into another topology has one.

Why: a topology that runs trims while Spark plans the batch and reads it part by part. Who may only get and list cannot put anything; that
reader is told of what was trimmed before it came to it, as a stream's reader is.
Called by: `reading`, which plans; `parts`, which reads.
"""

import secrets
from dataclasses import dataclass

from levee.topology.names import OperatorName, TaskId
from levee_spark.log import ask
from levee_spark.log.keys import Layout
from levee_spark.log.values import Registration
from levee_spark.notebook.asked import Asked
from levee_spark.notebook.look import Look
from levee_spark.notebook.trouble import CannotUse

LIMIT_MS = 120_000  # from one part to the next; nobody tells when a batch has been read
IMPORTER = "a notebook's batch"  # for people


@dataclass(frozen=True, slots=True)
class Hold:
    holder: str
    epoch: int  # this one and all after it, of all tasks of the streams

    def place(self, asked: Asked) -> bool:
        try:
            look = Look.at(asked, writes=True)
            for stream in asked.streams:
                record = Registration(self.holder, IMPORTER, self.holder, TaskId(f"{stream}/0"), self.epoch - 1, LIMIT_MS)
                look.carry_out(ask.overwrite(self.key(look.layout, stream), record))
        except CannotUse:
            return False
        return True

    def renew(self, look: Look) -> bool:
        """False: it has run out, and been swept; what it kept may be gone."""
        there = all(look.carry_out(ask.is_there(self.key(look.layout, stream))) for stream in look.asked.streams)
        return there and self.place(look.asked)

    def key(self, layout: Layout, stream: str) -> str:
        return layout.registration(OperatorName(stream), self.holder)


def hold(asked: Asked, epoch: int) -> Hold | None:
    """None: one may not. Who puts up with gaps needs none."""
    mine = Hold(f"reader-{secrets.token_hex(8)}", epoch)
    return mine if asked.fails_on_loss and mine.place(asked) else None
