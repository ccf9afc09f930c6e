"""The arguments of the control: what is misspelt, or no number, is refused, since a safeguard would be missing."""

from typing import Any

import pytest
from chaoslib.exceptions import InterruptExecution, InvalidActivity

from levee_chaos import controls, judging
from levee_chaos.refusals import Refused, number


def control(**arguments: Any) -> dict[str, Any]:
    return {"name": "levee", "provider": {"type": "python", "module": "levee_chaos.controls", "arguments": arguments}}


def test_an_argument_that_the_control_does_not_have_is_not_valid() -> None:
    controls.validate_control(control(directory="d", lost_for_s="${lost}", only_nodes=["node-1"]))
    with pytest.raises(InvalidActivity, match=r"only_operator: is no argument of the control\.[\s\S]*use 'only_operators'"):
        controls.validate_control(control(only_operator="count"))


@pytest.mark.parametrize(("name", "said"), [("lost_for_s", "soon"), ("time_limit_s", "nan"), ("every_s", 0), ("lost_for_s", -1)])
def test_a_safeguard_that_is_no_number_ends_the_experiment_before_it_begins(name: str, said: object) -> None:
    arguments: dict[str, Any] = {name: said}
    with pytest.raises(InterruptExecution, match=rf"nothing was done[\s\S]*controls: {name}: "):
        controls.before_experiment_control({"title": "t", "method": []}, **arguments)


@pytest.mark.parametrize("said", ["inf", "nan", "", "5s", None])
def test_what_is_no_number_of_seconds_is_refused(said: object) -> None:
    with pytest.raises(Refused, match="is no number"):
        number("for_s", said)
    assert number("for_s", "5") == 5


def test_why_an_action_of_ours_has_failed_is_told_without_its_way_through_the_code() -> None:
    way = "Traceback (most recent call last):\n  File ...\n"
    ours = f"{way}levee_chaos.refusals.Refused: levee-chaos: nothing was done.\n  role: there is no primary.\n    Fix: wait.\n"
    again = ours.removeprefix(way)
    told = f"{ours}\nDuring handling of the above exception, another exception occurred:\n\nchaoslib.exceptions.ActivityFailed: {again}"
    assert judging.error_of({"exception": [told]}) == "levee-chaos: nothing was done.\n  role: there is no primary.\n    Fix: wait."
    assert judging.error_of({"exception": [f"{way}OSError: no"]}) == f"{way}OSError: no"
    assert judging.error_of({}) == ""
