"""Rule 7, anchors: which epoch is due when.

Why: a schedule that never moves would make every epoch of an outage late at once. An anchor is written when all tasks are ready: at
start, at resume, after an outage. Epochs are due from the newest anchor at or before them, and nothing is skipped before the newest.
Called by: ingestors and sealers (AnchorView), whoever controls the topology (write).
"""

from dataclasses import dataclass, field

from levee_spark.log import ask
from levee_spark.log.keys import Layout
from levee_spark.log.requests import Script
from levee_spark.log.values import Anchor


@dataclass(slots=True)
class AnchorView:
    layout: Layout
    period_ms: int
    anchors: list[Anchor] = field(default_factory=list)

    def latest(self) -> int:
        return self.anchors[-1].number if self.anchors else 0

    def refresh(self, epoch: int | None = None) -> Script[None]:
        """Know the newest anchor, and back to the one from which `epoch` is due; never all of them."""
        number = self.latest() or (yield from ask.farthest(0, lambda number: ask.is_there(self.layout.anchor(number)))) - 1
        while anchor := (yield from ask.read(self.layout.anchor(max(0, number) + 1), Anchor)):
            self.anchors.append(anchor)
            number = anchor.number
        while epoch is not None and self.anchors and self.anchors[0].epoch > epoch and self.anchors[0].number > 1:
            before = yield from ask.read(self.layout.anchor(self.anchors[0].number - 1), Anchor)
            assert before is not None
            self.anchors.insert(0, before)

    def due_ms(self, epoch: int) -> int | None:
        """By the store's clock; None where nothing says when."""
        for anchor in reversed(self.anchors):
            if anchor.epoch <= epoch:
                return anchor.time_ms + (epoch - anchor.epoch) * self.period_ms
        return None

    def may_skip(self, epoch: int) -> bool:
        return bool(self.anchors) and epoch >= self.anchors[-1].epoch


def write(layout: Layout, anchor: Anchor) -> Script[Anchor]:
    """Whatever stands at this number now; another's, where somebody was faster."""
    return (yield from ask.agree(layout.anchor(anchor.number), anchor, Anchor))
