"""Another resource for a topology that runs or rests: planned and tried beside what is in force, taken up, or taken back.

Why: what cannot be is refused before anything has changed, and what has changed can be taken back; the streams go on either way.
Called by: deeds, for the lifecycle's methods.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from levee.control.actions import Reason
from levee.control.wanted import Wanted
from levee.lifecycle.handlers import Context, Overtaken
from levee.serve import importers, rehearsing
from levee.serve.ground import Ground, Object
from levee.serve.making import Making
from levee.serve.replicas import WAYS, Replicas
from levee.serve.trials import Trials
from levee.topology import drawing, lasting
from levee.topology.complaint import Complaint
from levee.topology.wording import complaint_text, listed
from levee.worlds import plans, reshaping
from levee.worlds.kubernetes import trial
from levee.worlds.local import editing
from levee.worlds.local.book import Book
from levee.worlds.plans import WrittenPlan
from levee_spark.log.values import ControlRecord


@dataclass(slots=True)
class Edits:
    ground: Ground
    making: Making
    replicas: Replicas
    trials: Trials = field(init=False)

    def __post_init__(self) -> None:
        self.trials = Trials(self.ground.shop, self.ground.owner, self.ground.news.append)

    def replan(self, context: Context) -> str:
        """What workers read when they start can be otherwise only where the streams have stopped; for another graph they stop."""
        ground = self.ground
        if self.making.read_spec(context) == "refused":
            return "refused"
        before, after = ground.read_resource(ground.in_force().resource).spec, ground.read_resource().spec
        record = ground.need_world().book.newest()
        at_rest = record is None or record.shape.stopped
        if wrong := list(lasting.complaints(before, after, at_rest=at_rest)):
            ground.trouble = ("CannotChange", "; ".join(map(complaint_text, wrong)))
            return "refused"
        if self.is_adapted():
            ground.draft = ground.draft or ground.in_force()
        if ground.draft is None or ground.draft.generation != ground.read:
            said = self.making.planned(ground.resource)
            if said != "planned":
                return said
        return self.tried(at_rest=at_rest)

    def tried(self, *, at_rest: bool) -> str:
        """As `levee run` does it: what cannot go on with the state that is there is not taken up, and nobody stops for it."""
        ground, draft = self.ground, self.ground.draft
        assert draft is not None, "it has just been made"
        if draft.resource["spec"].get("podTemplate") != ground.in_force().resource["spec"].get("podTemplate"):
            ground.trouble = rehearsing.refusal(ground)
            if ground.trouble[1]:
                return "refused"
        record, wanted = ground.need_world().book.newest(), ground.wanted(draft)
        reshapes = record is not None and self.is_of_another_graph(record, wanted, draft)
        if record is not None and reshapes:
            wrong = (
                *self.still_imported(record, wanted),
                *reshaping.complaints(ground.need_world().book, record, wanted, WAYS, at_rest=at_rest),
            )
            ground.trouble = ("CannotChange", "; ".join(map(complaint_text, wrong)))
            if wrong:
                return "refused"
        operators = editing.edited(record, wanted)
        try:
            wrong = self.trials.complaints(ground.resource, operators, ground.terms(draft))
        except trial.Broken as broken:
            wrong = (editing.untried(str(broken)),)
            ground.trouble = ("DryRunFailed", complaint_text(wrong[0]))
            raise
        ground.trouble = ("DryRunFailed", "; ".join(map(complaint_text, wrong))) if wrong else ("", "")
        if wrong:
            return "refused"
        return "reshape" if reshapes and not at_rest else "planned"

    def still_imported(self, record: ControlRecord, wanted: Wanted) -> Iterator[Complaint]:
        """A stream that comes to its end leaves its readers waiting, and nobody tells them."""
        ground, before, after = self.ground, drawing.read(record.shape.graph), drawing.read(wanted.shape.graph)
        allowed = (ground.resource["spec"].get("exports") or {}).get("namespaces") or ()
        gone = before.streams() - after.streams() if before is not None and after is not None else ()
        for name in sorted(gone):
            if readers := importers.of(ground.shop.api, ground.owner, allowed, stream=name):
                yield Complaint("spec", f"'{name}' is gone, and its stream is imported by {listed(readers, 'and')}", "let these go first")

    def is_of_another_graph(self, record: ControlRecord, wanted: Wanted, draft: WrittenPlan) -> bool:
        """By the record above all: a plan that was taken up may be in force nowhere yet."""
        return reshaping.is_drawn_otherwise(record, wanted) or not self.is_drawn_as_in_force(draft.resource)

    def is_adapted(self) -> bool:
        """Whether it runs by a plan for what was measured of this very resource: whoever died while it was taken up goes on with it."""
        in_force = self.ground.in_force()
        return bool(in_force.declared) and in_force.generation == self.ground.read

    def is_drawn_as_in_force(self, resource: Object) -> bool:
        return self.ground.shape_of(self.ground.in_force().resource) == self.ground.shape_of(resource)

    def change_plan(self, context: Context) -> None:
        self.making.write_plan(context)
        self.replicas.open_log(context)
        self.trials.clear()

    def revert_plan(self, context: Context) -> None:
        ground = self.ground
        book, ground.draft = ground.need_world().book, None
        self.trials.clear()
        record = book.newest()
        if record is not None and record.plan != ground.number:
            self.take_up_again(book, record.plan)
        elif ground.in_force().generation == ground.read:
            self.take_back(context, book)
        if record is not None and is_stopped_for_now(record):
            self.replicas.open_log(context)

    def take_up_again(self, book: Book, number: int) -> None:
        """What the newest record names, where no record names what was taken up since."""
        found = plans.read(book.driver.blobs, book.wiring.layout, number)
        if found is None:
            raise Overtaken
        self.ground.take_up(found, number)

    def take_back(self, context: Context, book: Book) -> None:
        """The refused one is in force by now: the one before it comes again under a new number, unless its graph is another one."""
        blobs, layout = book.driver.blobs, book.wiring.layout
        good = plans.read(blobs, layout, self.ground.number - 1)
        if good is not None and self.is_drawn_as_in_force(good.resource):
            self.ground.take_up(good, plans.write(blobs, layout, good))
            self.replicas.open_log(context)


def is_stopped_for_now(record: ControlRecord) -> bool:
    """Who has asked to be resumed goes on, whatever becomes of what else was asked; what has come to its end does not."""
    return record.shape.stopped and not record.reason.startswith(Reason.COMPLETED)
