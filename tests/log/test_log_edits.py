"""What a record says of states: when they began anew, and that this is forgotten by no later record."""

from levee.topology.names import OperatorName
from levee_spark.log import control
from levee_spark.log.values import ControlRecord, Live, Shape

SUM, JOIN = OperatorName("sum"), OperatorName("join")


def shape(of_sum: str, of_join: str = "job:join") -> Shape:
    return Shape(((JOIN, of_join), (SUM, of_sum)), "graph")


def after(before: ControlRecord, wanted: Shape, *discards: OperatorName) -> ControlRecord:
    return control.successor(before, "test", shape=control.edited(before, wanted, discards))


def test_a_state_begins_anew_with_the_record_that_edits_its_function_and_with_no_other() -> None:
    first = control.first(control.edited(None, shape("job:sum"), (SUM,)), Live(), "test")
    same = after(first, shape("job:sum"), SUM)  # nothing was edited
    edited = after(same, shape("job:other"), SUM)
    again = after(edited, shape("job:other"), SUM)
    kept = after(again, shape("job:third"))
    other = after(kept, shape("job:third", "job:outer"), JOIN)
    assert [one.shape.began(SUM) for one in (first, same, edited, again, kept, other)] == [0, 0, 3, 3, 3, 3]
    assert [one.shape.began(JOIN) for one in (kept, other)] == [0, 6]
    assert [one.shape_number for one in (first, same, edited, again, kept, other)] == [1, 1, 3, 3, 5, 6]
