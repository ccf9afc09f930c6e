"""A batch keeps what it is about to read: a pin on the stream, as whoever forks has one.

Why: a topology that runs trims while Spark plans the batch and reads it part by part. Who may only get and list cannot put a pin; that
reader is told of what was trimmed before it came to it, as a stream's reader is.
Called by: `reading`, which plans; `parts`, which reads.
"""

import secrets
from dataclasses import dataclass

from levee.topology.names import TaskId
from levee_spark.log import ask, pin
from levee_spark.log.values import Pin
from levee_spark.notebook.asked import Asked
from levee_spark.notebook.look import Look
from levee_spark.notebook.trouble import CannotUse

LIMIT_MS = 120_000  # from one part to the next; nobody tells when a batch has been read


@dataclass(frozen=True, slots=True)
class Hold:
    holder: str
    epoch: int  # this one and all after it

    def place(self, asked: Asked, tasks: tuple[TaskId, ...]) -> bool:
        try:
            look = Look.at(asked, writes=True)
            for task in tasks:
                look.carry_out(pin.place(look.layout, task, Pin(self.holder, self.epoch, LIMIT_MS)))
        except CannotUse:
            return False
        return True

    def renew(self, look: Look, task: TaskId) -> bool:
        """False: it has run out, and been swept; what it kept may be gone."""
        there = look.carry_out(ask.is_there(look.layout.pin(task, self.holder)))
        return there and self.place(look.asked, (task,))


def hold(asked: Asked, tasks: tuple[TaskId, ...], epoch: int) -> Hold | None:
    """None: one may not. Who puts up with gaps needs none."""
    mine = Hold(f"reader-{secrets.token_hex(8)}", epoch)
    return mine if asked.fails_on_loss and mine.place(asked, tasks) else None
