"""Text that is no topology, from YAML's traps to attempts to exhaust the reader."""

import json

import pytest
import yaml

from levee.topology.documents import DOCUMENTS_MAX, SIZE_MAX, read_documents
from levee.topology.load import load, load_bytes
from levee.topology.wording import COMPLAINTS_MAX, complaint_text, describe
from tests.topology.shop import CLICKS, CLICKS_TEXT, changed, said
from tests.topology.shop import text as complaint


def told(where: str, wrong: str, fix: str) -> list[str]:
    return [complaint(where, wrong, fix)]


WRITE = "write a FaultTolerantTopology, or name another file"
BEGIN = "begin with apiVersion: levee.dev/v1alpha1 and kind: FaultTolerantTopology"
LOOK = "look at quotes, brackets and indentation here and in the line before"
UNQUOTED = "write a number, without quotes"
KNOWN = (
    "remove it; known here: image, store, epoch, sources, operators, sinks, exports, configurations, faultTolerance, placement, "
    "adaptation, suspend, restartNonce, deletionPolicy, sparkConf and podTemplate"
)
RATE = "spec.sources[0].configurations[0].rate"
BOMB = "a: &a [1,1,1,1,1,1,1,1,1,1]\n" + "".join(
    f"{new}: &{new} [{','.join([f'*{old}'] * 10)}]\n" for old, new in zip("abcdef", "bcdefg", strict=True)
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", told("line 1", "there is nothing in it", WRITE)),
        ("# nothing\n---\n...\n", told("line 1", "there is nothing in it", WRITE)),
        ("hello", told("the document", "is text, not a resource", BEGIN)),
        ("[1]", told("the document", "is a list, not a resource", BEGIN)),
        ("a:\n\tb: c\n", told("line 2, column 1", "a tab stands where YAML wants spaces", "indent with spaces")),
        (
            "a: b: c\n",
            told(
                "line 1, column 5",
                "a colon stands where no new key can begin",
                "quote the text that holds the colon, or begin a new line for the key",
            ),
        ),
        (
            "a: [1, 2\nb: 3\n",
            told("line 2, column 2", "is not YAML: did not find expected ',' or ']'", LOOK),
        ),
        ("a: \x07\n", told("line 1, column 4", "the character U+0007 is not allowed in YAML", "remove it")),
        ("a: \ud800\n", told("line 1, column 4", "the character U+D800 is not allowed in YAML", "remove it")),
        (
            "a: !!python/object/apply:os.system [x]",
            told(
                "line 1, column 4",
                "the tag !!python/object/apply:os.system is not allowed",
                "write plain text, numbers, lists and mappings",
            ),
        ),
        ("a: *b", told("line 1, column 4", "*b stands for nothing", "put &b before the value it stands for")),
        ("a: &a [*a]", told("line 1, column 8", "*a stands inside of what it stands for", "write the value out")),
        (
            BOMB,
            told(
                "line 4, column 29",
                "aliases blow the document up by more than 10000 values",
                "write the values out instead of using aliases",
            ),
        ),
        ("[" * 100_000, told("line 1, column 66", "is nested more than 64 levels deep", "a topology needs no more than 10 levels")),
        ("? [a]\n: b", told("line 1, column 3", "a list, mapping or alias stands where a key is expected", "write a word and a colon")),
        ("a: 1\n<<: 3", told("['<<']", "merges something that is not a mapping", "name a mapping: <<: *defaults")),
        (
            "x" * (SIZE_MAX + 1),
            told("line 1", "the document is larger than 1.5 MiB, the most that Kubernetes keeps", "split it into several topologies"),
        ),
        (
            "x" * (16 * SIZE_MAX + 1),
            told("line 1", "the text is larger than 24 MiB, the most that is read at once", "split it into several files"),
        ),
        ("---\n" * DOCUMENTS_MAX, told("line 1", "holds 1000 documents or more", "split it into several files")),
    ],
    ids=lambda text: text[:20] if isinstance(text, str) else "",
)
def test_text_that_is_no_resource_is_refused_with_the_place(text: str, expected: list[str]) -> None:
    assert said(text) == expected


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            ": web",
            ": on",
            [
                *told("spec.sources[0].name", "on is read as a boolean, not as text", "quote it: 'on'"),
                *told("spec.operators[0].inputs[0].from", "on is read as a boolean, not as text", "quote it: 'on'"),
            ],
        ),
        (
            "format: rate",
            "format: No",
            [
                *told("spec.sources[0].spark.format", "No is read as a boolean, not as text", "quote it: 'No'"),
                *told("spec.sources[1].spark.format", "No is read as a boolean, not as text", "quote it: 'No'"),
            ],
        ),
        (
            "- name: web",
            "- name: web\n    name: app2",
            told("spec.sources[0].name", "stands twice, in line 10 and in line 11", "keep one of the two"),
        ),
        ("suspend: false", "suspend: [", told("line 58, column 1", "is not YAML: did not find expected node content", LOOK)),
        (
            "suspend: false",
            "on: 1",
            [
                *told("line 57, column 3", "the key on is read as a boolean, not as text", 'quote it: "on"'),
                *told("spec.on", "is not a known field", KNOWN),
            ],
        ),
        ("rate: 400", "rate: .inf", told(RATE, "is inf, which is not a finite number", "write a number")),
        ("rate: 400", "rate: 1:30", told(RATE, "is the text '1:30', but must be a number", UNQUOTED)),
        ("rate: 400", "rate: 0400", told(RATE, "is the text '0400', but must be a number", UNQUOTED)),
        ("rate: 400", "rate: " + "9" * 399, told(RATE, "is inf, which is not a finite number", "write a number")),
        ("rate: 400", "rate: 2026-11-18", told(RATE, "is the text '2026-11-18', but must be a number", UNQUOTED)),
    ],
)
def test_the_traps_of_yaml_are_named(old: str, new: str, expected: list[str]) -> None:
    text = CLICKS_TEXT + "  suspend: false\n"
    assert old in text
    assert said(text.replace(old, new)) == expected


def test_json_is_yaml() -> None:
    assert said(json.dumps(CLICKS)) == []


def test_numbers_may_be_written_with_an_exponent() -> None:
    assert said(CLICKS_TEXT.replace("rate: 400", "rate: 4e2")) == []


def test_anchors_aliases_and_merges_may_be_used_in_measure() -> None:
    text = CLICKS_TEXT.replace("spark:\n      format: rate", "spark: &rate\n      format: rate", 1)
    text = text.replace(
        "  - name: app\n    spark:\n      format: rate", "  - name: app\n    spark:\n      <<: *rate\n      options: {a: b}"
    )
    assert "<<" in text
    (one,) = load(text, origin="clicks.yaml")
    assert one.resource is not None
    assert one.resource.spec.sources[1].spark is not None
    assert one.resource.spec.sources[1].spark.model_dump() == {"format": "rate", "options": {"a": "b"}}


def test_bytes_that_are_not_utf_8_are_refused_with_the_place() -> None:
    (one,) = load_bytes(b"kind: x\nname: caf\xe9\n", origin="clicks.yaml")
    assert [complaint_text(complaint) for complaint in one.complaints] == told(
        "line 2", "the byte 0xe9 is not UTF-8", "save the file as UTF-8 text"
    )


def test_a_byte_order_mark_does_no_harm() -> None:
    (one,) = load_bytes(b"\xef\xbb\xbf" + CLICKS_TEXT.encode(), origin="clicks.yaml")
    assert one.complaints == ()


def test_every_document_of_a_text_is_judged_for_itself() -> None:
    broken = "a: [1\n"
    loaded = load(f"# two good, one bad\n---\n{CLICKS_TEXT}---\n{broken}---\n{CLICKS_TEXT}", origin="all.yaml")
    assert [one.topology is not None for one in loaded] == [True, False, True]
    first, second, third = (one.origin for one in loaded)
    lines = CLICKS_TEXT.count("\n")
    assert (first, second, third) == ("all.yaml, line 2", f"all.yaml, line {lines + 3}", f"all.yaml, line {lines + 5}")
    assert loaded[1].complaints[0].where == f"line {lines + 5}, column 1"


def test_the_size_counts_per_document() -> None:
    padding = "#" * (SIZE_MAX - 200_000) + "\n"
    assert [one.complaints for one in load(f"{padding}---\n{CLICKS_TEXT}---\n{padding}{CLICKS_TEXT}", origin="all.yaml")] == [(), ()]


def test_the_heading_names_the_topology_and_counts_the_mistakes() -> None:
    tree = changed()
    tree["spec"]["suspend"] = 3
    (one,) = load(yaml.safe_dump(tree), origin="clicks.yaml")
    heading = "FaultTolerantTopology shop/clicks is not valid: 1 mistake.\n"
    assert (
        describe(one.name, one.complaints)
        == heading + "  spec.suspend: is 3, but must be true or false.\n    Fix: write true or false, without quotes."
    )


def test_endless_mistakes_are_cut_short() -> None:
    tree = changed()
    tree["spec"] |= {f"field-{index}": 1 for index in range(150)}
    (one,) = load(yaml.safe_dump(tree), origin="clicks.yaml")
    text = describe(one.name, one.complaints)
    assert text.count("Fix:") == COMPLAINTS_MAX
    assert text.endswith(f"\n  ... and {150 - COMPLAINTS_MAX} more.")


def test_a_document_knows_its_line() -> None:
    assert [document.line for document in read_documents("a: 1\n---\nb: 1\n...\n---\nc: 1\n")] == [1, 2, 5]


def test_a_name_can_do_nothing_to_the_terminal() -> None:
    text = CLICKS_TEXT.replace("name: totals", 'name: "\\e[31m\\n\\ud800red"')
    (one,) = load(text, origin="clicks.yaml")
    assert one.complaints
    assert all(field.isprintable() for complaint in one.complaints for field in (complaint.where, complaint.wrong, complaint.fix))


def test_a_name_of_a_megabyte_is_not_repeated() -> None:
    (one,) = load(CLICKS_TEXT.replace("from: joined", f"from: {'j' * 10**6}").replace("correlated", "c" * 1000), origin="clicks.yaml")
    assert len(one.complaints) == 2
    assert all(len(field) <= 600 for complaint in one.complaints for field in (complaint.where, complaint.wrong, complaint.fix))
