"""Values of a document change, and nothing else does."""

import pytest
import yaml

from levee.topology.flow import flow
from levee.topology.paths import Path
from levee.topology.rewriting import CannotRewrite, Change, rewritten

TEXT = """\
# what the shop runs
spec:
  sources:   # where rows come from
  - name: web
    configurations: [{name: low, rate: 400, probability: 0.8}, {rate: 800, probability: 0.2}]  # guessed
  - name: app
    configurations:
    - rate: 20
    - {rate: 40}

  operators:
  - name: orders
    inputs: [{from: web, cost: 12us}]   # a guess, too
  - name: joined
    inputs:
    - from: orders
      # the selectivity of a join
      selectivity: 1.0
      cost: "10us"
  other: 'stays: as it is'
"""

ORDERS: Path = ("spec", "operators", 0, "inputs", 0)
JOINED: Path = ("spec", "operators", 1, "inputs", 0)
WEB: Path = ("spec", "sources", 0, "configurations")
APP: Path = ("spec", "sources", 1, "configurations")


def changed_lines(text: str, *changes: Change) -> list[tuple[str, str]]:
    before, after = text.splitlines(), rewritten(text, changes).splitlines()
    return [(was, now) for was, now in zip(before, after, strict=True) if was != now]


def test_a_scalar_changes_where_it_stands() -> None:
    [(_, now)] = changed_lines(TEXT, Change((*WEB, 0, "rate"), 402.0))
    assert now == "    configurations: [{name: low, rate: 402, probability: 0.8}, {rate: 800, probability: 0.2}]  # guessed"


def test_a_missing_field_comes_before_the_last_in_the_style_of_its_mapping() -> None:
    [(_, now)] = changed_lines(TEXT, Change((*ORDERS, "selectivity"), 0.5))
    assert now == "    inputs: [{from: web, selectivity: 0.5, cost: 12us}]   # a guess, too"
    assert "    - probability: 0.3\n      rate: 20\n" in rewritten(TEXT, [Change((*APP, 0, "probability"), 0.3)])


def test_several_changes_do_not_disturb_each_other() -> None:
    changes = [Change((*JOINED, "cost"), "118us"), Change((*JOINED, "selectivity"), 0.25), Change((*WEB, 1, "rate"), 790.0)]
    after = rewritten(TEXT, changes)
    assert "# the selectivity of a join\n      selectivity: 0.25\n      cost: 118us\n" in after
    assert "{rate: 790, probability: 0.2}]  # guessed" in after and after.endswith("  other: 'stays: as it is'\n")


def test_a_list_takes_the_place_of_a_list() -> None:
    levels = [{"rate": 100.0, "probability": 0.9}, {"rate": 300.0, "probability": 0.1}]
    after = rewritten(TEXT, [Change(WEB, levels), Change(APP, levels)])
    assert "    configurations: [{rate: 100, probability: 0.9}, {rate: 300, probability: 0.1}]  # guessed\n" in after
    assert "    configurations: [{rate: 100, probability: 0.9}, {rate: 300, probability: 0.1}]\n\n  operators:\n" in after


def test_lines_end_as_they_did() -> None:
    after = rewritten(TEXT.replace("\n", "\r\n"), [Change((*ORDERS, "cost"), "7us")])
    assert after.count("\r\n") == after.count("\n") == TEXT.count("\n")


def test_json_stays_json() -> None:
    text = '{"spec": {"operators": [{"inputs": [{"from": "web", "cost": "1us"}]}]}}'
    assert rewritten(text, [Change((*ORDERS, "selectivity"), 0.5), Change((*ORDERS, "cost"), "2us")]) == (
        '{"spec": {"operators": [{"inputs": [{"from": "web", "selectivity": 0.5, "cost": "2us"}]}]}}'
    )


def test_what_several_share_by_an_anchor_is_left_alone() -> None:
    text = "spec:\n  operators:\n  - inputs: &both [{from: web, cost: 1us}]\n  - inputs: *both\n"
    with pytest.raises(CannotRewrite) as refused:
        rewritten(text, [Change((*ORDERS, "cost"), "2us")])
    assert [one.wrong for one in refused.value.complaints] == ["is shared with others by the anchor &both"]


def test_an_anchor_inside_of_a_list_that_is_replaced_is_not_taken_from_others() -> None:
    text = "spec:\n  sources:\n  - configurations: [&low {rate: 1}, {rate: 2}]\n  - configurations: [*low]\n"
    with pytest.raises(CannotRewrite) as refused:
        rewritten(text, [Change(("spec", "sources", 0, "configurations"), [{"rate": 3.0}])])
    assert [one.wrong for one in refused.value.complaints] == ["has in it what is shared with others by the anchor &low"]


def test_all_that_cannot_be_written_is_told_at_once() -> None:
    text = TEXT.replace("- rate: 20", "- rate: 20 # at night").replace("[{from: web", "&in [{from: web") + "  more: *in\n"
    with pytest.raises(CannotRewrite) as refused:
        rewritten(text, [Change((*ORDERS, "cost"), "2us"), Change((*JOINED, "cost"), "2us"), Change(APP, [{"rate": 3.0}])])
    assert [one.where for one in refused.value.complaints] == ["spec.operators[0].inputs[0].cost", "spec.sources[1].configurations"]


def test_what_is_merged_in_from_elsewhere_is_not_changed_there() -> None:
    text = "base: &base {operators: [{inputs: [{from: web, cost: 1us}]}]}\nspec: {<<: *base, name: x}\n"
    with pytest.raises(CannotRewrite):
        rewritten(text, [Change((*ORDERS, "cost"), "2us")])


@pytest.mark.parametrize(
    "written",
    [
        "\n    - rate: 1 # at night\n    - rate: 2\n",
        " # as of May\n    - rate: 1\n",
        " [{rate: 1}, # at night\n    {rate: 2}]\n",
        " [\n    # at night\n    {rate: 1},\n    ]\n",
    ],
)
def test_a_list_with_comments_in_it_is_not_thrown_away(written: str) -> None:
    text = f"spec:\n  sources:\n  - configurations:{written}"
    with pytest.raises(CannotRewrite) as refused:
        rewritten(text, [Change(("spec", "sources", 0, "configurations"), [{"rate": 3.0}])])
    [one] = refused.value.complaints
    line = text[: text.index("#")].count("\n") + 1
    assert (one.where, one.wrong) == ("spec.sources[0].configurations", f"has comments in it, which would be lost (line {line})")


def test_several_documents_are_not_touched() -> None:
    with pytest.raises(CannotRewrite):
        rewritten("a: 1\n---\na: 2\n", [Change(("a",), 3)])


@pytest.mark.parametrize("value", ["web", "12us", "yes", "1e3", "a: b", "", "#x", "0x1", 'say "so"', 0.00001, 402.0, [1, {"a": "no"}]])
def test_what_is_written_in_a_line_is_read_as_the_same(value: object) -> None:
    assert yaml.safe_load(f"[{flow(value)}]") == [value]
