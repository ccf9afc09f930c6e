"""Which epoch a batch of a query becomes, and whether it has been committed already.

Why: Spark runs a batch again when it does not know whether it was done; the stream itself must know. Every manifest bears the query and the
batch that it came from; since one query at a time owns a stream, its last manifest says all.
Called by: `writing`, before the parts are written and before they are committed.
"""

import json
from dataclasses import dataclass

from levee.topology.names import TaskId
from levee_spark.log import ask, head
from levee_spark.log.control import FIRST
from levee_spark.log.values import Manifest
from levee_spark.notebook.look import Look
from levee_spark.notebook.trouble import CannotUse


@dataclass(frozen=True, slots=True)
class Batch:
    query: str  # its identity, which lies in its checkpoint; "": Spark did not say, since the batch had no rows
    number: int

    def text(self) -> str:
        return json.dumps({"batch": self.number, "query": self.query})

    @classmethod
    def of(cls, manifest: Manifest) -> "Batch | None":
        """None: no query wrote this."""
        try:
            told = json.loads(manifest.offsets or "")
            return cls(told["query"], told["batch"])
        except (ValueError, TypeError, KeyError):
            return None


@dataclass(frozen=True, slots=True)
class Place:
    before: Manifest | None  # the epoch that the batch follows
    is_done: bool

    @property
    def epoch(self) -> int:
        return self.before.epoch + 1 if self.before else 1


def place_of(look: Look, task: TaskId, batch: Batch) -> Place:
    last = last_of(look, task, batch)
    if last is None:
        refuse_a_topologys(look)
        return Place(None, is_done=False)
    there = Batch.of(last)
    if there is None:
        raise look.tell("it is computed by a topology, which alone writes it", "write to a stream of another name, with a uid of its own")
    same = there.query == batch.query or not batch.query or not there.query
    if not same and not look.asked.takes_over:
        raise owned(look, there, batch)
    return Place(last, is_done=same and batch.number <= there.number)


def owned(look: Look, there: Batch, batch: Batch) -> CannotUse:
    wrong = f"it is written by query {there.query}, and this one is {batch.query}"
    after = '.option("takeOver", "true")'
    return look.tell(wrong, f"go on from that query's checkpoint, or name another stream; to go on after it for good: {after}")


def last_of(look: Look, task: TaskId, batch: Batch) -> Manifest | None:
    """Of the stream. Mostly batch n follows epoch n: then a few requests tell, however long the stream is."""
    low = batch.number
    if low and not look.carry_out(head.is_there(look.layout, task, low)):
        return look.carry_out(head.find(look.layout, task))
    last = look.head(task, low)
    return look.carry_out(head.manifest_at(look.layout, task, last)) if last else None


def refuse_a_topologys(look: Look) -> None:
    if look.carry_out(ask.is_there(look.layout.control(FIRST))):
        raise look.tell(f"uid {look.layout.uid} is a topology's", "give what you write a uid of its own")
